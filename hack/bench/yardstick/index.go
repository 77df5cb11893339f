package yardstick

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// An index finds a member's node by the member's hash. It is a table with open addressing: a slot is a ref and
// a tag, kept in two arrays, and a member sits in the first slot that was free from its home onward.
//
//	         home of a hash = its upper 32 bits × slots / 2^32
//	                        |
//	tags  | 00 | 3f | 00 | 8a | 51 | 8a | 00 | …   lowest byte of the hash, never 0; 0 is a free slot
//	refs  |  0 | r1 |  0 | r2 | r3 | r4 |  0 | …   0 is a free slot
//
// A lookup compares eight tags at a time and looks at a node only where the tag is right. A removed member's slot
// is filled by moving a later one back, so there are no marks of the dead and a run of slots ends at the first
// free one.
//
// The index does not know hashes of what it holds: methods that need them take the function that does.
type index struct {
	tags  []uint8 // of each slot, then the first tagGroup-1 again so that a group can be read at any slot
	refs  []ref
	used  int
	pages *pages
}

const (
	tagGroup  = 8
	leastSlot = tagGroup // fewest slots
)

// indexFull says that a table is to grow, which it does by half.
func indexFull(slots, used int) bool { return used*5 > slots*4 }

// indexSlots is how many slots to make for a table that is to be about to grow at half as many members again.
func indexSlots(used int) int { return max(used*15/8, leastSlot) }

// newIndex makes a table of so many slots.
func newIndex(slots int, p *pages) index {
	return index{tags: p.bytes(slots + tagGroup - 1), refs: p.refs(slots), pages: p}
}

func (ix *index) slots() int { return len(ix.refs) }

func (ix *index) home(hash uint64) int { return int(hash >> 32 * uint64(len(ix.refs)) >> 32) }

func tagOf(hash uint64) uint8 { return max(uint8(hash), 1) }

// group reads the tags of eight slots, the first lowest.
func (ix *index) group(slot int) uint64 { return binary.LittleEndian.Uint64(ix.tags[slot:]) }

// after is the slot n further on.
func (ix *index) after(slot, n int) int {
	if slot += n; slot >= len(ix.refs) {
		slot -= len(ix.refs)
	}
	return slot
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// zeroBytes marks by their high bits the bytes of x that are 0. The lowest mark is right, those above it may be
// too many.
func zeroBytes(x uint64) uint64 { return (x - lowBits) &^ x & highBits }

// A probe goes through the slots where a hash may be.
type probe struct {
	slot    int    // of the group
	pattern uint64 // the tag, eight times
	match   uint64 // slots of the group still to be looked at, marked as by zeroBytes
	last    bool   // a free slot was seen
}

func (ix *index) probe(hash uint64) probe {
	p := probe{slot: ix.home(hash), pattern: uint64(tagOf(hash)) * lowBits}
	p.look(ix)
	return p
}

// look takes in the group at p.slot.
func (p *probe) look(ix *index) {
	tags := ix.group(p.slot)
	p.match = zeroBytes(tags ^ p.pattern)
	if free := zeroBytes(tags); free != 0 {
		p.match &= free&-free - 1
		p.last = true
	}
}

// next gives the next slot that may be the one sought.
func (p *probe) next(ix *index) (slot int, ok bool) {
	for p.match == 0 {
		if p.last {
			return 0, false
		}
		p.slot = ix.after(p.slot, tagGroup)
		p.look(ix)
	}
	slot = ix.after(p.slot, bits.TrailingZeros64(p.match)/8)
	p.match &= p.match - 1
	return slot, true
}

// insert enters r, which must not be there. There must be a free slot, see reserve.
func (ix *index) insert(hash uint64, r ref) {
	slot := ix.home(hash)
	free := zeroBytes(ix.group(slot))
	for free == 0 {
		slot = ix.after(slot, tagGroup)
		free = zeroBytes(ix.group(slot))
	}
	ix.set(ix.after(slot, bits.TrailingZeros64(free)/8), tagOf(hash), r)
	ix.used++
}

// set writes a slot.
func (ix *index) set(slot int, tag uint8, r ref) {
	ix.tags[slot], ix.refs[slot] = tag, r
	if slot < tagGroup-1 {
		ix.tags[len(ix.refs)+slot] = tag
	}
}

// remove empties a slot and moves later ones back so that each can still be reached from its home.
func (ix *index) remove(slot int, hashOf func(ref) uint64) {
	for probe := ix.after(slot, 1); ix.tags[probe] != 0; probe = ix.after(probe, 1) {
		home := ix.home(hashOf(ix.refs[probe]))
		// The slot is on this one's way from home if the way from home to here is at least as long as from
		// the slot to here.
		if ix.distance(home, probe) >= ix.distance(slot, probe) {
			ix.set(slot, ix.tags[probe], ix.refs[probe])
			slot = probe
		}
	}
	ix.set(slot, 0, 0)
	ix.used--
}

// distance is how many steps it takes forwards from one slot to another.
func (ix *index) distance(from, to int) int {
	if to -= from; to < 0 {
		to += len(ix.refs)
	}
	return to
}

// reserve makes sure that one more can be inserted.
func (ix *index) reserve(hashOf func(ref) uint64) {
	if indexFull(ix.slots(), ix.used+1) {
		ix.resize(indexSlots(ix.used+1), hashOf)
	}
}

func (ix *index) resize(slots int, hashOf func(ref) uint64) {
	old := *ix
	*ix = newIndex(slots, old.pages)
	for _, r := range old.refs {
		if r != 0 {
			ix.insert(hashOf(r), r)
		}
	}
	old.pages.drop(unsafe.Pointer(unsafe.SliceData(old.tags)), len(old.tags))
	old.pages.drop(unsafe.Pointer(unsafe.SliceData(old.refs)), len(old.refs)*unitBytes)
}

// bytes is the memory of the table beside the struct.
func (ix *index) bytes() int { return cap(ix.tags) + cap(ix.refs)*unitBytes }
