package zset

import "zset.dev/operator/zset/hashindex"

// Scan gives about count members per call until all were given, in no particular order, while the set may
// change between calls. It begins with cursor 0, goes on with the returned one, and is complete when that is 0.
// A member that is in the set from the first call to the last is given at least once. The set must not be
// changed by yield: that ends the call, and members may be missed.
//
// A listpack is given whole in one call. In a skip list a call's work is bounded by count, not by the size of the
// set. A cursor is a number below hashindex.Positions; one that no call returned does no harm.
func (s *Set) Scan(cursor uint64, count int, yield func(member []byte, score float64)) (next uint64) {
	if s.list != nil {
		return s.scanList(cursor, max(count, 1), yield)
	}
	for member, score := range s.All() {
		yield(member, score)
	}
	return 0
}

// scanList goes through the index in the order of hashes: what lies before the cursor has been given.
func (s *Set) scanList(cursor uint64, count int, yield func([]byte, float64)) (next uint64) {
	l, changes := s.list, s.changes
	next = l.index.Scan(cursor, hashindex.Positions, count, l, func(r hashindex.Ref) bool {
		yield(l.records.pair(ref(r)))
		return s.changes == changes
	})
	return next & (hashindex.Positions - 1)
}
