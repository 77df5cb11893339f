package zset

import "math/bits"

// A packed integer takes 1 to 8 bytes of 7 bits each. The leading ones of its first byte, the tag, count the
// bytes that follow; the rest is the value, most significant bits first:
//
//	0xxxxxxx                             7 bits
//	10xxxxxx xxxxxxxx                   14 bits
//	   …
//	11111110 xxxxxxxx × 7               56 bits
//	11111111                            not an integer: left to the reader (see the score in listpack.go)
//
// So a length is known from one byte.
const (
	packedBits = 56
	notPacked  = 0xFF
)

// packedLen is the length of v in bytes.
func packedLen(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// tagLen is the length in bytes of the packed integer that tag begins; 9 when tag is notPacked.
func tagLen(tag byte) int { return bits.LeadingZeros8(^tag) + 1 }

// tagged is v's n bytes as one number, tag on top.
func tagged(v uint64, n int) uint64 { return v | uint64(byte(0xFF<<(9-n)))<<(8*(n-1)) }

// appendPacked appends v, which must be below 2^56.
func appendPacked(dst []byte, v uint64) []byte { return appendTagged(dst, v, packedLen(v)) }

// appendTagged is appendPacked in n bytes, whether or not all are needed.
func appendTagged(dst []byte, v uint64, n int) []byte {
	for v, i := tagged(v, n), n-1; i >= 0; i-- {
		dst = append(dst, byte(v>>(8*i)))
	}
	return dst
}

// packedAt reads the integer that starts at b[at], and gives its length. The tag must not be notPacked.
func packedAt(b []byte, at int) (v uint64, n int) {
	tag := b[at]
	if tag < 0x80 {
		return uint64(tag), 1
	}
	n = tagLen(tag)
	v = uint64(tag & (0xFF >> n))
	for _, x := range b[at+1 : at+n] {
		v = v<<8 | uint64(x)
	}
	return v, n
}
