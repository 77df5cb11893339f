package keyspace

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// names are keys as long as those of applications.
func names(n int) (keys [][]byte) {
	for i := range n {
		keys = append(keys, fmt.Appendf(nil, "key:%012d", i))
	}
	return keys
}

var fiveMembers = func() (members [][]byte) {
	for i := range 5 {
		members = append(members, fmt.Appendf(nil, "m%03d", i))
	}
	return members
}()

// fillSmall gives each key some of the five members, with random doubles as scores.
func fillSmall(ks *Keyspace, keys [][]byte, members [][]byte, rng *rand.Rand) {
	var h Held
	for _, member := range members {
		for _, key := range keys {
			addTo(ks, &h, key, member, rng.Float64())
		}
	}
}

// addTo is what ZADD does here.
func addTo(ks *Keyspace, h *Held, key, member []byte, score float64) {
	ks.Hold(h, noon, key)
	e := h.Find(key)
	if e == nil {
		e, _ = h.Create(key, 20)
	}
	e.Write(nil).Add(member, score, 0)
	h.Settle(e)
	h.Release()
}

// Commands on small keys, at the level of the keyspace, make no garbage.
func TestNoGarbage(t *testing.T) {
	ks := New()
	rng := rand.New(rand.NewPCG(1, 2))
	keys := names(5000)
	fillSmall(ks, keys[:4000], fiveMembers, rng)
	var h Held
	fresh, next := keys[4000:], 0
	another := []byte("another")
	read := func(f func(e *Entry)) func() {
		return func() {
			key := keys[rng.IntN(4000)]
			ks.HoldShared(&h, noon, key)
			f(h.Find(key))
			h.Release()
		}
	}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"ZADD, new scores", func() { addTo(ks, &h, keys[rng.IntN(4000)], fiveMembers[rng.IntN(5)], rng.Float64()) }},
		{"ZADD, a new member, and ZREM", func() {
			key := keys[rng.IntN(4000)]
			addTo(ks, &h, key, another, rng.Float64())
			ks.Hold(&h, noon, key)
			e := h.Find(key)
			e.Write(nil).Remove(another)
			h.Settle(e)
			h.Release()
		}},
		{"ZADD, a new key", func() {
			addTo(ks, &h, fresh[next%len(fresh)], fiveMembers[0], rng.Float64())
			next++
		}},
		{"EXPIRE", func() {
			key := keys[rng.IntN(4000)]
			ks.Hold(&h, noon, key)
			h.SetExpiry(h.Find(key), noon+1+rng.Int64N(1000))
			h.Release()
		}},
		{"ZSCORE", read(func(e *Entry) { e.Set().Score(fiveMembers[3]) })},
		{"ZRANK", read(func(e *Entry) { e.Set().Rank(fiveMembers[3]) })},
		{"ZRANGE", read(func(e *Entry) {
			set := e.Set()
			for range set.Ascend(set.ByRank(0, 2)) {
			}
		})},
		{"ZCARD", read(func(e *Entry) { e.Set().Len() })},
	} {
		for range 500 {
			c.do() // tables and queues grow
		}
		if n := testing.AllocsPerRun(400, c.do); n >= 1 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// BenchmarkSmallKeys measures what commands on keys of five members cost below the command itself.
func BenchmarkSmallKeys(b *testing.B) {
	const n = 200_000
	keys := names(n)
	rng := rand.New(rand.NewPCG(1, 2))
	b.Run("create", func(b *testing.B) {
		ks := New()
		var h Held
		for i := 0; b.Loop(); i++ {
			if i%n == 0 {
				ks.HoldAll(&h, noon)
				h.Clear(true)
				h.Release()
			}
			addTo(ks, &h, keys[i%n], fiveMembers[0], rng.Float64())
		}
	})
	b.Run("grow", func(b *testing.B) {
		ks := New()
		var h Held
		for i := 0; b.Loop(); i++ {
			if i%(5*n) == 0 {
				ks.HoldAll(&h, noon)
				h.Clear(true)
				h.Release()
			}
			addTo(ks, &h, keys[i%n], fiveMembers[i/n%5], rng.Float64())
		}
	})
	ks := New()
	fillSmall(ks, keys, fiveMembers, rng)
	var h Held
	b.Run("update", func(b *testing.B) {
		for b.Loop() {
			addTo(ks, &h, keys[rng.IntN(n)], fiveMembers[rng.IntN(5)], rng.Float64())
		}
	})
	b.Run("score", func(b *testing.B) {
		for b.Loop() {
			key := keys[rng.IntN(n)]
			ks.HoldShared(&h, noon, key)
			h.Find(key).Set().Score(fiveMembers[rng.IntN(5)])
			h.Release()
		}
	})
}
