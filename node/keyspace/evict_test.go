package keyspace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Of two keys, the one that is the better to go under each policy.
func TestMerit(t *testing.T) {
	type key struct {
		word     word
		expireAt int64
	}
	const now = usageNow
	how := &Counting{On: true, LogFactor: 10, DecayMinutes: 1}
	for _, c := range []struct {
		name       string
		policy     Policy
		goes, last key
	}{
		{"longest unused", "allkeys-lru", key{timeWord(now, 11), 0}, key{timeWord(now, 10), 0}},
		{"longest unused, one counted before", "allkeys-lru", key{timeWord(now, 11), 0}, key{countWord(0, now), 0}},
		{"most rarely used", "allkeys-lfu", key{countWord(9, now), 0}, key{countWord(10, now), 0}},
		{"once used often", "allkeys-lfu", key{countWord(200, now-200*minute), 0}, key{countWord(10, now), 0}},
		{"of equals the longest unused", "volatile-lfu", key{countWord(9, now-minute), 0}, key{countWord(8, now), 0}},
		{"first to expire", "volatile-ttl", key{0, now + 1}, key{0, now + 2}},
		{"already expired, whatever the policy", "allkeys-lfu", key{countWord(255, now), now}, key{countWord(0, now-minute), 0}},
		{"already expired, at random", "volatile-random", key{0, now - 1}, key{0, now + 1}},
	} {
		first := c.policy.merit(c.goes.word, c.goes.expireAt, now, how)
		second := c.policy.merit(c.last.word, c.last.expireAt, now, how)
		if first <= second {
			t.Errorf("%s: merits %#x and %#x", c.name, first, second)
		}
	}
}

// The pool keeps the best of what it is offered, by what it heard last.
func TestPool(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var p pool
	var offered []candidate
	for i := range 200 {
		c := candidate{uint64(i), 0, rng.Uint64N(1000)}
		offered = append(offered, c)
		p.offer(c)
	}
	slices.SortStableFunc(offered, func(a, b candidate) int { return int(b.merit) - int(a.merit) })
	p.offer(candidate{offered[0].hash, 0, 0}) // used meanwhile
	for i := 1; i < poolSize; i++ {
		if c, ok := p.take(); !ok || c.merit != offered[i].merit {
			t.Fatalf("take %d is %v, want merit %d", i, c, offered[i].merit)
		}
	}
	if c, ok := p.take(); !ok || c.hash != offered[0].hash || c.merit != 0 {
		t.Errorf("the one used meanwhile: %v, %v", c, ok)
	}
	if _, ok := p.take(); ok {
		t.Error("an empty pool gives more")
	}
}

// fillKeys makes keys 0 to n-1, of which every odd one expires, n+1 minutes
// from now for key n.
func fillKeys(ks *Keyspace, n int, now int64) {
	for i := range n {
		makeKey(ks, fmt.Sprint(i), now)
		if i%2 == 1 {
			key := []byte(fmt.Sprint(i))
			var h Held
			ks.Hold(&h, now, key)
			h.SetExpiry(h.Peek(key), now+int64(i+1)*minute)
			h.Release()
		}
	}
}

func makeKey(ks *Keyspace, name string, now int64) {
	key := []byte(name)
	var h Held
	ks.Hold(&h, now, key)
	defer h.Release()
	e := create(&h, key)
	e.Write(nil).Add([]byte("m"), 1, 0)
	h.Settle(e)
}

func useKey(ks *Keyspace, name string, now int64) bool {
	key := []byte(name)
	var h Held
	ks.HoldShared(&h, now, key)
	defer h.Release()
	return h.Find(key) != nil
}

// Each policy lets only such keys go as it may, down to the last, and then says
// that there is none; what is used comes back to what it was.
func TestEvictEverythingThatMayGo(t *testing.T) {
	const n = 500
	for _, policy := range []Policy{"allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl", NoEviction} {
		t.Run(string(policy), func(t *testing.T) {
			ks := New()
			ks.Count(Counting{On: policy.LFU(), LogFactor: 10, DecayMinutes: 1})
			o := &heard{}
			ks.Observe(o)
			fillKeys(ks, n, usageNow)
			var watch Watch
			var h Held
			ks.Hold(&h, usageNow, []byte("1"))
			h.Watch(&watch, []byte("1"))
			h.Release()
			want := map[bool]int{true: n / 2, false: n}[policy.Volatile()]
			if policy == NoEviction {
				want = 0
			}
			for i := range want {
				if got := ks.Evict(policy, 5, usageNow); got != Evicted {
					t.Fatalf("eviction %d: %v", i, got)
				}
			}
			if got := ks.Evict(policy, 5, usageNow); got != NothingFits {
				t.Errorf("after the last: %v", got)
			}
			if ks.Len() != n-want || ks.Evictions() != int64(want) || ks.Expired() != 0 {
				t.Errorf("%d keys are left, %d evicted, %d expired", ks.Len(), ks.Evictions(), ks.Expired())
			}
			if told := strings.Count(fmt.Sprint(o.events), "!"); told != want {
				t.Errorf("told of %d", told)
			}
			if watch.Changed() != (want > 0) {
				t.Errorf("the watched key changed: %v", watch.Changed())
			}
			if want == n && ks.Used() != 0 {
				t.Errorf("%d bytes are used by nothing", ks.Used())
			}
		})
	}
}

// What others hold is left alone, and not waited for.
func TestEvictWaitsForNobody(t *testing.T) {
	ks := New()
	fillKeys(ks, 100, usageNow)
	var h Held
	ks.HoldAll(&h, usageNow)
	if got := ks.Evict("allkeys-lru", 5, usageNow); got != AllHeld {
		t.Errorf("all held: %v", got)
	}
	h.Release()
	key := []byte("7")
	ks.Hold(&h, usageNow, key)
	// An attempt that meets only what is held is not the last: it looks at some partitions.
	for fruitless := 0; fruitless < 20; fruitless++ {
		if ks.Evict("allkeys-lru", 5, usageNow) == Evicted {
			fruitless = -1
		}
	}
	left := 0
	for i := range 100 {
		if Partition([]byte(fmt.Sprint(i))) == Partition(key) {
			left++
		}
	}
	if ks.Len() != left {
		t.Errorf("%d keys are left, want those %d of the partition held", ks.Len(), left)
	}
	h.Release()
	if got := ks.Evict("allkeys-lru", 5, usageNow); got != Evicted {
		t.Errorf("none held any more: %v", got)
	}
}

// Keys whose time has come go first, as expired.
func TestEvictPrefersTheExpired(t *testing.T) {
	ks := New()
	fillKeys(ks, 100, usageNow)
	later := usageNow + 1000*minute
	for range 100 {
		ks.Evict("allkeys-lfu", 64, later)
	}
	if ks.Expired() != 50 || ks.Evictions() != 50 {
		t.Errorf("%d expired, %d evicted", ks.Expired(), ks.Evictions())
	}
}

// cache is what a workload runs against: at most so many keys.
type cache interface {
	use(key int, now int64) (hit bool)
}

// sampled is a keyspace with a policy, made room in as a node does.
type sampled struct {
	ks      *Keyspace
	policy  Policy
	samples int
	keys    int
}

func (c *sampled) use(key int, now int64) bool {
	name := fmt.Sprint(key)
	if useKey(c.ks, name, now) {
		return true
	}
	for c.ks.Len() >= c.keys {
		c.ks.Evict(c.policy, c.samples, now)
	}
	makeKey(c.ks, name, now)
	return false
}

// exact is the policy that the sampled ones come close to: it finds the key
// with the least rank, which it is given at each use.
type exact struct {
	keys  int
	ranks map[int]int64
	rank  func(key int, now int64) int64
}

func exactLRU(room int) cache {
	return &exact{room, map[int]int64{}, func(_ int, now int64) int64 { return now }}
}

// exactLFU counts all uses there ever were, also of keys that went.
func exactLFU(room int) cache {
	uses := map[int]int64{}
	return &exact{room, map[int]int64{}, func(key int, _ int64) int64 {
		uses[key]++
		return uses[key]
	}}
}

func (c *exact) use(key int, now int64) bool {
	_, hit := c.ranks[key]
	if !hit && len(c.ranks) >= c.keys {
		worst, least := 0, int64(math.MaxInt64)
		for k, rank := range c.ranks {
			if rank < least || rank == least && k < worst {
				worst, least = k, rank
			}
		}
		delete(c.ranks, worst)
	}
	c.ranks[key] = c.rank(key, now)
	return hit
}

// Hit ratios of a cache of a tenth of the keys, whose popularity follows
// Zipf's law, and of one in which it drifts, beside exact LRU and LFU.
func TestEvictionAccuracy(t *testing.T) {
	const keys, room, uses = 10_000, 1000, 60_000
	const step = int64(1000) // milliseconds between uses, so that recency shows
	run := func(c cache, drift int) float64 {
		rng := rand.New(rand.NewPCG(5, 6))
		zipf := rand.NewZipf(rng, 1.05, 2, keys-1)
		hits := 0
		for i := range uses {
			key := (int(zipf.Uint64())*7919 + drift*(i/10_000)*101) % keys
			if c.use(key, usageNow+int64(i)*step) && i >= uses/3 {
				hits++
			}
		}
		return 100 * float64(hits) / (uses - uses/3)
	}
	sample := func(policy Policy, samples int) cache {
		ks := New()
		ks.evictor.rng = rand.New(rand.NewPCG(7, 8))
		ks.Count(Counting{On: policy.LFU(), LogFactor: 10, DecayMinutes: 100})
		return &sampled{ks, policy, samples, room}
	}
	ratios := map[string][2]float64{}
	t.Log("hit ratio in %                steady  drifting")
	for _, c := range []struct {
		name string
		make func() cache
	}{
		{"random", func() cache { return sample("allkeys-random", 5) }},
		{"lru, 1 sample", func() cache { return sample("allkeys-lru", 1) }},
		{"lru, 5 samples", func() cache { return sample("allkeys-lru", 5) }},
		{"lru, 10 samples", func() cache { return sample("allkeys-lru", 10) }},
		{"lru, exact", func() cache { return exactLRU(room) }},
		{"lfu, 5 samples", func() cache { return sample("allkeys-lfu", 5) }},
		{"lfu, 10 samples", func() cache { return sample("allkeys-lfu", 10) }},
		{"lfu, exact", func() cache { return exactLFU(room) }},
	} {
		r := [2]float64{run(c.make(), 0), run(c.make(), 1)}
		ratios[c.name] = r
		t.Logf("%-28s %7.2f %9.2f", c.name, r[0], r[1])
	}
	for _, c := range []struct {
		better, worse string
		margin        float64
	}{
		{"lru, 5 samples", "random", 2},
		{"lfu, 5 samples", "lru, 5 samples", 1},
	} {
		if a, b := ratios[c.better][0], ratios[c.worse][0]; a < b+c.margin {
			t.Errorf("%s hits %.2f %%, %s %.2f %%", c.better, a, c.worse, b)
		}
	}
	if a, b := ratios["lru, 10 samples"][0], ratios["lru, exact"][0]; math.Abs(a-b) > 2 {
		t.Errorf("sampled LRU hits %.2f %%, exact LRU %.2f %%", a, b)
	}
}
