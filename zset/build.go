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
	return BuildIn(nil, t, n, ascending)
}

// BuildIn is Build for a set that has its skip list in m, as NewIn makes.
func BuildIn(m Memory, t *Tuning, n int, ascending iter.Seq2[[]byte, float64]) (*Set, error) {
	s := NewIn(m, t)
	if err := s.load(n, ascending); err != nil {
		s.Release()
		return nil, err
	}
	return s, nil
}

// load fills the empty set s with about n members.
func (s *Set) load(n int, ascending iter.Seq2[[]byte, float64]) error {
	b := builder{set: s, expect: min(n, 1<<22)} // the word is not taken for more
	for member, score := range ascending {
		if err := b.add(member, score); err != nil {
			return err
		}
	}
	if b.appender != nil {
		b.appender.finish()
	}
	s.changed()
	return nil
}

// A builder appends to a set what comes in order.
type builder struct {
	set      *Set
	appender *appender // once there is a list
	expect   int
	last     []byte // a copy of the last member
	score    float64
}

func (b *builder) add(member []byte, score float64) error {
	s := b.set
	switch {
	case math.IsNaN(score):
		return ErrNaN
	case len(member) > maxMember:
		return ErrFull
	case s.Len() > 0 && (score < b.score || score == b.score && bytes.Compare(member, b.last) <= 0):
		return ErrOrder
	}
	b.last, b.score = append(b.last[:0], member...), score
	if s.list == nil {
		if _, _, there := s.packed.find(member); there { // with a lower score
			return ErrOrder
		}
		if !s.outgrown(s.packed.len()+1, len(member)) {
			if !s.packed.insert(s.packed.end(), member, score) {
				return ErrFull
			}
			return nil
		}
		if b.appender = s.convertTo(b.expect); b.appender == nil {
			return ErrFull
		}
	}
	_, hash, there := s.list.find(member)
	if there {
		return ErrOrder
	}
	if !b.appender.append(member, hash, score) {
		return ErrFull
	}
	return nil
}
