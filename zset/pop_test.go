package zset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"zset.dev/operator/zset/slab"
)

// Members popped one by one come in order, from either end, down to the last.
func TestPopToTheEnd(t *testing.T) {
	heap := slab.New(slab.Options{})
	defer heap.Close()
	for _, lowest := range []bool{true, false} {
		s := listed(t, OffHeap(heap), 3000)
		want := pairsOf(s)
		if !lowest {
			slices.Reverse(want)
		}
		for i, w := range want {
			r := s.ByRank(0, 0)
			if !lowest {
				r = s.ByRank(-1, -1)
			}
			member, score, _ := s.At(r.Start)
			if got := (pair{string(member), score}); got != w || s.RemoveRange(r) != 1 {
				t.Fatalf("pop %d is %v, want %v", i, got, w)
			}
			if s.Len() > 0 && i%3 == 0 {
				if err := s.list.check(); err != nil {
					t.Fatal(fmt.Errorf("after pop %d: %w", i, err))
				}
			}
		}
		if s.Len() != 0 || heap.InUse() != 0 {
			t.Errorf("%d members and %d bytes are left", s.Len(), heap.InUse())
		}
	}
}

// Members come and go at both ends, some at a time, with scores beyond the others', or equal to the last one's.
func TestEnds(t *testing.T) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		o := DefaultOptions()
		o.ListpackMaxEntries, o.BlockEntries = 0, []int{4, 12, 64}[seed%3]
		tuning, err := NewTuning(o)
		if err != nil {
			t.Fatal(err)
		}
		s, m := NewSeeded(tuning, seed), newModel()
		least, most := 2*o.BlockEntries, 24*o.BlockEntries // in turn
		growing, number := true, 0
		for step := range 2000 {
			n := s.Len()
			growing = n < least || growing && n < most
			if n == 0 || (random.IntN(5) < 4) == growing {
				for range 1 + random.IntN(4) {
					score := 0.0
					if n = s.Len(); n > 0 {
						_, score, _ = s.At(random.IntN(2) * (n - 1))
					}
					score += []float64{-1, -0.25, 0, 0, 0.25, 1}[random.IntN(6)]
					if random.IntN(1000) == 0 {
						score = math.Inf(random.IntN(2)*2 - 1)
					}
					name := fmt.Sprintf("%d:%d", random.IntN(10), number)
					number++
					m.add(name, score, 0)
					if _, _, err := s.Add([]byte(name), score, 0); err != nil {
						t.Fatal(err)
					}
				}
			} else {
				some := 1
				if random.IntN(20) == 0 {
					some += random.IntN(100)
				}
				some = min(some, n)
				from := random.IntN(2) * (n - some)
				for _, p := range slices.Clone(m.sorted[from : from+some]) {
					m.remove(p.member)
				}
				s.RemoveRange(Range{Start: from, End: from + some})
			}
			if s.list == nil {
				continue
			}
			if err := s.list.check(); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
			if step%16 == 0 && !slices.Equal(pairsOf(s), m.sorted) {
				t.Fatalf("seed %d, step %d: members are not those of the model", seed, step)
			}
		}
	}
}
