package rdb

import (
	"encoding/binary"
	"math"
	"strconv"

	"zset.dev/operator/node/resp"
)

// A string is its length and its bytes; or an integer in 1, 2 or 4 bytes,
// little-endian, which stands for its decimal text; or compressed (lzf.go).
const (
	stringInt8  = 0
	stringInt16 = 1
	stringInt32 = 2
	stringLZF   = 3
)

// text reads a string. The bytes are the payload's own where they can be.
func (r *reader) text() ([]byte, error) {
	n, isSpecial, err := r.length()
	if err != nil {
		return nil, err
	}
	if !isSpecial {
		return r.take(n)
	}
	var value int64
	switch n {
	case stringInt8:
		b, err := r.take(1)
		if err != nil {
			return nil, err
		}
		value = int64(int8(b[0]))
	case stringInt16:
		b, err := r.take(2)
		if err != nil {
			return nil, err
		}
		value = int64(int16(binary.LittleEndian.Uint16(b)))
	case stringInt32:
		b, err := r.take(4)
		if err != nil {
			return nil, err
		}
		value = int64(int32(binary.LittleEndian.Uint32(b)))
	case stringLZF:
		return r.compressed()
	default:
		return nil, ErrFormat
	}
	return strconv.AppendInt(nil, value, 10), nil
}

func (r *reader) compressed() ([]byte, error) {
	packed, err := r.count()
	if err != nil {
		return nil, err
	}
	size, err := r.count()
	if err != nil {
		return nil, err
	}
	in, err := r.take(packed)
	if err != nil {
		return nil, err
	}
	return decompress(in, size)
}

// maxIntText is how long a string may be that is tried as an integer: that of
// the least in 32 bits.
const maxIntText = 11

// appendText writes a string, one that is the text of a small integer as that.
func appendText(dst, s []byte) []byte {
	if len(s) <= maxIntText {
		if n, ok := resp.ParseInt(s); ok {
			switch {
			case math.MinInt8 <= n && n <= math.MaxInt8:
				return append(dst, special|stringInt8, byte(n))
			case math.MinInt16 <= n && n <= math.MaxInt16:
				return binary.LittleEndian.AppendUint16(append(dst, special|stringInt16), uint16(n))
			case math.MinInt32 <= n && n <= math.MaxInt32:
				return binary.LittleEndian.AppendUint32(append(dst, special|stringInt32), uint32(n))
			}
		}
	}
	return append(appendLength(dst, uint64(len(s))), s...)
}
