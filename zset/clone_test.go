package zset

import (
	"errors"
	"fmt"
	"testing"
)

// A clone has the same members and nothing else in common.
func TestClone(t *testing.T) {
	for _, n := range []int{0, 1, 100, 129, 5000} {
		if invariants && n > 200 {
			continue
		}
		s, memory := New(nil), newTestMemory()
		for i := range n {
			s.Add(fmt.Append(nil, i), float64(i%7), 0)
		}
		before := pairsOf(s)
		c, err := s.CloneIn(memory, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !samePairs(pairsOf(c), before) || c.Encoding() != s.Encoding() {
			t.Errorf("%d members: the clone is a %v of %v", n, c.Encoding(), pairsOf(c))
		}
		c.Add([]byte("0"), 99, 0)
		c.Add([]byte("new"), 1, 0)
		if !samePairs(pairsOf(s), before) {
			t.Errorf("%d members: a change of the clone is one of the set", n)
		}
		if err := c.check(); err != nil {
			t.Error(err)
		}
		c.Release()
		if memory.bytes != 0 {
			t.Errorf("%d bytes are left", memory.bytes)
		}
		memory.limit = 100
		if c, err := s.CloneIn(memory, nil); n > 128 && (!errors.Is(err, ErrFull) || c != nil || memory.bytes != 0) {
			t.Errorf("%d members without memory: %v, %d bytes are left", n, err, memory.bytes)
		}
	}
}

func BenchmarkClone(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, _ := benchSet(t, n)
		for b.Loop() {
			if _, err := s.CloneIn(nil, t); err != nil {
				b.Fatal(err)
			}
		}
	})
}
