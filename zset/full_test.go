package zset

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestNoMemory gives a set a Memory that runs out again and again. Whatever then fails must say so and have changed
// nothing, and what needs no memory must work on.
func TestNoMemory(t *testing.T) {
	refused := map[string]int{}
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			tuning, err := NewTuning(historyTunings[1+seed%4])
			if err != nil {
				t.Fatal(err)
			}
			memory, m := newTestMemory(), newModel()
			s := NewSeeded(tuning, seed)
			s.memory = memory
			for step := range 600 {
				memory.limit = memory.bytes + random.IntN(1500) - 300
				member, score := fmt.Appendf(nil, "%d", random.IntN(300)), float64(random.IntN(100))
				if random.IntN(40) == 0 {
					member = append(member, make([]byte, longMember)...)
				}
				switch random.IntN(10) {
				default:
					old, there := s.Score(member)
					now, r, err := s.Add(member, score, 0)
					if err == nil {
						m.add(string(member), score, 0)
						break
					}
					if err != ErrFull || r != Skipped || now != old {
						t.Fatalf("step %d: Add = %v, %v, %v", step, now, r, err)
					}
					refused[fmt.Sprintf("add, there %v", there)]++
				case 0, 1, 2:
					_, want := m.remove(string(member))
					if _, ok := s.Remove(member); ok != want {
						t.Fatalf("step %d: Remove = %v, want %v", step, ok, want)
					}
				case 3:
					start := random.IntN(s.Len() + 1)
					end := min(start+random.IntN(20), s.Len())
					m.removeRange(start, end)
					if n := s.RemoveRange(Range{Start: start, End: end}); n != end-start {
						t.Fatalf("step %d: RemoveRange = %d, want %d", step, n, end-start)
					}
				case 4:
					if s.Rebuild() == ErrFull {
						refused["rebuild"]++
					}
				}
				if err := s.check(); err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				i := 0
				for member, score := range s.All() {
					if i >= len(m.sorted) || !isPair(m.sorted[i], member, score) {
						t.Fatalf("step %d: rank %d is %.20q %v", step, i, member, score)
					}
					i++
				}
				if i != len(m.sorted) {
					t.Fatalf("step %d: %d members, want %d", step, i, len(m.sorted))
				}
			}
			s.Release()
			if len(memory.taken) > 0 {
				t.Errorf("%d arrays are left", len(memory.taken))
			}
		})
	}
	for _, what := range []string{"add, there false", "add, there true", "rebuild"} {
		if refused[what] == 0 {
			t.Errorf("%s was never refused: %v", what, refused)
		}
	}
}

// TestFull lowers the number of segments that records may have, and shows what a set does at that limit.
func TestFull(t *testing.T) {
	tuning, err := NewTuning(Options{P: 0.25, MaxLevel: 16})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1000, 20_000} {
		t.Run(fmt.Sprintf("members of %d bytes", size), func(t *testing.T) {
			s := NewSeeded(tuning, 1)
			member := func(i int) []byte { return fmt.Appendf(nil, "%0*d", size, i) }
			s.Add(member(0), 0, 0)
			s.list.records.limit = 3
			n := 1
			for ; ; n++ {
				before := s.Len()
				_, r, err := s.Add(member(n), float64(n), 0)
				if err == nil {
					continue
				}
				if err != ErrFull || r != Skipped || s.Len() != before {
					t.Fatalf("Add to a full set = %v, %v, %d members", r, err, s.Len())
				}
				break
			}
			if least := 3*segmentBytes/(size+20) - 3; n < least {
				t.Errorf("full with %d members, want %d or more", n, least)
			}
			for i := range n { // they can still move
				if _, r, err := s.Add(member(i), float64(-i-1), 0); r != Updated || err != nil {
					t.Fatalf("Add of a member of a full set = %v, %v", r, err)
				}
			}
			for i := range 10 { // and where one left there is room for one
				s.Remove(member(i))
				if _, r, err := s.Add(member(n+i), 1, 0); r != Added || err != nil {
					t.Fatalf("Add after Remove = %v, %v", r, err)
				}
			}
			if s.Rebuild() != nil {
				t.Error("what fits does not fit into a new list")
			}
			before := s.Len()
			s.list.records.limit = 1
			if s.Rebuild() != ErrFull {
				t.Error("rebuilt beyond the limit")
			}
			if err := s.check(); err != nil || s.Len() != before {
				t.Errorf("%d members, before %d: %v", s.Len(), before, err)
			}
		})
	}
}

func TestTooLong(t *testing.T) {
	s := NewSeeded(nil, 1)
	long := make([]byte, maxMember+1) // never touched, so it takes no memory
	if _, r, err := s.Add(long, 1, 0); r != Skipped || err != ErrFull || s.Len() != 0 {
		t.Errorf("Add of %d bytes = %v, %v", len(long), r, err)
	}
	if _, ok := s.Score(long); ok {
		t.Error("found")
	}
}
