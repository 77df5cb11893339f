package zset

// Room is where an owner of small sets keeps their bytes, say behind the key in one allocation.
type Room interface {
	// Resize is called when the block of a set that works on the owner's memory needs size bytes: more than its
	// capacity, or less than half of it. It returns memory of at least that capacity that begins with the bytes of block,
	// which may be where it was or elsewhere; the set does not touch block again. When block is nil it is the first
	// memory that the set needs. With nil, when there is no memory, an Add fails with ErrFull; a removal works as well
	// with what there is, so Resize may always return nil when it is asked for less.
	Resize(block []byte, size int) []byte
}

// Attach makes s, which must be empty, the set whose bytes are in block, from an earlier Detach; nil is the empty set.
// Until Detach, s works on this memory in place, up to the capacity of block, and asks room for more. So an owner of
// many small sets needs one Set to work on all of them, one after another, and keeps nothing for each but its bytes.
//
// The bytes are trusted. Attach costs nothing in proportion to them.
func (s *Set) Attach(block []byte, room Room) {
	s.Release()
	if len(block) > 0 {
		s.packed.buf = block
	}
	s.packed.room = room
	s.changes++ // what Ranges remember is of another set
}

// Detach ends what Attach began, and leaves s empty. If the set is a listpack, block has its bytes, in the memory
// given or returned by Resize last; nil when it is empty. If it is a skip list, large is the set: it
// holds all its members by itself, and the memory attached is of no use to it any more.
func (s *Set) Detach() (block []byte, large *Set) {
	if s.list != nil {
		large = &Set{tuning: s.tuning, memory: s.memory, list: s.list, changes: s.changes}
	} else {
		block = s.packed.buf
	}
	s.packed, s.list = listpack{}, nil
	s.changes++
	return block, large
}

// PackedLen is the number of members in a block of bytes from Detach.
func PackedLen(block []byte) int {
	if len(block) == 0 {
		return 0
	}
	lp := listpack{buf: block}
	return lp.len()
}

// PackedSize is the number of bytes that a member with that score takes of a block. A block of several is
// PackedHead bytes larger than their sum.
func PackedSize(member []byte, score float64) int {
	var scratch [9]byte
	return len(appendScore(scratch[:0], score)) + packedLen(uint64(len(member))) + len(member)
}

// PackedHead is the bytes of a block beside its members.
const PackedHead = listpackHeader
