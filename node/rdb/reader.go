package rdb

import (
	"encoding/binary"

	"zset.dev/operator/zset"
)

// reader takes a value apart, from its front.
type reader struct {
	b    []byte // what is at hand and was not taken
	more source // where more comes from; nil when b is all
	sets zset.Filler
}

// A source gives a reader at least n bytes in b, which begin with what b had. What was taken before is not
// valid any more. It fails when there are not so many.
type source interface {
	fill(r *reader, n uint64) error
}

// take is the next n bytes, valid until the next bytes are taken.
func (r *reader) take(n uint64) ([]byte, error) {
	if n > uint64(len(r.b)) {
		if r.more == nil {
			return nil, ErrFormat
		}
		if err := r.more.fill(r, n); err != nil {
			return nil, err
		}
	}
	taken := r.b[:n:n]
	r.b = r.b[n:]
	return taken, nil
}

func (r *reader) byte() (byte, error) {
	b, err := r.take(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// A length begins with two bits that say how it goes on: 00 with 6 bits, 01
// with 14, 10 with 32 or 64 (by the other six), all big-endian. 11 is not a
// length but a string in a special encoding, whose number the other six are.
const (
	length6   = 0x00
	length14  = 0x40
	length32  = 0x80
	length64  = 0x81
	special   = 0xc0
	lengthTag = 0xc0
)

// length reads a length, or the number of a special encoding.
func (r *reader) length() (n uint64, isSpecial bool, err error) {
	first, err := r.byte()
	if err != nil {
		return 0, false, err
	}
	switch {
	case first&lengthTag == length6:
		return uint64(first), false, nil
	case first&lengthTag == length14:
		second, err := r.byte()
		return uint64(first&^lengthTag)<<8 | uint64(second), false, err
	case first == length32:
		b, err := r.take(4)
		if err != nil {
			return 0, false, err
		}
		return uint64(binary.BigEndian.Uint32(b)), false, nil
	case first == length64:
		b, err := r.take(8)
		if err != nil {
			return 0, false, err
		}
		return binary.BigEndian.Uint64(b), false, nil
	case first&lengthTag == special:
		return uint64(first &^ lengthTag), true, nil
	}
	return 0, false, ErrFormat
}

// count reads a length that may not be special.
func (r *reader) count() (uint64, error) {
	n, isSpecial, err := r.length()
	if isSpecial {
		return 0, ErrFormat
	}
	return n, err
}

// appendLength writes n in the fewest bytes.
func appendLength(dst []byte, n uint64) []byte {
	switch {
	case n < 1<<6:
		return append(dst, length6|byte(n))
	case n < 1<<14:
		return append(dst, length14|byte(n>>8), byte(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(dst, length32), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, length64), n)
}
