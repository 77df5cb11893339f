package keyspace

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"zset.dev/operator/zset"
)

func TestFragmentationReached(t *testing.T) {
	f := Fragmentation{Percent: 10, Bytes: 1000}
	for _, c := range []struct {
		inUse, mapped int64
		want          bool
	}{
		{0, 900, false},
		{0, 1001, true},
		{100_000, 110_000, false},
		{100_000, 110_001, true},
		{5000, 6000, false},
		{5000, 6001, true},
	} {
		if got := f.reached(c.inUse, c.mapped); got != c.want {
			t.Errorf("%d of %d in use: %v", c.inUse, c.mapped, got)
		}
	}
}

// After most keys were removed at random, the memory is given back, and the
// rest holds what it held.
func TestDefragment(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	ks := New()
	keys := names(40_000)
	fillSmall(ks, keys, fiveMembers, rng)
	for i, key := range keys {
		var h Held
		ks.Hold(&h, noon, key)
		e := h.Find(key)
		if i%100 == 0 { // a few skip lists, and keys that expire
			set := e.Write(nil)
			for j := range 200 {
				set.Add(fmt.Append(nil, "more", j), 1, 0)
			}
			h.Settle(e)
		}
		if i%3 == 0 {
			h.SetExpiry(e, noon+int64(1+rng.IntN(1000)))
		}
		if rng.IntN(10) > 0 {
			h.Remove(e)
		}
		h.Release()
	}
	content := func() (all map[string]string) {
		all = map[string]string{}
		ks.Each(nil, noon, func(e *Entry) {
			all[e.Key()] = fmt.Sprint(e.ExpireAt(), e.Idle(noon), sum(e.Set()))
		})
		return all
	}
	want := content()
	ks.Trim()
	inUse, before := ks.OffHeap()
	from := Fragmentation{Percent: 10, Bytes: 100_000}
	ks.Defragment(from, func() bool { return false })
	if running, hits, misses := ks.Defragmented(); !running || hits+misses != 0 {
		t.Errorf("without time: running %v, %d moved, %d not", running, hits, misses)
	}
	calls := 0
	for ; ks.defrag.resting == 0 && calls < 10_000; calls++ {
		steps := 0
		ks.Defragment(from, func() bool { steps++; return steps <= 10 })
		if calls == 5 {
			checkSums(t, ks)
		}
	}
	ks.Trim()
	_, after := ks.OffHeap()
	running, hits, misses := ks.Defragmented()
	t.Logf("%d bytes in use, %d mapped before and %d after; %d moved, %d not, in %d calls", inUse, before, after, hits, misses, calls)
	if after > before/2 || after > 2*inUse || hits == 0 || running {
		t.Error("that is not what it should be")
	}
	checkSums(t, ks)
	got := content()
	if len(got) != len(want) {
		t.Fatalf("%d keys, want %d", len(got), len(want))
	}
	for key := range want {
		if got[key] != want[key] {
			t.Errorf("key %q: %s, want %s", key, got[key], want[key])
		}
	}
	clearAll(ks)
	checkEmpty(t, ks)
}

func sum(set *zset.Set) (sum float64) {
	for _, score := range set.All() {
		sum += score
	}
	return sum + float64(set.Len())
}
