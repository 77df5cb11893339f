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

// A clone is what its own tuning allows.
func TestCloneFollowsTuning(t *testing.T) {
	s := New(nil)
	for i := range 10 {
		s.Add(fmt.Append(nil, "member:", i), float64(i), 0)
	}
	for _, test := range []struct {
		entries, bytes int
		want           Encoding
	}{{10, 8, Listpack}, {9, 8, SkipList}, {10, 7, SkipList}} {
		o := DefaultOptions()
		o.ListpackMaxEntries, o.ListpackMaxValueBytes = test.entries, test.bytes
		tuning, err := NewTuning(o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.CloneIn(nil, tuning)
		if err != nil || c.Encoding() != test.want || !samePairs(pairsOf(c), pairsOf(s)) {
			t.Errorf("%d entries of %d bytes allowed: %v, %v %v", test.entries, test.bytes, err, c.Encoding(), pairsOf(c))
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
