package hashindex

import (
	"encoding/binary"
	"math/bits"
)

const (
	bucketBytes   = 64
	bucketSlots   = 12
	flagsAt       = 12 // 32 bits: 8 of overflow, 12 of displaced, 12 of ninth
	refsAt        = 16
	overflowLimit = 255
	displacedBit  = 8
	ninthBit      = 20

	lowBits   = 0x0101010101010101
	highBits  = 0x8080808080808080
	otherBits = ^uint64(highBits)
)

// Matches are slots of a bucket, one bit for each: slot s of the first eight has bit 8s, slot 8+s bit 8s+1.
type Matches uint64

// slot is the first of them.
func (m Matches) slot() int {
	at := bits.TrailingZeros64(uint64(m))
	return at>>3 | at&1<<3
}

// matches are the slots of a bucket that have the tag of which pattern is eight copies.
func matches(bucket []byte, pattern uint64) Matches {
	low := binary.LittleEndian.Uint64(bucket) ^ pattern
	high := uint64(binary.LittleEndian.Uint32(bucket[8:])) ^ pattern | 0xffffffff_00000000
	return Matches(zeroBytes(low)>>7 | zeroBytes(high)>>6)
}

// zeroBytes marks by their high bits the bytes of x that are 0, and no others.
func zeroBytes(x uint64) uint64 { return ^(x&otherBits + otherBits | x) & highBits }

// freeSlot is a free slot of a bucket, or -1.
func freeSlot(bucket []byte) int {
	if free := matches(bucket, 0); free != 0 {
		return free.slot()
	}
	return -1
}

func bucketRef(bucket []byte, slot int) Ref {
	return binary.LittleEndian.Uint32(bucket[refsAt+slot*4:])
}

func setBucketRef(bucket []byte, slot int, r Ref) {
	binary.LittleEndian.PutUint32(bucket[refsAt+slot*4:], r)
}

func flags(bucket []byte) uint32 { return binary.LittleEndian.Uint32(bucket[flagsAt:]) }

func setFlags(bucket []byte, flags uint32) {
	binary.LittleEndian.PutUint32(bucket[flagsAt:], flags)
}

func overflow(bucket []byte) uint8 { return bucket[flagsAt] }
