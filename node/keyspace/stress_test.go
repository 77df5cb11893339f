package keyspace

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"zset.dev/operator/zset"
)

// Writers give all members of a key the same score, under one hold; whoever
// reads a key must find them equal, wherever its record and its set have moved
// meanwhile. The race detector does not see records: this does.
func TestStress(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const workers, keys = 6, 50
	rounds := 3000
	if testing.Short() {
		rounds = 500
	}
	ks := New()
	stop, reclaimed := make(chan struct{}), make(chan struct{})
	go func() {
		ks.Reclaim(stop)
		close(reclaimed)
	}()
	o := zset.DefaultOptions()
	o.ListpackMaxEntries = 20
	tuning, err := zset.NewTuning(o)
	if err != nil {
		t.Fatal(err)
	}
	equal := func(e *Entry) {
		var scores []float64
		for _, score := range e.Set().All() {
			scores = append(scores, score)
		}
		for _, score := range scores {
			if score != scores[0] || len(scores) != e.Set().Len() {
				t.Errorf("key %q: scores %v", e.Key(), scores)
				return
			}
		}
	}
	var group sync.WaitGroup
	for w := range workers {
		rng := rand.New(rand.NewPCG(seed, uint64(w)))
		group.Go(func() {
			var h Held
			for range rounds {
				key, other := fmt.Append(nil, "k", rng.IntN(keys)), fmt.Append(nil, "k", rng.IntN(keys))
				switch rng.IntN(12) {
				case 0, 1, 2:
					ks.HoldShared(&h, noon, key, other)
					for _, k := range [][]byte{key, other} {
						if e := h.Find(k); e != nil {
							equal(e)
						}
					}
				case 3:
					ks.Scan(nil, rng.Uint64N(partitionCount*cursorPositions), 20, noon, equal)
					continue
				case 4:
					ks.Hold(&h, noon, key, other)
					if e := h.Find(key); e != nil && string(key) != string(other) {
						h.Rename(e, other)
						equal(h.Find(other))
					}
				case 5:
					ks.Hold(&h, noon, key)
					h.Drop(key)
				case 6:
					ks.Hold(&h, noon, key)
					if e := h.Find(key); e != nil {
						h.SetExpiry(e, noon+rng.Int64N(2)*1000)
					}
				case 7:
					ks.Evict("allkeys-lru", 5, noon)
					if w == 0 { // one goroutine may
						ks.ExpireDue(noon, 10)
					}
					continue
				case 8:
					if rng.IntN(20) == 0 {
						ks.HoldAll(&h, noon)
						h.Clear(rng.IntN(2) == 0)
						break
					}
					fallthrough
				default:
					ks.Hold(&h, noon, key)
					e := h.Find(key)
					if e == nil {
						e = create(&h, key)
					}
					set := e.Write(tuning)
					score := float64(rng.IntN(1000))
					for _, member := range members(set) {
						set.Add(member, score, 0)
					}
					for range rng.IntN(20) {
						set.Add(fmt.Append(nil, "m", rng.IntN(60)), score, 0)
					}
					if rng.IntN(3) == 0 {
						set.RemoveRange(set.ByRank(0, rng.IntN(40)))
					}
					h.Settle(e)
				}
				h.Release()
			}
		})
	}
	group.Wait()
	checkSums(t, ks)
	clearAll(ks)
	close(stop)
	<-reclaimed
	checkEmpty(t, ks)
	if pending, freed := ks.Reclaimed(); pending != 0 || freed == 0 {
		t.Errorf("%d keys are left to the reclaimer, which had %d", pending, freed)
	}
}

// members is copies of them.
func members(set *zset.Set) (all [][]byte) {
	for member := range set.All() {
		all = append(all, append([]byte(nil), member...))
	}
	return all
}

// What is large is given back by the reclaimer, and does not count as used
// meanwhile.
func TestReclaim(t *testing.T) {
	ks := New()
	stop, done := make(chan struct{}), make(chan struct{})
	ks.reclaimer.running.Store(true) // there is one, if a slow one
	key := []byte("large")
	fill := func() {
		var h Held
		ks.Hold(&h, noon, key)
		e := create(&h, key)
		for i := range 20_000 {
			e.Write(nil).Add(fmt.Append(nil, "member", i), float64(i), 0)
		}
		h.Settle(e)
		h.Release()
	}
	for i, drop := range []func(h *Held){
		func(h *Held) { h.Drop(key) },
		func(h *Held) {
			set := zset.NewIn(ks.Memory(), nil)
			set.Add([]byte("small"), 1, 0)
			h.Put(key, set, 0)
			h.Drop(key)
		},
		func(h *Held) {
			e := h.Find(key)
			set := e.Write(nil)
			set.RemoveRange(set.ByRank(0, -1)) // frees it itself
			h.Settle(e)
		},
		func(h *Held) { h.Clear(false) },
	} {
		fill()
		var h Held
		ks.HoldAll(&h, noon)
		drop(&h)
		h.Release()
		want := []int64{1, 2, 2, 3}[i]
		if pending, freed := ks.Reclaimed(); pending != want || freed != 0 || ks.Used() != 0 {
			t.Errorf("drop %d: %d pending, %d freed, %d bytes used; want %d pending and nothing else", i, pending, freed, ks.Used(), want)
		}
	}
	go func() {
		ks.Reclaim(stop)
		close(done)
	}()
	close(stop)
	<-done
	if pending, freed := ks.Reclaimed(); pending != 0 || freed != 3 {
		t.Errorf("%d pending, %d freed", pending, freed)
	}
	checkEmpty(t, ks)
}
