package zset

import "iter"

// Ascend gives the members of r and their scores in ascending order. The members' bytes are good until the set
// changes, which ends the sequence.
func (s *Set) Ascend(r Range) iter.Seq2[[]byte, float64] {
	return func(yield func([]byte, float64) bool) {
		r := s.clamp(r)
		if r.Len() == 0 {
			return
		}
		changes := s.changes
		at := s.packed.walk(r.Start, r.low, r.high).pos
		for n := r.Len(); n > 0; n-- {
			e := s.packed.entryAt(at)
			if !yield(e.member, e.score) || s.changes != changes {
				return
			}
			at = e.next
		}
	}
}

// Descend is Ascend from the other end.
func (s *Set) Descend(r Range) iter.Seq2[[]byte, float64] {
	return func(yield func([]byte, float64) bool) {
		r := s.clamp(r)
		if r.Len() == 0 {
			return
		}
		changes := s.changes
		end := s.packed.walk(r.End, r.low, r.high).pos
		for n := r.Len(); n > 0; n-- {
			e := s.packed.entryBefore(end)
			if !yield(e.member, e.score) || s.changes != changes {
				return
			}
			end = e.at
		}
	}
}

// All gives all members and their scores in ascending order, like Ascend.
func (s *Set) All() iter.Seq2[[]byte, float64] { return s.Ascend(Range{End: s.Len()}) }

// Scan gives about count members per call until all were given, in no particular order, while the set may
// change between calls. It begins with cursor 0, goes on with the returned one, and is complete when that is 0.
// A member that is in the set from the first call to the last is given at least once.
//
// A listpack is given whole in one call.
func (s *Set) Scan(cursor uint64, count int, yield func(member []byte, score float64)) (next uint64) {
	for member, score := range s.All() {
		yield(member, score)
	}
	return 0
}
