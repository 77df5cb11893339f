package rdb

import (
	"encoding/binary"

	"zset.dev/operator/zset"
)

// A ziplist, which servers before version 7.0 wrote, is
//
//	total bytes (4, LE) | offset of the last entry (4, LE) | entries (2, LE) | entry … | 0xff
//
// where so many entries that two bytes cannot say how many read 0xffff. An
// entry is the length of the one before it (a byte, or 0xfe and four, LE), its
// encoding and its bytes. The encodings:
//
//	00xxxxxx                       a string of 6 bits' length
//	01xxxxxx xxxxxxxx              a string of 14 bits' length
//	10______ and 4 bytes, BE       a string of that length
//	11000000  11010000  11100000   an integer of 2, 4 or 8 bytes, LE
//	11110000  11111110             an integer of 3 bytes, LE, or of 1
//	1111xxxx, x from 1 to 13       the integer x-1
const (
	ziplistHeader  = 10
	ziplistEnd     = 0xff
	ziplistUncount = 0xffff
	ziplistFar     = 0xfe // the length before takes four more bytes
)

// readZiplist fills s with the pairs of a ziplist.
func readZiplist(s *zset.Set, b []byte) error {
	if len(b) <= ziplistHeader || uint64(binary.LittleEndian.Uint32(b)) != uint64(len(b)) || b[len(b)-1] != ziplistEnd {
		return ErrFormat
	}
	last, counted := binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint16(b[8:])
	r := reader{b: b[ziplistHeader : len(b)-1]}
	n, start, previous := 0, ziplistHeader, 0 // previous is the length of the entry that was read last
	err := readPairs(s, func() (element, bool, error) {
		if len(r.b) == 0 {
			return element{}, false, nil
		}
		n++
		start += previous
		before := len(r.b)
		e, err := r.ziplistEntry(previous)
		previous = before - len(r.b)
		return e, true, err
	})
	if err != nil {
		return err
	}
	if counted != ziplistUncount && int(counted) != n || int64(last) != int64(start) {
		return ErrFormat
	}
	return nil
}

// ziplistEntry reads an entry that follows one of so many bytes.
func (r *reader) ziplistEntry(previous int) (e element, err error) {
	near, err := r.byte()
	if err != nil {
		return e, err
	}
	claimed := uint32(near)
	if near == ziplistFar {
		b, err := r.take(4)
		if err != nil {
			return e, err
		}
		claimed = binary.LittleEndian.Uint32(b)
	}
	if near == ziplistEnd || uint64(claimed) != uint64(previous) {
		return e, ErrFormat
	}
	first, err := r.byte()
	if err != nil {
		return e, err
	}
	size := uint64(first & 0x3f)
	switch first >> 6 {
	case 0:
		e.text, err = r.take(size)
		return e, err
	case 1:
		second, err := r.byte()
		if err != nil {
			return e, err
		}
		e.text, err = r.take(size<<8 | uint64(second))
		return e, err
	case 2:
		b, err := r.take(4)
		if err != nil {
			return e, err
		}
		e.text, err = r.take(uint64(binary.BigEndian.Uint32(b)))
		return e, err
	}
	switch first {
	case 0xc0:
		return r.integer(2)
	case 0xd0:
		return r.integer(4)
	case 0xe0:
		return r.integer(8)
	case 0xf0:
		return r.integer(3)
	case 0xfe:
		return r.integer(1)
	}
	if first < 0xf1 || first > 0xfd {
		return e, ErrFormat
	}
	return element{value: int64(first&0x0f) - 1, isInt: true}, nil
}
