package keyspace

import (
	"math/rand/v2"

	"zset.dev/operator/zset/slab"
)

// Random is the name of a key that has not expired by now, each with nearly
// the same chance; false when it found none.
func (ks *Keyspace) Random(h *Held, now int64, rng *rand.Rand) (key string, ok bool) {
	// A key that is due may be drawn: try again, and in the end take any.
	for range 100 {
		total := ks.Len()
		if total == 0 {
			return "", false
		}
		skip := rng.IntN(total)
		for i := range ks.partitions {
			p := &ks.partitions[i]
			name, expireAt, count := p.pick(h.beside(), skip, rng)
			if skip >= count {
				skip -= count
				continue
			}
			if expireAt == 0 || expireAt > now {
				return name, true
			}
			break
		}
	}
	for cursor := uint64(0); ; {
		cursor = ks.Scan(h, cursor, 1, now, func(e *Entry) { key, ok = e.Key(), true })
		if ok || cursor == 0 {
			return key, ok
		}
	}
}

// pick draws a key, if the partition has more than skip.
func (p *partition) pick(lock bool, skip int, rng *rand.Rand) (name string, expireAt int64, count int) {
	if lock {
		p.mu.RLock()
		defer p.mu.RUnlock()
	}
	if skip < p.count {
		if ref, ok := p.index.Pick(rng); ok {
			rec := p.record(slab.Ref(ref))
			name, expireAt = string(rec.key()), rec.expireAt()
		}
	}
	return name, expireAt, p.count
}
