package keyspace

import (
	"zset.dev/operator/zset"
	"zset.dev/operator/zset/prefetch"
	"zset.dev/operator/zset/slab"
)

// Wanted is what a command to come will look up: a key, and a member of its
// set unless that is nil.
type Wanted struct {
	Place  Place
	Member []byte
}

// FetchMost is how many lookups one call of Fetch is for at most.
const FetchMost = 16

const (
	lineBytes = 64
	// fetchLines is how many lines of a record are fetched. What is behind them is
	// read in order, which processors foresee.
	fetchLines = 8
	// fetchFrom is how many bytes of keys there must be for it to be worth while:
	// fewer stay in the caches.
	fetchFrom = 512 << 10
)

// Fetch has the processor bring near what lookups will read, for all of them
// at once. Otherwise each would wait for the bucket of the index, then for the
// key's record, then for the same in a large set. Fetch waits for nobody: what
// another is changing is left out. The caller holds nothing.
func (ks *Keyspace) Fetch(wanted []Wanted) {
	if ks.Used() < fetchFrom {
		return
	}
	wanted = wanted[:min(len(wanted), FetchMost)]
	var space [FetchMost * (fetchLines + 2)]*byte
	large := false

	lines := space[:0]
	for i := range wanted {
		at := wanted[i].Place
		if i > 0 && at == wanted[i-1].Place {
			continue
		}
		if p := ks.glance(at); p != nil {
			if p.count > 0 {
				first, last := p.index.Home(at.hash)
				lines = append(lines, first, last)
				large = large || p.large != nil
			}
			p.mu.RUnlock()
		}
	}
	prefetch.Lines(lines)

	lines = space[:0]
	for i := range wanted {
		at := wanted[i].Place
		if i > 0 && at == wanted[i-1].Place {
			continue
		}
		if p := ks.glance(at); p != nil {
			lines = p.recordLines(lines, at.hash)
			p.mu.RUnlock()
		}
	}
	prefetch.Lines(lines)
	if !large {
		return
	}

	lines = space[:0]
	ks.eachLarge(wanted, func(set *zset.Set, member []byte) { lines = set.IndexLines(lines, member) })
	prefetch.Lines(lines)
	lines = space[:0]
	ks.eachLarge(wanted, func(set *zset.Set, member []byte) { lines = set.RecordLines(lines, member) })
	prefetch.Lines(lines)
}

// glance holds the partition of a place for reading, if that can be at once.
func (ks *Keyspace) glance(at Place) *partition {
	if p := &ks.partitions[at.partition()]; p.mu.TryRLock() {
		return p
	}
	return nil
}

// recordLines appends where the first lines are of the records that may be of
// the key with that hash, while lines has room.
func (p *partition) recordLines(lines []*byte, hash uint64) []*byte {
	if p.count == 0 {
		return lines
	}
	probe, m := p.index.Candidates(hash)
	for ; m != 0 && len(lines)+fetchLines < cap(lines); m &= m - 1 {
		rec := p.record(slab.Ref(probe.Ref(m)))
		size := min(len(rec), fetchLines*lineBytes)
		for at := 0; at < size; at += lineBytes {
			lines = append(lines, &rec[at])
		}
		lines = append(lines, &rec[size-1])
	}
	return lines
}

// eachLarge calls look with each of the members wanted of a large set, and that
// set, or one that may be it by its hash.
func (ks *Keyspace) eachLarge(wanted []Wanted, look func(set *zset.Set, member []byte)) {
	var p *partition
	var set *zset.Set
	for i := range wanted {
		w := &wanted[i]
		if i == 0 || w.Place != wanted[i-1].Place {
			if p != nil {
				p.mu.RUnlock()
			}
			if p = ks.glance(w.Place); p != nil {
				set = p.largeFor(w.Place.hash)
			}
		}
		if p != nil && set != nil && w.Member != nil {
			look(set, w.Member)
		}
	}
	if p != nil {
		p.mu.RUnlock()
	}
}

// largeFor is the large set of the key with that hash, or one that may be it;
// nil when there is none.
func (p *partition) largeFor(hash uint64) *zset.Set {
	if len(p.large) == 0 {
		return nil
	}
	probe, m := p.index.Candidates(hash)
	for ; m != 0; m &= m - 1 {
		if rec := p.record(slab.Ref(probe.Ref(m))); rec.has(isLarge) {
			if number := rec.fields().number; number != noSet {
				return p.large[number].set
			}
		}
	}
	return nil
}
