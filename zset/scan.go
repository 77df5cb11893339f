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

// scanList goes through the index in the order of hashes. The cursor is a position among the upper halves of hashes:
// what lies before it has been given. As that does not depend on the tables, nor on the order in which members
// came, members are neither missed nor, but for those that were removed and added again, given twice when the index has
// grown or shrunk between calls.
//
// It gives whole buckets until they had count members, or were as many as count, when most are empty.
func (s *Set) scanList(cursor uint64, count int, yield func([]byte, float64)) (next uint64) {
	if cursor >= 1<<32 {
		return 0
	}
	l, changes := s.list, s.changes
	for given, seen := 0, 0; given < count && seen < count; seen++ {
		t := l.index.tableOf(cursor << 32)
		home := t.home(t.fraction(cursor << 32))
		next = t.firstHash(cursor, home+1)
		for at := home; ; at = t.after(at) {
			b := t.bucket(at)
			for slot := range bucketSlots {
				if b[slot] == 0 {
					continue
				}
				r := bucketRef(b, slot)
				if h := l.hashOf(r) >> 32; cursor <= h && h < next {
					given++
					if yield(l.records.pair(r)); s.changes != changes {
						return next & (1<<32 - 1)
					}
				}
			}
			if overflow(b) == 0 || at == home-1 || home == 0 && at == int(t.buckets)-1 {
				break
			}
		}
		if cursor = next; cursor == 1<<32 {
			return 0
		}
	}
	return cursor
}

// firstHash is the least upper half of a hash whose home is the given bucket or beyond it, in the table where the hash
// that has the upper half within belongs; where there is no such bucket, the first of the next table.
func (t *table) firstHash(within uint64, bucket int) uint64 {
	width := uint64(1) << (32 - t.depth) // how many upper halves belong to the table
	return within&^(width-1) + uint64(t.least(bucket))<<(32-fractionBits-t.depth)
}
