package keyspace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zset.dev/operator/zset"
)

// modelKey is what a plain keyspace would have of a key.
type modelKey struct {
	members  map[string]float64
	expireAt int64
}

// history is a keyspace, and a plain one that the same was done to.
type history struct {
	t     *testing.T
	ks    *Keyspace
	rng   *rand.Rand
	model map[string]*modelKey
	now   int64
	full  int // changes for which there was no memory
}

// name is one of a few keys: short, long, very long, and many of one slot.
func (x *history) name() string {
	n := x.rng.IntN(60)
	switch {
	case n < 20:
		return fmt.Sprint("{tag}", n)
	case n < 25:
		return strings.Repeat(fmt.Sprint("long", n), 100)
	}
	return fmt.Sprint(n)
}

func (x *history) member() []byte {
	member := fmt.Sprint("m", x.rng.IntN(40))
	if x.rng.IntN(300) == 0 {
		member = strings.Repeat(member, 20) // no member of a listpack
	}
	return []byte(member)
}

func (x *history) drop(key string) { delete(x.model, key) }

// seen is the model's key, nil when its time has come: then it is gone.
func (x *history) seen(key string) *modelKey {
	m := x.model[key]
	if m != nil && m.expireAt != 0 && m.expireAt <= x.now {
		x.drop(key)
		return nil
	}
	return m
}

func (x *history) held(keys []string, f func(h *Held)) {
	var h Held
	var names [][]byte
	for _, k := range keys {
		names = append(names, []byte(k))
	}
	x.ks.Hold(&h, x.now, names...)
	defer h.Release()
	f(&h)
}

func (x *history) compare(e *Entry, m *modelKey) {
	x.t.Helper()
	if e.ExpireAt() != m.expireAt || e.Set().Len() != len(m.members) {
		x.t.Fatalf("key %.20q: %d members until %d, want %d until %d", e.Key(), e.Set().Len(), e.ExpireAt(), len(m.members), m.expireAt)
	}
	for member, score := range e.Set().All() {
		if want, ok := m.members[string(member)]; !ok || want != score {
			x.t.Fatalf("key %.20q: member %q has %v, want %v, %v", e.Key(), member, score, want, ok)
		}
	}
}

// write does several writes to one key, under one hold.
func (x *history) write(key string, tuning *zset.Tuning) {
	x.held([]string{key}, func(h *Held) {
		e, m := h.Find([]byte(key)), x.seen(key)
		if (e == nil) != (m == nil) {
			x.t.Fatalf("key %.20q is there: %v, want %v", key, e != nil, m != nil)
		}
		if e == nil {
			var err error
			if e, err = h.Create([]byte(key), x.rng.IntN(200)); err != nil {
				x.full++
				return
			}
			m = &modelKey{members: map[string]float64{}}
			x.model[key] = m
		}
		for range 1 + x.rng.IntN(12) {
			member := x.member()
			if x.rng.IntN(3) == 0 {
				_, ok := e.Write(tuning).Remove(member)
				if _, want := m.members[string(member)]; ok != want {
					x.t.Fatalf("removed %q: %v, want %v", member, ok, want)
				}
				delete(m.members, string(member))
				continue
			}
			score := float64(x.rng.IntN(100)) / 4
			if _, _, err := e.Write(tuning).Add(member, score, 0); err != nil {
				x.full++
				continue
			}
			m.members[string(member)] = score
		}
		if x.rng.IntN(20) == 0 {
			set := e.Write(tuning)
			set.RemoveRange(set.ByRank(0, -1))
			clear(m.members)
		}
		if again := h.Peek([]byte(key)); again != e {
			x.t.Fatal("a second handle of the same key")
		}
		gone := h.Settle(e)
		if gone != (len(m.members) == 0) {
			x.t.Fatalf("gone: %v with %d members", gone, len(m.members))
		}
		if gone {
			x.drop(key)
			if h.Peek([]byte(key)) != nil {
				x.t.Fatal("it is still found")
			}
			return
		}
		x.compare(e, m)
	})
}

func (x *history) put(key string, tuning *zset.Tuning) {
	members := map[string]float64{}
	for range 1 + x.rng.IntN(60) {
		members[string(x.member())] = 1
	}
	names := slices.Sorted(maps.Keys(members))
	set, err := zset.BuildIn(x.ks.Memory(), tuning, len(names), func(yield func([]byte, float64) bool) {
		for _, n := range names {
			if !yield([]byte(n), 1) {
				return
			}
		}
	})
	if err != nil {
		x.full++
		return
	}
	at := int64(0)
	if x.rng.IntN(2) == 0 {
		at = x.now + 1 + x.rng.Int64N(300)
	}
	x.held([]string{key}, func(h *Held) {
		e, err := h.Put([]byte(key), set, at)
		x.seen(key)
		if err != nil {
			x.full++
			return
		}
		x.model[key] = &modelKey{members, at}
		x.compare(e, x.model[key])
	})
}

func (x *history) rename(from, to string) {
	if from == to {
		return
	}
	x.held([]string{from, to}, func(h *Held) {
		e := h.Find([]byte(from))
		if e == nil {
			return
		}
		m := x.seen(from)
		e.Set().Len() // a view, which the move must not leave behind
		x.seen(to)
		if h.Rename(e, []byte(to)) != nil {
			x.full++
			return
		}
		x.drop(from)
		x.model[to] = m
		if h.Peek([]byte(from)) != nil {
			x.t.Fatal("the old name is still found")
		}
		x.compare(h.Peek([]byte(to)), m)
	})
}

func (x *history) expire(key string) {
	at := int64(0)
	if x.rng.IntN(3) > 0 {
		at = x.now + 1 + x.rng.Int64N(400)
	}
	x.held([]string{key}, func(h *Held) {
		if e := h.Find([]byte(key)); e != nil {
			e.Set().Len()
			if h.SetExpiry(e, at) != nil {
				x.full++
				return
			}
			x.seen(key).expireAt = at
			x.compare(e, x.model[key])
		}
	})
}

// step does something at random.
func (x *history) step(tuning *zset.Tuning) {
	x.now += x.rng.Int64N(3)
	switch key := x.name(); x.rng.IntN(20) {
	case 0, 1:
		x.put(key, tuning)
	case 2, 3:
		x.rename(key, x.name())
	case 4, 5, 6:
		x.expire(key)
	case 7:
		x.held([]string{key}, func(h *Held) {
			if h.Drop([]byte(key)) != (x.seen(key) != nil) {
				x.t.Fatalf("dropped %.20q: other than it should be", key)
			}
			x.drop(key)
		})
	case 8: // readers of several at a time
		var h Held
		other := x.name()
		x.ks.HoldShared(&h, x.now, []byte(key), []byte(other))
		for _, name := range []string{key, other, key} {
			e, m := h.Find([]byte(name)), x.seen(name)
			if (e == nil) != (m == nil) {
				x.t.Fatalf("a reader finds %.20q: %v, want %v", name, e != nil, m != nil)
			}
			if e != nil {
				x.compare(e, m)
			}
		}
		h.Release()
	case 9:
		if x.rng.IntN(4) == 0 {
			x.ks.ExpireDue(x.now, 1+x.rng.IntN(10))
		}
	default:
		x.write(key, tuning)
	}
}

// same holds everything against the model.
func (x *history) same() {
	x.t.Helper()
	for key := range x.model {
		x.seen(key)
	}
	found := 0
	x.ks.Each(nil, x.now, func(e *Entry) {
		found++
		m := x.model[e.Key()]
		if m == nil {
			x.t.Fatalf("key %.20q is there", e.Key())
		}
		x.compare(e, m)
	})
	if found != len(x.model) {
		x.t.Fatalf("%d keys, want %d", found, len(x.model))
	}
	slots := 0
	for slot := range Slots {
		slots += x.ks.SlotLen(slot)
	}
	if slots != x.ks.Len() {
		x.t.Fatalf("slots count %d keys, there are %d", slots, x.ks.Len())
	}
	checkSums(x.t, x.ks)
}

// A random history leaves what it would leave in a plain map, with memory and
// without, and nothing in the end.
func TestHistory(t *testing.T) {
	tunings := []*zset.Tuning{nil}
	for _, entries := range []int{0, 8, 30} {
		o := zset.DefaultOptions()
		o.ListpackMaxEntries = entries
		tuning, err := zset.NewTuning(o)
		if err != nil {
			t.Fatal(err)
		}
		tunings = append(tunings, tuning)
	}
	for _, limit := range []int64{0, 160 << 10} {
		t.Run(fmt.Sprint("limit ", limit), func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			x := &history{t: t, ks: NewLimited(limit), rng: rand.New(rand.NewPCG(seed, 0)), model: map[string]*modelKey{}, now: noon}
			for step := range 30_000 {
				x.step(tunings[step/500%len(tunings)])
				if step%1000 == 0 {
					x.same()
				}
				if step%10_000 == 5000 {
					if got := clearAll(x.ks); got < len(x.model) {
						t.Fatalf("cleared %d keys, there were %d", got, len(x.model))
					}
					clear(x.model)
					checkEmpty(t, x.ks)
				}
			}
			if (x.full > 0) != (limit > 0) {
				t.Errorf("no memory %d times", x.full)
			}
			x.same()
			for key := range x.model {
				remove(x.ks, key)
			}
			x.ks.ExpireDue(x.now+1000, 1000)
			checkEmpty(t, x.ks)
		})
	}
}
