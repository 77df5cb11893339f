package rdb

import (
	"encoding/binary"
	"math"

	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

// A listpack is
//
//	total bytes (4, LE) | elements (2, LE) | element … | 0xff
//
// where so many elements that two bytes cannot say how many read 0xffff. An
// element is its encoding, its bytes, and the length of both, written
// backwards so that it can be read from the end. The encodings:
//
//	0xxxxxxx                      an integer 0 to 127
//	10xxxxxx                      a string of 6 bits' length
//	110xxxxx xxxxxxxx             an integer of 13 bits, signed
//	1110xxxx xxxxxxxx             a string of 12 bits' length
//	11110000 and 4 bytes, LE      a string of that length
//	11110001 to 11110100          an integer of 2, 3, 4 or 8 bytes, LE
const (
	listpackHeader  = 6
	listpackEnd     = 0xff
	listpackUncount = 0xffff

	packedInt7     = 0x00
	packedString6  = 0x80
	packedInt13    = 0xc0
	packedString12 = 0xe0
	packedString32 = 0xf0
	packedInt16    = 0xf1
	packedInt24    = 0xf2
	packedInt32    = 0xf3
	packedInt64    = 0xf4
)

// listpackBody is the elements of a listpack, if it has a beginning and an end.
func listpackBody(b []byte) (elements []byte, ok bool) {
	if len(b) <= listpackHeader || uint64(binary.LittleEndian.Uint32(b)) != uint64(len(b)) || b[len(b)-1] != listpackEnd {
		return nil, false
	}
	return b[listpackHeader : len(b)-1], true
}

// listpackCounts reports whether a listpack says that it has n elements, or not how many.
func listpackCounts(b []byte, n int) bool {
	counted := binary.LittleEndian.Uint16(b[4:])
	return counted == listpackUncount || int(counted) == n
}

// readListpack fills s with the pairs of a listpack.
func readListpack(s *zset.Set, b []byte) error {
	elements, ok := listpackBody(b)
	if !ok {
		return ErrFormat
	}
	r := reader{b: elements}
	n := 0
	err := readPairs(s, func() (element, bool, error) {
		if len(r.b) == 0 {
			return element{}, false, nil
		}
		n++
		e, err := r.listpackElement()
		return e, true, err
	})
	if err != nil {
		return err
	}
	if !listpackCounts(b, n) {
		return ErrFormat
	}
	return nil
}

// shortText reads an element that is a string of 6 bits' length. If it is not, or not whole, nothing is read.
func (r *reader) shortText() (text []byte, ok bool) {
	b := r.b
	if len(b) == 0 || b[0]&0xc0 != packedString6 {
		return nil, false
	}
	end := int(b[0]&0x3f) + 1
	if len(b) <= end || int(b[end]) != end {
		return nil, false
	}
	r.b = b[end+1:]
	return b[1:end:end], true
}

func (r *reader) listpackElement() (e element, err error) {
	if text, ok := r.shortText(); ok {
		return element{text: text}, nil
	}
	before := len(r.b)
	if e, err = r.packed(); err != nil {
		return e, err
	}
	if n := before - len(r.b); n < 1<<7 { // almost every one: its length is a byte, and that of it is n
		back, err := r.byte()
		if err != nil || int(back) != n {
			return e, ErrFormat
		}
		return e, nil
	}
	var space [maxBackLength]byte
	want := appendBackLength(space[:0], before-len(r.b))
	got, err := r.take(uint64(len(want)))
	if err != nil || string(got) != string(want) {
		return e, ErrFormat
	}
	return e, nil
}

// packed reads an element without what follows it.
func (r *reader) packed() (e element, err error) {
	first, err := r.byte()
	if err != nil {
		return e, err
	}
	switch {
	case first < packedString6:
		return element{value: int64(first), isInt: true}, nil
	case first < packedInt13:
		e.text, err = r.take(uint64(first - packedString6))
		return e, err
	case first < packedString12:
		second, err := r.byte()
		value := int64(first-packedInt13)<<8 | int64(second)
		return element{value: value << 51 >> 51, isInt: true}, err
	case first < packedString32:
		second, err := r.byte()
		if err != nil {
			return e, err
		}
		e.text, err = r.take(uint64(first-packedString12)<<8 | uint64(second))
		return e, err
	case first == packedString32:
		size, err := r.take(4)
		if err != nil {
			return e, err
		}
		e.text, err = r.take(uint64(binary.LittleEndian.Uint32(size)))
		return e, err
	case first == packedInt16:
		return r.integer(2)
	case first == packedInt24:
		return r.integer(3)
	case first == packedInt32:
		return r.integer(4)
	case first == packedInt64:
		return r.integer(8)
	}
	return e, ErrFormat
}

// integer reads an integer of so many bytes, little-endian and signed.
func (r *reader) integer(size uint64) (element, error) {
	b, err := r.take(size)
	if err != nil {
		return element{}, err
	}
	var bits uint64
	for i, c := range b {
		bits |= uint64(c) << (8 * i)
	}
	unused := 64 - 8*size
	return element{value: int64(bits<<unused) >> unused, isInt: true}, nil
}

// maxBackLength is the bytes of the longest length read from the end.
const maxBackLength = 5

// appendBackLength writes the length of an element for who comes from behind:
// seven bits a byte, the highest first, all but the first marked.
func appendBackLength(dst []byte, n int) []byte {
	size := 1
	for limit := 1 << 7; size < maxBackLength && n >= limit-min(size-1, 1); limit <<= 7 {
		size++
	}
	dst = append(dst, byte(n>>(7*(size-1))))
	for i := size - 2; i >= 0; i-- {
		dst = append(dst, byte(n>>(7*i))&0x7f|0x80)
	}
	return dst
}

// appendListpack writes the members and scores of s.
func appendListpack(dst []byte, s *zset.Set) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, listpackHeader)...)
	var space [40]byte
	for member, score := range s.All() {
		dst = appendPacked(dst, member)
		if n, ok := asInteger(score); ok {
			dst = appendPackedInt(dst, n)
		} else {
			dst = appendPacked(dst, resp.AppendScore(space[:0], score))
		}
	}
	dst = append(dst, listpackEnd)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	binary.LittleEndian.PutUint16(dst[start+4:], uint16(min(2*s.Len(), listpackUncount)))
	return dst
}

// appendPacked writes a string; one that is the text of an integer as that.
func appendPacked(dst, text []byte) []byte {
	if n, ok := resp.ParseInt(text); ok {
		return appendPackedInt(dst, n)
	}
	start := len(dst)
	switch n := len(text); {
	case n < 1<<6:
		dst = append(dst, packedString6|byte(n))
	case n < 1<<12:
		dst = append(dst, packedString12|byte(n>>8), byte(n))
	default:
		dst = binary.LittleEndian.AppendUint32(append(dst, packedString32), uint32(n))
	}
	dst = append(dst, text...)
	return appendBackLength(dst, len(dst)-start)
}

func appendPackedInt(dst []byte, n int64) []byte {
	const max13, max24 = 1<<12 - 1, 1<<23 - 1
	start := len(dst)
	switch {
	case 0 <= n && n <= 127:
		dst = append(dst, packedInt7|byte(n))
	case -max13-1 <= n && n <= max13:
		bits := uint16(n) & (1<<13 - 1)
		dst = append(dst, packedInt13|byte(bits>>8), byte(bits))
	case math.MinInt16 <= n && n <= math.MaxInt16:
		dst = binary.LittleEndian.AppendUint16(append(dst, packedInt16), uint16(n))
	case -max24-1 <= n && n <= max24:
		dst = append(dst, packedInt24, byte(n), byte(n>>8), byte(n>>16))
	case math.MinInt32 <= n && n <= math.MaxInt32:
		dst = binary.LittleEndian.AppendUint32(append(dst, packedInt32), uint32(n))
	default:
		dst = binary.LittleEndian.AppendUint64(append(dst, packedInt64), uint64(n))
	}
	return appendBackLength(dst, len(dst)-start)
}
