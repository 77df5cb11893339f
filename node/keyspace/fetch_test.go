package keyspace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// fill adds keys with a small set each, and one with a large set.
func fill(t testing.TB, ks *Keyspace, keys, members int) {
	t.Helper()
	for i := range keys {
		fillKey(t, ks, fmt.Append(nil, "key", i), 3)
	}
	fillKey(t, ks, []byte("large"), members)
}

// fillKey adds a key with that many members.
func fillKey(t testing.TB, ks *Keyspace, key []byte, members int) {
	t.Helper()
	var h Held
	ks.Hold(&h, noon, key)
	defer h.Release()
	e, err := h.Create(key, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range members {
		e.Write(nil).Add(fmt.Append(nil, "member", i), float64(i), 0)
	}
	h.Settle(e)
}

// What Fetch asks for is where the records are.
func TestFetchAsksForWhatIsThere(t *testing.T) {
	ks := New()
	const keys = 20_000
	fill(t, ks, keys, 5000)
	var h Held
	found := 0
	for i := range keys {
		key := fmt.Append(nil, "key", i)
		at := ks.Place(key)
		if at.Slot() != Slot(key) {
			t.Fatalf("%s: slot %d", key, at.Slot())
		}
		ks.HoldOne(&h, noon, true, key, at)
		e := h.Find(key)
		if e == nil {
			t.Fatalf("%s is not at its place", key)
		}
		if slices.Contains(e.p.recordLines(make([]*byte, 0, 100), at.hash), &e.rec[0]) {
			found++
		}
		h.Release()
	}
	if found < keys*8/10 {
		t.Errorf("%d of %d records are asked for", found, keys)
	}
}

// The large set asked for is the key's own, but where another of those few has
// the same tag in the index.
func TestFetchAsksForTheLargeSet(t *testing.T) {
	const keys = 50
	ks := New()
	fill(t, ks, 500, 2000)
	var h Held
	found := 0
	for i := range keys {
		key := fmt.Append(nil, "large", i)
		fillKey(t, ks, key, 1000)
		at := ks.Place(key)
		ks.HoldOne(&h, noon, true, key, at)
		if h.partition(at).largeFor(at.hash) == h.Find(key).Set() {
			found++
		}
		h.Release()
	}
	if found < keys*8/10 {
		t.Errorf("%d of %d large sets are asked for", found, keys)
	}
}

// Fetch may be called beside anything that changes what is there.
func TestFetchBesideWriters(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const keys = 5000
	ks := New()
	fill(t, ks, keys, 20_000)
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for i := range 2 {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				wanted := make([]Wanted, 1+rng.IntN(20))
				for i := range wanted {
					key := fmt.Append(nil, "key", rng.IntN(2*keys))
					if rng.IntN(3) == 0 {
						key = []byte("large")
					}
					wanted[i] = Wanted{Place: ks.Place(key)}
					if rng.IntN(3) > 0 {
						wanted[i].Member = fmt.Append(nil, "member", rng.IntN(40_000))
					}
				}
				ks.Fetch(wanted)
			}
		})
	}
	for i := range 2 {
		rng := rand.New(rand.NewPCG(seed, uint64(10+i)))
		writers.Go(func() {
			var h Held
			for range 20_000 {
				key := fmt.Append(nil, "key", rng.IntN(2*keys))
				switch rng.IntN(8) {
				case 0, 1:
					key = []byte("large")
				case 2:
					ks.Hold(&h, noon, key)
					h.Drop(key)
					h.Release()
					continue
				}
				ks.Hold(&h, noon, key)
				e := h.Find(key)
				if e == nil {
					e, _ = h.Create(key, 0)
				}
				member := fmt.Append(nil, "member", rng.IntN(40_000))
				if rng.IntN(3) == 0 {
					e.Write(nil).Remove(member)
				} else {
					e.Write(nil).Add(member, rng.Float64(), 0)
				}
				h.Settle(e)
				h.Release()
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	checkSums(t, ks)
}

// BenchmarkLookups looks sixteen keys of many up, with and without a Fetch before.
func BenchmarkLookups(b *testing.B) {
	ks := New()
	const keys, batch = 1_000_000, 16
	fill(b, ks, keys, 0)
	names := make([][]byte, 1<<16)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range names {
		names[i] = fmt.Append(nil, "key", rng.IntN(keys))
	}
	for _, fetch := range []bool{false, true} {
		b.Run(fmt.Sprint("fetch=", fetch), func(b *testing.B) {
			b.ReportAllocs()
			var h Held
			var wanted [batch]Wanted
			for n := 0; n < b.N; n += batch {
				some := names[n%len(names):][:batch]
				for i, key := range some {
					wanted[i] = Wanted{Place: ks.Place(key)}
				}
				if fetch {
					ks.Fetch(wanted[:])
				}
				for i, key := range some {
					ks.HoldOne(&h, noon, true, key, wanted[i].Place)
					if h.Find(key) == nil {
						b.Fatal("a key is gone")
					}
					h.Release()
				}
			}
		})
	}
}
