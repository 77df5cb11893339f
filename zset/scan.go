package zset

// Scan gives about count members per call until all were given, in no particular order, while the set may
// change between calls. It begins with cursor 0, goes on with the returned one, and is complete when that is 0.
// A member that is in the set from the first call to the last is given at least once. The set must not be
// changed by yield: that ends the call, and members may be missed.
//
// A listpack is given whole in one call. In a skip list a call's work is bounded by count, not by the size of the
// set. A cursor is a number below 2^32; one that no call returned does no harm.
func (s *Set) Scan(cursor uint64, count int, yield func(member []byte, score float64)) (next uint64) {
	if s.list != nil {
		return s.scanList(cursor, max(count, 1), yield)
	}
	for member, score := range s.All() {
		yield(member, score)
	}
	return 0
}

// sparse bounds the slots looked at for each member that is wanted: tables that have lost most of their members
// are gone through in small steps too.
const sparse = 16

// scanList goes through the index in the order of homes. The cursor is a position among the upper 32 bits of hashes:
// what lies before it has been given. As that does not depend on the number of slots, nor on the order in which
// members came, members are neither missed nor, but for those that were removed and added again, given twice when
// the index has grown or shrunk between calls.
func (s *Set) scanList(cursor uint64, count int, yield func([]byte, float64)) (next uint64) {
	if cursor >= 1<<32 {
		return 0
	}
	l, changes := s.list, s.changes
	slots := l.index.slots()
	first := l.index.home(cursor << 32)
	// As many homes as have about count members between them.
	count = min(count, l.len())
	past := first + max(min(count*slots/l.len(), count*sparse), 1)
	next = l.index.firstHash(past)
	// Members whose homes are in [first, past) are in these slots or beyond them up to the first free one.
	for slot, n := first, 0; n < slots && (n < past-first || l.index.refs[slot] != 0); n++ {
		if r := l.index.refs[slot]; r != 0 {
			nd := l.at(r)
			if at := l.hashOf(r) >> 32; cursor <= at && (at < next || next == 0) {
				if yield(nd.member(), nd.score()); s.changes != changes {
					break
				}
			}
		}
		slot = l.index.after(slot, 1)
	}
	return next
}
