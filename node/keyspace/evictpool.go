package keyspace

import (
	"math"
	"slices"
)

// candidate is a key that may go, as it was when it was sampled.
type candidate struct {
	hash      uint64 // of the key, with its slot within the partition
	partition int
	merit     uint64 // the more, the better the key can be done without
}

// merit says how well a key can be done without by now, by its word of use and
// its expiry. Beyond all are keys whose time has come.
func (p Policy) merit(w word, expireAt, now int64, how *Counting) uint64 {
	switch {
	case expireAt != 0 && expireAt <= now:
		return math.MaxUint64
	case p.lru():
		return uint64(idle(w, now))
	case p.LFU():
		// Of those used as rarely, the one that was not used for longest.
		return uint64(mostCount-how.count(w, now))<<48 + uint64(idle(w, now))
	case p.soonest():
		return math.MaxUint64 - uint64(max(expireAt, 1))
	}
	return 0
}

// poolSize is how many candidates are remembered from sample to sample.
// Each eviction takes the best of them, so the few keys sampled for each are in
// effect many: that brings a sampled policy close to an exact one.
const poolSize = 16

// pool is the best candidates seen and not taken yet, the best last.
type pool struct{ best []candidate }

// offer adds a candidate, or what is now known of one, if it is among the best.
func (p *pool) offer(c candidate) {
	if i := slices.IndexFunc(p.best, func(o candidate) bool { return o.hash == c.hash && o.partition == c.partition }); i >= 0 {
		p.best = slices.Delete(p.best, i, i+1)
	}
	if len(p.best) == poolSize {
		if c.merit <= p.best[0].merit {
			return
		}
		p.best = slices.Delete(p.best, 0, 1)
	}
	at, _ := slices.BinarySearchFunc(p.best, c.merit, func(o candidate, merit uint64) int {
		if o.merit < merit {
			return -1
		}
		return 1 // among equals the first to come is the first to go
	})
	p.best = slices.Insert(p.best, at, c)
}

// take takes the best out.
func (p *pool) take() (c candidate, ok bool) {
	last := len(p.best) - 1
	if last < 0 {
		return c, false
	}
	c = p.best[last]
	p.best = p.best[:last]
	return c, true
}
