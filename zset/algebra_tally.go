package zset

import (
	"bytes"
	"hash/maphash"
	"math/bits"
)

// A tally is the working memory in which members of several sets are brought together. It holds copies of the
// members, one after another, so nothing in it points into a set or keeps one alive, and the garbage collector
// has nothing to follow; looking at a member costs no miss in the set that it is from.
//
//	entries | score, offset, size | score, offset, size | …   in the order in which they came
//	bytes   | member | member | …
//	slots   | 0 | tag, entry | 0 | tag, entry | …             open addressing, made when it is needed
type tally struct {
	entries []tallied
	members []byte
	slots   []uint64 // a power of two of them, at most half in use; none while there is no table
	seed    maphash.Seed
	seeded  bool
}

// tallied is one member.
type tallied struct {
	score  float64
	offset int
	size   uint32
	found  bool // by retain
}

const (
	// A slot is 24 bits of the hash above 40 bits with the number of the entry plus 1.
	entryBits  = 40
	leastSlots = 16
	// tallyEntryBytes is the size of tallied.
	tallyEntryBytes = 24
)

// reset empties the tally and keeps its memory.
func (t *tally) reset() { t.entries, t.members, t.slots = t.entries[:0], t.members[:0], t.slots[:0] }

func (t *tally) len() int { return len(t.entries) }

func (t *tally) memory() int {
	return cap(t.entries)*tallyEntryBytes + cap(t.members) + cap(t.slots)*8
}

// member is the bytes of an entry, good until the next reset.
func (t *tally) member(i int) []byte {
	e := &t.entries[i]
	end := e.offset + int(e.size)
	return t.members[e.offset:end:end]
}

// push adds a member, which must not be there, without entering it in a table.
func (t *tally) push(member []byte, score float64) {
	t.entries = append(t.entries, tallied{score: score, offset: len(t.members), size: uint32(len(member))})
	t.members = append(t.members, member...)
}

// gather adds the members of an input, joining scores with those that are there.
func (t *tally) gather(g Aggregate, x Input) {
	t.makeTable(max(x.Set.Len(), t.len()))
	for member, score := range x.Set.All() {
		score = number(g.weigh(x.Weight, score))
		free, i, ok := t.find(member)
		if ok {
			t.entries[i].score = g.join(t.entries[i].score, score)
			continue
		}
		t.slots[free.at] = free.tag | uint64(t.len()+1)
		t.push(member, score)
		if 2*t.len() >= len(t.slots) {
			t.makeTable(t.len())
		}
	}
}

// makeTable enters all members in a table with room for so many, if there is none yet.
func (t *tally) makeTable(entries int) {
	size := max(1<<bits.Len(uint(2*entries)), leastSlots)
	if len(t.slots) >= size {
		return
	}
	if !t.seeded {
		t.seed, t.seeded = maphash.MakeSeed(), true
	}
	if cap(t.slots) < size {
		t.slots = make([]uint64, size)
	} else {
		t.slots = t.slots[:size]
		clear(t.slots)
	}
	mask := uint64(size - 1)
	for i := range t.entries {
		hash := maphash.Bytes(t.seed, t.member(i))
		at := hash & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = hash>>entryBits<<entryBits | uint64(i+1)
	}
}

// vacancy is a slot in which a member can be entered, and the tag to put there.
type vacancy struct{ at, tag uint64 }

// find looks a member up in the table. If it is not there, free is where to enter it.
func (t *tally) find(member []byte) (free vacancy, i int, ok bool) {
	hash := maphash.Bytes(t.seed, member)
	tag := hash >> entryBits
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := t.slots[at]
		if slot == 0 {
			return vacancy{at, tag << entryBits}, 0, false
		}
		if slot>>entryBits == tag {
			if i := int(slot&(1<<entryBits-1)) - 1; bytes.Equal(t.member(i), member) {
				return vacancy{}, i, true
			}
		}
	}
}
