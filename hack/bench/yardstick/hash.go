package yardstick

import (
	"encoding/binary"
	"math/bits"
)

// hashKey makes the hash of one list unlike any other's. The hash multiplies keyed words of the member and folds
// the 128-bit product.
type hashKey struct{ a, b uint64 }

func (k hashKey) sum(member []byte) uint64 {
	h := k.b ^ uint64(len(member))
	rest := member
	for ; len(rest) > 16; rest = rest[16:] {
		h = fold(binary.LittleEndian.Uint64(rest)^k.a, binary.LittleEndian.Uint64(rest[8:])^h)
	}
	// The last 1 to 16 bytes as two words, which overlap when they are not needed in full.
	var x, y uint64
	switch n := len(rest); {
	case n >= 8:
		x, y = binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[n-8:])
	case n >= 4:
		x, y = uint64(binary.LittleEndian.Uint32(rest)), uint64(binary.LittleEndian.Uint32(rest[n-4:]))
	case n > 0:
		x, y = uint64(rest[0])<<8|uint64(rest[n/2]), uint64(rest[n-1])
	}
	return fold(fold(x^k.a, y^h)^k.a, k.b)
}

func fold(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return high ^ low
}
