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
	switch {
	case s.list != nil:
		if s.list.watched() {
			s.list.noteRange(r.Start, r.End)
		}
		s.list.removeRange(r.Start, r.End, s.tuning.orDefault())
		s.list.compact(r.Len())
	default:
		from := s.packed.walk(r.Start, r.low, r.high)
		to := s.packed.walk(r.End, from, r.high)
		s.packed.remove(from.pos, to.pos, r.Len())
	}
	s.changed()
	return r.Len()
}
