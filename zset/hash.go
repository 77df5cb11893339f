package zset

import (
	"encoding/binary"
	"math/bits"
)

// hashKey makes the hash of one set unlike any other's, so that nobody who chooses members can choose which of
// them meet in the index. It is 128 bits drawn at random for each set.
//
// The hash multiplies keyed words of the member and folds the 128-bit product, as several fast hash functions
// do. Both factors are keyed, as a factor known to be 0 would cancel the other. It is no cryptographic hash: it
// defends against members chosen without seeing how they fall.
type hashKey struct{ a, b uint64 }

func (k hashKey) sum(member []byte) uint64 {
	h, rest := k.b, member
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
	// The length comes in apart from the words, whose bits it could undo.
	return fold(fold(x^k.a, y^h)^k.a^uint64(len(member)), k.b)
}

func fold(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return high ^ low
}
