package zset

// Remove takes member out, and returns the score it had.
func (s *Set) Remove(member []byte) (score float64, ok bool) {
	if s.list != nil {
		r, hash, ok := s.list.find(member)
		if !ok {
			return 0, false
		}
		if s.observer != nil {
			s.observer.Take(member)
		}
		score = s.list.records.score(r)
		if s.Len() == 1 {
			s.Release()
			return score, true
		}
		if s.list.watched() {
			s.list.note(member, score, true)
		}
		s.list.remove(r, hash, score, s.tuning.orDefault())
		s.list.compact(1)
		s.changed()
		return score, true
	}
	e, _, ok := s.packed.find(member)
	if !ok {
		return 0, false
	}
	if s.observer != nil {
		s.observer.Take(member)
	}
	s.packed.remove(e.at, e.next, 1)
	s.changed()
	return e.score, true
}

// RemoveRange takes the members of r out, and returns how many they were. In a listpack it is one move of
// what follows; in a skip list each level is cut once, however many members go.
func (s *Set) RemoveRange(r Range) int {
	if s.list != nil {
		return s.removeRanks(max(r.Start, 0), min(r.End, s.list.length))
	}
	r = s.clamp(r)
	switch {
	case r.Len() == 0:
		return 0
	case r.Len() == s.Len():
		s.Release()
		return r.Len()
	}
	if s.observer != nil {
		s.takeRange(r)
	}
	from := s.packed.walk(r.Start, r.low, r.high)
	to := s.packed.walk(r.End, from, r.high)
	s.packed.remove(from.pos, to.pos, r.Len())
	s.changed()
	return r.Len()
}

// removeRanks is RemoveRange for a skip list.
func (s *Set) removeRanks(start, end int) int {
	n := end - start
	switch {
	case n <= 0:
		return 0
	case n == s.list.length:
		s.Release()
		return n
	}
	if s.observer != nil {
		s.takeRange(Range{Start: start, End: end})
	}
	if s.list.watched() {
		s.list.noteRange(start, end)
	}
	s.list.removeRange(start, end, s.tuning.orDefault())
	s.list.compact(n)
	s.changed()
	return n
}
