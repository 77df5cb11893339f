package zset

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// A block is a node of a skip list: up to Options.BlockEntries members next to each other in order, or a few more, as
// blocks are sized in whole cache lines.
//
//	0      8      12      13      14      15       16       32            16+16L
//	+------+------+-------+-------+-------+--------+--------+-- … --------+-------+-- … --+-------+
//	| base | back | count | units | shift | levels | link 0 | link L-1    | keys  | room  | refs  |
//	+------+------+-------+-------+-------+--------+--------+-- … --------+-------+-- … --+-------+
//	                                                                       2 each          4 each
//	link:
//	+-------------------+------+------+
//	| next one's score  | next | span |     16 bytes
//	+-------------------+------+------+
//
// Link i leads to the following block of more than i levels: it has its ref (0 for none), how many members lie
// from this block's first to that one's first (for a link to nowhere any number, which nobody looks at, so that what comes
// and goes at the list's end changes no link), and a score that no member from
// that block on is below and no member before it is above (for a link to nowhere: +Inf). A search can so tell whether
// to follow a link without a look at where it leads, but for members whose score is just that one: it
// takes one cache line for each step. The score is that of the block's first member when the block was made; it stays
// when that member leaves, as it still separates. Those of links to the first block are not looked at.
//
// A member is a key and a ref to its record, at the same position in two arrays, of which the second is filled from the
// block's end downwards. Keys are scores made small: the 64 bits of the score in their sortable form, less base,
// shifted right by shift, and if that is not between 0 and maxKey then the nearer of both. So keys are in
// the order of scores, except that different scores may have equal keys, between which the records decide. base and
// shift are chosen anew when a score falls outside (fit).
//
// back is the block before, 0 for none. A block without levels is a hole (blocks.go).
type block []byte

const (
	backAt   = 8
	countAt  = 12
	unitsAt  = 13
	shiftAt  = 14
	levelsAt = 15
	linkAt   = 16
	linkSize = 16
	nextAt   = 8
	spanAt   = 12

	keySize   = 2
	refSize   = 4
	entrySize = keySize + refSize

	keyBits = 15
	maxKey  = 1<<keyBits - 1
	// A key in each lane of a word, and the bit above each.
	lanes     = 0x0001_0001_0001_0001
	laneMarks = 0x8000_8000_8000_8000
)

// blockUnits is the size of a block for so many members.
func blockUnits(levels, entries int) int {
	return (linkAt + levels*linkSize + entries*entrySize + unitBytes - 1) / unitBytes
}

func (b block) count() int   { return int(b[countAt]) }
func (b block) units() int   { return int(b[unitsAt]) }
func (b block) levels() int  { return int(b[levelsAt]) }
func (b block) back() ref    { return ref(binary.LittleEndian.Uint32(b[backAt:])) }
func (b block) base() uint64 { return binary.LittleEndian.Uint64(b) }

func (b block) setCount(n int) { b[countAt] = byte(n) }
func (b block) setBack(r ref)  { binary.LittleEndian.PutUint32(b[backAt:], uint32(r)) }

func (b block) bound(level int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[linkAt+level*linkSize:]))
}

func (b block) next(level int) ref {
	return ref(binary.LittleEndian.Uint32(b[linkAt+level*linkSize+nextAt:]))
}

func (b block) span(level int) int {
	return int(binary.LittleEndian.Uint32(b[linkAt+level*linkSize+spanAt:]))
}

func (b block) setLink(level int, bound float64, next ref, span int) {
	at := b[linkAt+level*linkSize:][:linkSize]
	binary.LittleEndian.PutUint64(at, math.Float64bits(bound))
	binary.LittleEndian.PutUint32(at[nextAt:], uint32(next))
	binary.LittleEndian.PutUint32(at[spanAt:], uint32(span))
}

func (b block) setBound(level int, bound float64) {
	binary.LittleEndian.PutUint64(b[linkAt+level*linkSize:], math.Float64bits(bound))
}

func (b block) setNext(level int, next ref) {
	binary.LittleEndian.PutUint32(b[linkAt+level*linkSize+nextAt:], uint32(next))
}

func (b block) setSpan(level, span int) {
	binary.LittleEndian.PutUint32(b[linkAt+level*linkSize+spanAt:], uint32(span))
}

// keysAt is where the keys begin.
func (b block) keysAt() int { return linkAt + b.levels()*linkSize }

// size is the block's bytes.
func (b block) size() int { return b.units() * unitBytes }

// room is how many members the block has space for.
func (b block) room() int { return (b.size() - b.keysAt()) / entrySize }

// full says that there is no space for another member.
func (b block) full() bool { return b.size()-b.keysAt() < (b.count()+1)*entrySize }

func (b block) key(i int) uint64 {
	return uint64(binary.LittleEndian.Uint16(b[b.keysAt()+i*keySize:]))
}

func (b block) setKey(i int, key uint64) {
	binary.LittleEndian.PutUint16(b[b.keysAt()+i*keySize:], uint16(key))
}

func (b block) ref(i int) ref {
	return ref(binary.LittleEndian.Uint32(b[b.size()-(i+1)*refSize:]))
}

func (b block) setRef(i int, r ref) {
	binary.LittleEndian.PutUint32(b[b.size()-(i+1)*refSize:], uint32(r))
}

// keyOf is the key of a score; outside says that it is the nearest there is.
func (b block) keyOf(score float64) (key uint64, outside bool) {
	s, base := sortable(score), b.base()
	if s < base {
		return 0, true
	}
	if key = (s - base) >> (b[shiftAt] & 63); key > maxKey {
		return maxKey, true
	}
	return key, false
}

// below is how many keys are less than key: all of them are compared, four at a time, which takes less time than
// to look for the place by halves.
func (b block) below(key uint64) int {
	n := b.count()
	words := (n + 3) / 4
	keys := b[b.keysAt():][:words*8]
	pattern := key * lanes
	marks := uint64(0)
	for ; len(keys) > 8; keys = keys[8:] {
		w := binary.LittleEndian.Uint64(keys)
		marks += (w | laneMarks - pattern) & laneMarks >> (keyBits)
	}
	if len(keys) == 8 {
		w := binary.LittleEndian.Uint64(keys)
		if rest := n & 3; rest != 0 {
			w |= maxKey * lanes << (rest * 16) // what follows the last key counts as not less
			w &^= laneMarks
		}
		marks += (w | laneMarks - pattern) & laneMarks >> (keyBits)
	}
	return words*4 - int(marks*lanes>>48)
}

// equal is the end of the keys that equal key, which begin at i.
func (b block) equal(i int, key uint64) int {
	n := b.count()
	for at := b.keysAt(); i < n && uint64(binary.LittleEndian.Uint16(b[at+i*keySize:])) == key; i++ {
	}
	return i
}

// insert makes a gap at i and puts a member there. There must be room.
func (b block) insert(i int, key uint64, r ref) {
	n, at, end := b.count(), b.keysAt(), b.size()
	copy(b[at+(i+1)*keySize:], b[at+i*keySize:at+n*keySize])
	copy(b[end-(n+1)*refSize:], b[end-n*refSize:end-i*refSize])
	b.setCount(n + 1)
	b.setKey(i, key)
	b.setRef(i, r)
}

// remove takes out the members at [from, to).
func (b block) remove(from, to int) {
	n, at, end := b.count(), b.keysAt(), b.size()
	copy(b[at+from*keySize:], b[at+to*keySize:at+n*keySize])
	copy(b[end-(n-to+from)*refSize:end-from*refSize], b[end-n*refSize:])
	b.setCount(n - (to - from))
}

// take appends the members [from, to) of c, with their keys, to b.
func (b block) take(c block, from, to int) {
	n := b.count()
	copy(b[b.keysAt()+n*keySize:], c[c.keysAt()+from*keySize:c.keysAt()+to*keySize])
	copy(b[b.size()-(n+to-from)*refSize:], c[c.size()-to*refSize:c.size()-from*refSize])
	b.setCount(n + to - from)
}

// The side of a block's scores on which more are to be expected.
type side uint8

const (
	bothSides side = iota
	lowSide
	highSide
)

// fit chooses base and shift for scores from low to high, with room on the sides.
func (b block) fit(low, high float64, room side) {
	first, last := sortable(low), sortable(high)
	used, before := keyBits-1, uint64(maxKey/4) // half of the keys in use, from a quarter on
	switch room {
	case highSide:
		used, before = keyBits-2, maxKey/32
	case lowSide:
		used, before = keyBits-2, maxKey/4*3-maxKey/32
	}
	shift := max(bits.Len64(last-first)-used, 0)
	binary.LittleEndian.PutUint64(b, first-min(first>>shift, before)<<shift)
	b[shiftAt] = byte(shift)
}
