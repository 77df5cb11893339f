package keyspace

import (
	"math/rand/v2"
	"sync"
)

// evictor chooses keys to go. Whoever needs room runs it, one at a time.
type evictor struct {
	mu     sync.Mutex
	rng    *rand.Rand // guarded by mu, as all below
	policy Policy     // that of what is in the pool
	pool   pool
	spread spread
}

// evictTries is how many samples are taken in search of one key that may go.
// Only when hardly any key is left do several find none.
const evictTries = 16

// Outcome is what became of an attempt to evict.
type Outcome uint8

// The outcomes.
const (
	Evicted     Outcome = iota
	NothingFits         // no key may go
	AllHeld             // others hold the partitions of those looked at
)

// Evict removes the key that the policy can best do without among those it
// remembers and samples more. It tells the observer, and those who watch the
// key. One whose time has come is preferred, and has then expired. The caller
// holds no partition, and waits for none.
func (ks *Keyspace) Evict(policy Policy, samples int, now int64) Outcome {
	v := &ks.evictor
	if policy == NoEviction {
		return NothingFits
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.policy != policy {
		v.policy, v.pool, v.spread = policy, pool{}, spread{}
	}
	failure := NothingFits
	for try := range evictTries {
		if try == evictTries/2 {
			v.spread = spread{}
		}
		if !ks.gather(samples, now) {
			failure = AllHeld
		}
		evicted, held := ks.evictPooled(now)
		if evicted {
			return Evicted
		}
		if held {
			failure = AllHeld
		}
		if v.spread.total == 0 {
			break
		}
	}
	return failure
}

// gather samples keys of one partition into the pool. It reports false when
// others hold it.
func (ks *Keyspace) gather(samples int, now int64) bool {
	v := &ks.evictor
	if v.spread.stale() {
		v.spread.count(ks, v.policy.Volatile())
	}
	if v.spread.total == 0 {
		return true
	}
	number := v.spread.draw(v.rng)
	p := &ks.partitions[number]
	if !p.mu.TryRLock() {
		return false
	}
	defer p.mu.RUnlock()
	how := ks.counting.Load()
	visit := func(e *Entry) bool {
		v.pool.offer(candidate{e.hash, number, v.policy.merit(e.usage().Load(), e.ExpireAt(), now, how)})
		return true
	}
	if v.policy.random() {
		samples = 1
	}
	if v.policy.Volatile() {
		p.sampleExpiring(v.rng, samples, visit)
	} else {
		p.sample(v.rng, samples, visit)
	}
	return true
}

// evictPooled removes the best key of the pool that is there still; held says
// that it had to leave one for those who hold its partition.
func (ks *Keyspace) evictPooled(now int64) (evicted, held bool) {
	v := &ks.evictor
	how := ks.counting.Load()
	var busy []candidate
	defer func() {
		for _, c := range busy {
			v.pool.offer(c)
		}
	}()
	for looks := 0; ; looks++ {
		c, ok := v.pool.take()
		if !ok {
			return false, len(busy) > 0
		}
		p := &ks.partitions[c.partition]
		if !p.mu.TryLock() {
			busy = append(busy, c)
			continue
		}
		l, ok := p.at(c.hash)
		if !ok || v.policy.Volatile() && !l.rec.has(expires) {
			p.mu.Unlock()
			continue
		}
		// Used since it was sampled: how good is it now?
		if merit := v.policy.merit(p.usage(l.ref).Load(), l.rec.expireAt(), now, how); merit < c.merit && looks < 2*poolSize {
			p.mu.Unlock()
			v.pool.offer(candidate{c.hash, c.partition, merit})
			continue
		}
		ks.logDrop(l.rec.key())
		if l.rec.gone(now) {
			p.expire(&l)
		} else {
			p.evict(&l)
		}
		p.mu.Unlock()
		return true, false
	}
}

// Evictions is the number of keys ever evicted.
func (ks *Keyspace) Evictions() int64 { return ks.evicted.Load() }

// spread is about how many keys each partition has of those that may go, so
// that each is sampled in proportion.
type spread struct {
	keys  [partitionCount]int
	total int
	left  int // draws until it is counted anew
}

// spreadKept is how many draws a count serves.
const spreadKept = 256

func (s *spread) stale() bool { return s.left == 0 || s.total == 0 }

// count counts anew. Of a partition that others hold the last count stays,
// and one if that was none: it may be the only one there is.
func (s *spread) count(ks *Keyspace, expiring bool) {
	s.total, s.left = 0, spreadKept
	for i := range ks.partitions {
		p := &ks.partitions[i]
		if p.mu.TryRLock() {
			if s.keys[i] = p.count; expiring {
				s.keys[i] = len(p.due)
			}
			p.mu.RUnlock()
		} else {
			s.keys[i] = max(s.keys[i], 1)
		}
		s.total += s.keys[i]
	}
}

// draw is the number of a partition.
func (s *spread) draw(rng *rand.Rand) int {
	s.left--
	n := rng.IntN(s.total)
	for i, keys := range s.keys {
		if n -= keys; n < 0 {
			return i
		}
	}
	panic("keyspace: the spread of keys does not add up")
}
