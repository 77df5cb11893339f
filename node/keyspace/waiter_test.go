package keyspace

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

func keysOf(names ...string) (keys [][]byte) {
	for _, n := range names {
		keys = append(keys, []byte(n))
	}
	return keys
}

// push makes a key with n members and serves who waits, each with one member.
func push(ks *Keyspace, n int, serve func(*Waiter, string), names ...string) {
	var h Held
	ks.Hold(&h, 0, keysOf(names...)...)
	defer h.Release()
	for _, name := range names {
		e := h.Find([]byte(name))
		if e == nil {
			e = create(&h, []byte(name))
		}
		for range n {
			e.Write(nil).Add(fmt.Append(nil, e.Set().Len()), 1, 0)
		}
		h.Settle(e)
	}
	h.Ready(func() int64 { return 0 }, func(w *Waiter, e *Entry) {
		serve(w, e.Key())
		e.Write(nil).RemoveRange(e.Set().ByRank(0, 0))
		h.Settle(e)
	})
}

func await(ks *Keyspace, names ...string) *Waiter {
	w := &Waiter{Keys: keysOf(names...)}
	var h Held
	ks.Hold(&h, 0, w.Keys...)
	defer h.Release()
	h.Await(w)
	return w
}

func TestReady(t *testing.T) {
	ks := New()
	first, second, third, other := await(ks, "a", "b", "a"), await(ks, "a"), await(ks, "b", "a"), await(ks, "c")
	if n := ks.Awaited(); n != 3 {
		t.Errorf("%d keys are awaited", n)
	}
	names := map[*Waiter]string{first: "first", second: "second", third: "third", other: "other"}
	var got []string
	serve := func(w *Waiter, key string) { got = append(got, names[w]+" "+key) }
	push(ks, 2, serve, "b", "a")
	if want := "[first a third b second a]"; fmt.Sprint(got) != want {
		t.Errorf("served %v, want %s", got, want)
	}
	if ks.Len() != 1 { // b has one member left
		t.Errorf("%d keys", ks.Len())
	}
	for _, w := range []*Waiter{first, second, third} {
		if !w.Taken() || w.Take() {
			t.Error("a waiter that was served can be taken again")
		}
		ks.Leave(w)
		ks.Leave(w)
	}
	if !other.Take() {
		t.Error("a waiter that was not served cannot be taken")
	}
	got = nil
	push(ks, 1, serve, "c")
	if got != nil {
		t.Errorf("served %v, who was taken", got)
	}
	ks.Leave(other)
	if n := ks.Awaited(); n != 0 {
		t.Errorf("%d keys are still awaited", n)
	}
	for i := range ks.partitions {
		if n := len(ks.partitions[i].waiting); n != 0 {
			t.Errorf("%d queues are left in partition %d", n, i)
		}
	}
}

// A key that expired while a transaction went on serves nobody.
func TestReadyLooksAtTheClock(t *testing.T) {
	ks := New()
	w := await(ks, "k")
	var h Held
	ks.Hold(&h, noon, w.Keys...)
	e := create(&h, w.Keys[0])
	e.Write(nil).Add([]byte("m"), 1, 0)
	h.SetExpiry(e, noon+100)
	h.Settle(e)
	h.Ready(func() int64 { return noon + 100 }, func(*Waiter, *Entry) { t.Error("served with a key whose time had come") })
	h.Release()
	if w.Taken() || ks.Len() != 0 {
		t.Errorf("taken: %v, keys: %d; want the waiter alone", w.Taken(), ks.Len())
	}
}

// Waiters on several keys in several partitions are served once each, whoever
// makes their keys at the same moment, and those who give up are not served.
func TestReadyOnce(t *testing.T) {
	ks := New()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const waiters, keys = 400, 8
	var served, gaveUp atomic.Int64
	counts := make([]atomic.Int32, waiters)
	var all []*Waiter
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range waiters {
		w := &Waiter{Keys: keysOf(fmt.Sprint("k", rng.IntN(keys)), fmt.Sprint("k", rng.IntN(keys)), fmt.Sprint("k", rng.IntN(keys))), Owner: i}
		var h Held
		ks.Hold(&h, 0, w.Keys...)
		h.Await(w)
		h.Release()
		all = append(all, w)
	}
	var done sync.WaitGroup
	for p := range 4 {
		rng := rand.New(rand.NewPCG(seed, uint64(p+1)))
		done.Go(func() {
			for served.Load()+gaveUp.Load() < waiters {
				push(ks, 1, func(w *Waiter, _ string) {
					counts[w.Owner.(int)].Add(1)
					served.Add(1)
				}, fmt.Sprint("k", rng.IntN(keys)))
			}
		})
	}
	done.Go(func() {
		for _, w := range all[:waiters/2] {
			if w.Take() {
				gaveUp.Add(1)
				ks.Leave(w)
				if counts[w.Owner.(int)].Load() != 0 {
					t.Error("a waiter gave up and was served")
				}
			}
		}
	})
	done.Wait()
	for i := range counts {
		if n := counts[i].Load(); n > 1 {
			t.Errorf("a waiter was served %d times", n)
		}
	}
	for _, w := range all {
		ks.Leave(w)
	}
	if n := ks.Awaited(); n != 0 {
		t.Errorf("%d keys are still awaited", n)
	}
}

type heard struct{ events []string }

func (h *heard) Created(key []byte) { h.events = append(h.events, "+"+string(key)) }
func (h *heard) Expired(key []byte) { h.events = append(h.events, "-"+string(key)) }
func (h *heard) Evicted(key []byte) { h.events = append(h.events, "!"+string(key)) }
func (h *heard) Missed(key []byte)  { h.events = append(h.events, "?"+string(key)) }

func TestObserverAndWatch(t *testing.T) {
	ks := New()
	o := &heard{}
	ks.Observe(o)
	held := func(now int64, f func(h *Held)) {
		var h Held
		ks.Hold(&h, now, []byte("a"), []byte("b"))
		defer h.Release()
		f(&h)
	}
	var w Watch
	held(0, func(h *Held) {
		e := create(h, []byte("a"))
		e.Write(nil).Add([]byte("m"), 1, 0)
		h.Settle(e)
		h.SetExpiry(e, 10)
		if !h.Watch(&w, []byte("a")) || h.Watch(&w, []byte("a")) || !h.Watch(&w, []byte("b")) {
			t.Error("watched twice, or not at all")
		}
		h.Touch([]byte("other-than-watched{a}"))
	})
	if w.Changed() {
		t.Error("changed by nothing")
	}
	ks.SuspendExpiry(Paused, true)
	held(10, func(h *Held) {
		if h.Find([]byte("a")) != nil || w.Changed() || ks.Len() != 1 {
			t.Error("a key expired while that is suspended")
		}
		if removed, _ := ks.ExpireDue(10, 100); removed != 0 {
			t.Errorf("%d keys expired", removed)
		}
	})
	ks.SuspendExpiry(Paused, false)
	held(10, func(h *Held) { h.Refresh(w.Keys()) })
	if !w.Changed() || ks.Len() != 0 {
		t.Error("an expired key did not change")
	}
	ks.Unwatch(&w)
	if w.Changed() || w.Len() != 0 || ks.Watched() != 0 {
		t.Error("still watched")
	}
	var shared Held
	ks.HoldShared(&shared, 0, []byte("a"))
	shared.Find([]byte("a"))
	shared.Peek([]byte("a"))
	shared.Release()
	if got := fmt.Sprint(o.events); got != "[+a -a ?a]" {
		t.Errorf("heard %s", got)
	}
}

// A key left in place while expiry was suspended gives way to a new one.
func TestCreateOverALeftKey(t *testing.T) {
	ks := New()
	for now := range int64(2) {
		ks.SuspendExpiry(Paused, true)
		var h Held
		ks.Hold(&h, now, []byte("k"))
		if h.Find([]byte("k")) != nil {
			t.Fatal("it is seen")
		}
		e := create(&h, []byte("k"))
		e.Write(nil).Add([]byte("m"), 1, 0)
		h.Settle(e)
		h.SetExpiry(e, now+1)
		h.Release()
	}
	if ks.Len() != 1 {
		t.Errorf("%d keys", ks.Len())
	}
	clearAll(ks)
	if ks.Used() != 0 || ks.Expiring() != 0 {
		t.Errorf("%d bytes and %d expiries are left", ks.Used(), ks.Expiring())
	}
}
