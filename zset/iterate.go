package zset

import "iter"

// Ascend gives the members of r and their scores in ascending order. The members' bytes are good until the set
// changes; a change ends the sequence.
func (s *Set) Ascend(r Range) iter.Seq2[[]byte, float64] {
	return func(yield func([]byte, float64) bool) {
		if r := s.clamp(r); r.Len() == 0 {
			return
		} else if s.list != nil {
			s.ascendList(r, yield)
		} else {
			s.ascendPacked(r, yield)
		}
	}
}

// Descend is Ascend from the other end.
func (s *Set) Descend(r Range) iter.Seq2[[]byte, float64] {
	return func(yield func([]byte, float64) bool) {
		if r := s.clamp(r); r.Len() == 0 {
			return
		} else if s.list != nil {
			s.descendList(r, yield)
		} else {
			s.descendPacked(r, yield)
		}
	}
}

// All gives all members and their scores in ascending order, like Ascend.
func (s *Set) All() iter.Seq2[[]byte, float64] {
	return func(yield func([]byte, float64) bool) { s.Ascend(Range{End: s.Len()})(yield) }
}

func (s *Set) ascendPacked(r Range, yield func([]byte, float64) bool) {
	changes := s.changes
	at := s.packed.walk(r.Start, r.low, r.high).pos
	for n := r.Len(); n > 0; n-- {
		start, stop := s.packed.fields(at)
		if !yield(s.packed.buf[start:stop:stop], s.packed.scoreAt(at)) || s.changes != changes {
			return
		}
		at = stop
	}
}

// descendAtOnce is how many entries of a listpack are gone through forwards for a walk backwards.
const descendAtOnce = 128

func (s *Set) descendPacked(r Range, yield func([]byte, float64) bool) {
	changes := s.changes
	low := s.packed.walk(r.Start, r.low, r.high)
	for n := r.Len(); n > 0; {
		var offsets [descendAtOnce]int
		some := min(n, descendAtOnce)
		p := s.packed.walk(r.Start+n-some, low, low)
		for i := range some {
			offsets[i] = p.pos
			_, p.pos = s.packed.fields(p.pos)
		}
		for i := some - 1; i >= 0; i-- {
			start, stop := s.packed.fields(offsets[i])
			if !yield(s.packed.buf[start:stop:stop], s.packed.scoreAt(offsets[i])) || s.changes != changes {
				return
			}
		}
		n -= some
	}
}

func (s *Set) ascendList(r Range, yield func([]byte, float64) bool) {
	changes := s.changes
	s.list.ascendFrom(s.list.walk(r.Start, r.low, r.high), r.Len(), func(member []byte, score float64) bool {
		return yield(member, score) && s.changes == changes
	})
}

func (s *Set) descendList(r Range, yield func([]byte, float64) bool) {
	changes := s.changes
	s.list.descendFrom(s.list.walk(r.End-1, r.low, r.high), r.Len(), func(member []byte, score float64) bool {
		return yield(member, score) && s.changes == changes
	})
}
