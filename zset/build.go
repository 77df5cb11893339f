package zset

import (
	"bytes"
	"errors"
	"iter"
	"math"
)

// ErrOrder is what Build returns when a member does not come after the one before it.
var ErrOrder = errors.New("zset: members to build from are not in ascending order")

// Build makes a set of the members that ascending gives: n of them, distinct, in the order of a set. It is a
// listpack when the options allow, else a skip list. Members are copied, so the sequence may hand out the same
// bytes again and again. A wrong n costs memory or time, and does no harm to the set.
//
// It returns ErrOrder when the members are not in order, ErrNaN and ErrFull as Add does; then there is no set.
func Build(t *Tuning, n int, ascending iter.Seq2[[]byte, float64]) (*Set, error) {
	s := New(t)
	if err := s.load(n, ascending); err != nil {
		s.Release()
		return nil, err
	}
	return s, nil
}

// load fills the empty set s. This is the place of the path that knows, from n and from the order, where each
// member goes without a search. Until it is here an Add at the end does, which is the cheapest of them.
func (s *Set) load(_ int, ascending iter.Seq2[[]byte, float64]) error {
	var last []byte
	lastScore := math.Inf(-1)
	for member, score := range ascending {
		if s.Len() > 0 && (score < lastScore || score == lastScore && bytes.Compare(member, last) <= 0) {
			return ErrOrder
		}
		switch _, r, err := s.Add(member, score, NX); {
		case err != nil:
			return err
		case r != Added: // it was there with a lower score
			return ErrOrder
		}
		last, lastScore = append(last[:0], member...), score
	}
	return nil
}
