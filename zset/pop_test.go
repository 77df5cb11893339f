package zset

import (
	"fmt"
	"slices"
	"testing"

	"zset.dev/operator/zset/slab"
)

// Members popped one by one come in order, from either end, down to the last.
func TestPopToTheEnd(t *testing.T) {
	heap := slab.New(slab.Options{})
	defer heap.Close()
	for _, lowest := range []bool{true, false} {
		s := listed(t, OffHeap(heap), 1000)
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
			if s.Len() > 0 {
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
