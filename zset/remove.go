package zset

// Remove takes member out, and returns the score it had.
func (s *Set) Remove(member []byte) (score float64, ok bool) {
	e, _, ok := s.packed.find(member)
	if !ok {
		return 0, false
	}
	s.packed.remove(e.at, e.next, 1)
	s.changes++
	return e.score, true
}

// RemoveRange takes the members of r out, and returns how many they were. In a listpack it is one move of
// what follows, in a skip list each level is cut once, however many members go.
func (s *Set) RemoveRange(r Range) int {
	r = s.clamp(r)
	if r.Len() == 0 {
		return 0
	}
	from := s.packed.walk(r.Start, r.low, r.high)
	to := s.packed.walk(r.End, from, r.high)
	s.packed.remove(from.pos, to.pos, r.Len())
	s.changes++
	return r.Len()
}
