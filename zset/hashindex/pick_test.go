package hashindex

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPick holds the frequencies of picks against even ones: their chi-square must be within six deviations of
// what chance gives. Slots with few keys must not be picked more often than others.
func TestPick(t *testing.T) {
	for _, spread := range spreads {
		for _, members := range []int{1, 7, 5000, 30_000} {
			random := rand.New(rand.NewPCG(7, uint64(members)))
			h := &testHasher{}
			ix := New(nil)
			for range members {
				hash := spread.hash(random)
				ix.Reserve(hash, h)
				ix.Insert(hash, h.add(hash))
			}
			picks := 20 * members
			counts := make([]int, members)
			for range picks {
				r, ok := ix.Pick(random)
				if !ok {
					t.Fatalf("%s, %d refs: none picked", spread.name, members)
				}
				counts[r]++
			}
			statistic := 0.0
			for _, count := range counts {
				d := float64(count) - 20
				statistic += d * d / 20
			}
			free := float64(members - 1)
			if statistic > free+6*math.Sqrt(2*free)+1e-9 {
				t.Errorf("%s, %d refs: chi-square is %.0f of %.0f", spread.name, members, statistic, free)
			}
		}
	}
}

// TestPickFew picks from an index most of which is empty, and from one that is wholly.
func TestPickFew(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	h := &testHasher{}
	ix := New(nil)
	if _, ok := ix.Pick(random); ok {
		t.Error("picked from nothing")
	}
	ix.Prepare(1_000_000)
	if _, ok := ix.Pick(random); ok {
		t.Error("picked from empty tables")
	}
	ix.Insert(1<<63, h.add(1<<63))
	if r, ok := ix.Pick(random); r != 0 || !ok {
		t.Errorf("picked %d, %v", r, ok)
	}
}
