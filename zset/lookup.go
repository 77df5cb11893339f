package zset

// Score returns the member's score.
func (s *Set) Score(member []byte) (float64, bool) {
	if s.list != nil {
		if r, _, ok := s.list.find(member); ok {
			return s.list.records.score(r), true
		}
		return 0, false
	}
	e, _, ok := s.packed.find(member)
	return e.score, ok
}

// Rank returns how many members come before this one, and its score. Its rank from the other end is
// Len()-1-rank.
func (s *Set) Rank(member []byte) (rank int, score float64, ok bool) {
	if s.list != nil {
		r, _, ok := s.list.find(member)
		if !ok {
			return 0, 0, false
		}
		score = s.list.records.score(r)
		return s.list.rank(r, score), score, true
	}
	e, rank, ok := s.packed.find(member)
	return rank, e.score, ok
}

// At returns the member with the given rank; ok is false when there is none. Its bytes are good until the set
// changes.
func (s *Set) At(rank int) (member []byte, score float64, ok bool) {
	if rank < 0 || rank >= s.Len() {
		return nil, 0, false
	}
	if s.list != nil {
		at := s.list.seekRank(rank)
		member, score = s.list.records.pair(s.list.blocks.at(at.block).ref(at.i))
		return member, score, true
	}
	low, high := s.packed.ends()
	e := s.packed.entryAt(s.packed.walk(rank, low, high).pos)
	return e.member, e.score, true
}
