package keyspace

import (
	"zset.dev/operator/zset/hashindex"
	"zset.dev/operator/zset/slab"
)

// A SCAN cursor is a position in (slot, hash) order: the partition above the
// position in its index, 43 bits in all, so it also fits clients that read it as
// a signed number, or as a double. 0 is both the start and the end.
const cursorPositions = hashindex.Positions

// ScanCount bounds the keys one Scan visits, whatever the caller asks for: it
// is what a reply may gather at once.
const ScanCount = 1 << 20

// Scan calls yield for about count keys that have not expired by now, from
// cursor on, and returns the cursor to go on from: 0 when there is no more.
// A key that is present from the first call to the last is seen exactly once,
// however much the tables grow or shrink meanwhile. yield runs with the key's
// partition held and must not call the keyspace. Keys met whose time has come
// are removed, unless expiry is suspended.
//
// Here and below h is what the caller holds already: nothing (nil will do), or
// everything (HoldAll), as a transaction does that looks beyond the keys it
// names.
func (ks *Keyspace) Scan(h *Held, cursor uint64, count int, now int64, yield func(*Entry)) (next uint64) {
	var expired []string
	next = ks.visit(h, cursor, count, func(e *Entry) {
		if !e.rec.gone(now) {
			yield(e)
		} else {
			expired = append(expired, e.Key())
		}
	})
	if h.beside() || !h.shared {
		ks.removeExpired(h, now, expired)
	} else {
		h.expired = append(h.expired, expired...)
	}
	return next
}

// visit is Scan for keys in whatever state.
func (ks *Keyspace) visit(h *Held, cursor uint64, count int, yield func(*Entry)) (next uint64) {
	number, from := cursor/cursorPositions, cursor%cursorPositions
	left := min(max(count, 1), ScanCount)
	for ; number < partitionCount; number++ {
		next, left = ks.partitions[number].scan(h.beside(), from, left, yield)
		if left <= 0 && next < cursorPositions {
			return number*cursorPositions + next
		}
		from = 0
	}
	return 0
}

// scan visits keys from a position on until left of them were, or as many
// buckets of a table that is nearly empty, or the partition is at its end.
func (p *partition) scan(lock bool, from uint64, left int, yield func(*Entry)) (next uint64, unused int) {
	if lock {
		p.mu.RLock()
		defer p.mu.RUnlock()
	}
	if p.count == 0 {
		return cursorPositions, left
	}
	var e Entry
	visit := func(ref hashindex.Ref) bool {
		left--
		e.open(p, located{ref: slab.Ref(ref), rec: p.record(slab.Ref(ref))}, false)
		yield(&e)
		e.close()
		return true
	}
	if left > 0 {
		from = p.index.Scan(from, cursorPositions, left, p, visit)
	}
	if from < cursorPositions {
		left = 0
	}
	return from, left
}

// Each calls yield for every key that has not expired by now, one partition
// held at a time: keys made or removed meanwhile may be missed or seen.
func (ks *Keyspace) Each(h *Held, now int64, yield func(*Entry)) {
	for cursor := uint64(0); ; {
		cursor = ks.visit(h, cursor, ScanCount, func(e *Entry) {
			if !e.rec.gone(now) {
				yield(e)
			}
		})
		if cursor == 0 {
			return
		}
	}
}
