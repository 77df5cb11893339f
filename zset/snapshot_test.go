package zset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"zset.dev/operator/zset/slab"
)

// listed is a set of n members that is a skip list.
func listed(tb testing.TB, m Memory, n int) *Set {
	o := DefaultOptions()
	o.ListpackMaxEntries = 0
	t, err := NewTuning(o)
	if err != nil {
		tb.Fatal(err)
	}
	s := NewIn(m, t)
	for i := range n {
		s.Add(fmt.Appendf(nil, "member:%d", i), float64(i%(n/3+1)), 0)
	}
	return s
}

// However the set changes between the calls, a snapshot gives what there was when it began; several that overlap do so each
// by itself.
func TestSnapshotWhileTheSetChanges(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	heap := slab.New(slab.Options{})
	defer heap.Close()
	type running struct {
		sn        *Snapshot
		want, got []pair
	}
	rounds := 300
	if invariants {
		rounds = 20
	}
	for round := range rounds {
		s := listed(t, OffHeap(heap), 1+rng.IntN(500))
		var all []*running
		begin := func() {
			if s.Len() > 0 {
				all = append(all, &running{sn: s.Snapshot(), want: pairsOf(s)})
			}
		}
		begin()
		for len(all) > 0 {
			for range rng.IntN(20) {
				member := fmt.Appendf(nil, "member:%d", rng.IntN(600))
				switch rng.IntN(10) {
				case 0, 1, 2, 3:
					s.Add(member, float64(rng.IntN(300)), 0)
				case 4:
					s.Add(member, float64(rng.IntN(9)-4), Incr)
				case 5, 6:
					s.Remove(member)
				case 7:
					start := rng.IntN(s.Len() + 1)
					s.RemoveRange(s.ByRank(start, start+rng.IntN(10)))
				case 8:
					if rng.IntN(20) == 0 {
						s.Rebuild()
					}
				case 9:
					if rng.IntN(60) == 0 {
						s.Release()
					}
				}
			}
			if rng.IntN(30) == 0 && len(all) < 3 {
				begin()
			}
			i := rng.IntN(len(all))
			r := all[i]
			if r.sn.Next(1+rng.IntN(40), func(member []byte, score float64) {
				r.got = append(r.got, pair{string(member), score})
			}) {
				continue
			}
			r.sn.Close()
			slices.SortFunc(r.got, comparePairs)
			if !slices.Equal(r.got, r.want) || r.sn.Len() != len(r.want) {
				t.Fatalf("round %d: a snapshot of %d, Len %d, gives %d: %v, want %v", round, len(r.want), r.sn.Len(), len(r.got), r.got, r.want)
			}
			all = slices.Delete(all, i, i+1)
		}
		if err := s.check(); err != nil {
			t.Fatal(err)
		}
		s.Release()
	}
	if n := heap.InUse(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}

// A set that is released in the midst of a snapshot lasts for it, and no longer.
func TestSnapshotOutlastsTheSet(t *testing.T) {
	heap := slab.New(slab.Options{})
	defer heap.Close()
	s := listed(t, OffHeap(heap), 1000)
	want := pairsOf(s)
	sn := s.Snapshot()
	var got []pair
	take := func(member []byte, score float64) { got = append(got, pair{string(member), score}) }
	sn.Next(100, take)
	s.Release()
	if s.Len() != 0 || heap.InUse() == 0 {
		t.Errorf("the set has %d members, the snapshot %d bytes", s.Len(), heap.InUse())
	}
	s.Add([]byte("new"), 1, 0)
	for sn.Next(100, take) {
	}
	slices.SortFunc(got, comparePairs)
	if !slices.Equal(got, want) {
		t.Errorf("it gave %d members", len(got))
	}
	s.Release()
	sn.Close()
	sn.Close()
	if n := heap.InUse(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}

// Of a listpack, too, it gives what there was, in whatever the set turns into.
func TestSnapshotOfListpack(t *testing.T) {
	s := New(nil)
	for i := range 100 {
		s.Add(fmt.Appendf(nil, "member:%d", i), float64(i), 0)
	}
	want := pairsOf(s)
	sn := s.Snapshot()
	for i := range 1000 {
		s.Add(fmt.Appendf(nil, "new:%d", i), 1, 0)
	}
	var got []pair
	for more := true; more; {
		more = sn.Next(10, func(member []byte, score float64) { got = append(got, pair{string(member), score}) })
	}
	sn.Close()
	slices.SortFunc(got, comparePairs)
	if !slices.Equal(got, want) || sn.Len() != len(want) {
		t.Errorf("it gave %v", got)
	}
}

// What changes again and again is kept once, and what is new not at all.
func TestSnapshotKeepsLittle(t *testing.T) {
	s := listed(t, nil, 1000)
	defer s.Release()
	sn := s.Snapshot()
	defer sn.Close()
	for i := range 10_000 {
		s.Add([]byte("member:1"), float64(i), 0)
	}
	if n := sn.Kept(); n == 0 || n > 1000 {
		t.Errorf("it keeps %d bytes", n)
	}
}

func BenchmarkSnapshot(b *testing.B) {
	s := listed(b, nil, 200_000)
	defer s.Release()
	for b.Loop() {
		sn := s.Snapshot()
		for sn.Next(1000, func([]byte, float64) {}) {
		}
		sn.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200_000, "ns/member")
}
