package keyspace

import "math/rand/v2"

// A SCAN cursor is a position in (slot, hash) order: the slot above the high
// 48 bits of the hash, 62 bits in all, so it also fits clients that read it as
// a signed number. 0 is both the start and the end.

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
		if e.expireAt == 0 || e.expireAt > now {
			yield(e)
		} else {
			expired = append(expired, e.key)
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
	slot := int(cursor >> cursorBits)
	from := cursor & (1<<cursorBits - 1)
	if slot >= Slots {
		return 0
	}
	left := min(max(count, 1), ScanCount)
	for n := slot / slotsInPartition; n < partitionCount; n++ {
		var done bool
		slot, from, left, done = ks.partitions[n].scan(h.beside(), slot, from, left, yield)
		if !done {
			return uint64(slot)<<cursorBits | from
		}
	}
	return 0
}

// scan visits the partition's slots from slot on; done when it reached its end.
func (p *partition) scan(lock bool, slot int, from uint64, left int, yield func(*Entry)) (nextSlot int, next uint64, unused int, done bool) {
	if lock {
		p.mu.RLock()
		defer p.mu.RUnlock()
	}
	end := (slot/slotsInPartition + 1) * slotsInPartition
	if p.count == 0 {
		return end, 0, left, true
	}
	for ; slot < end; slot++ {
		d := p.slots[slot%slotsInPartition]
		if d == nil {
			from = 0
			continue
		}
		if left <= 0 {
			return slot, from, left, false
		}
		next, visited, whole := d.visit(from, left, yield)
		left -= visited
		if !whole {
			return slot, next, left, false
		}
		from = 0
	}
	return end, 0, left, true
}

// Each calls yield for every key that has not expired by now, one partition
// held at a time: keys made or removed meanwhile may be missed or seen.
func (ks *Keyspace) Each(h *Held, now int64, yield func(*Entry)) {
	for cursor := uint64(0); ; {
		cursor = ks.visit(h, cursor, ScanCount, func(e *Entry) {
			if e.expireAt == 0 || e.expireAt > now {
				yield(e)
			}
		})
		if cursor == 0 {
			return
		}
	}
}

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
			e, count := ks.partitions[i].pick(h.beside(), skip, rng)
			if e == nil {
				skip -= count
				continue
			}
			if e.expireAt == 0 || e.expireAt > now {
				return e.key, true
			}
			break
		}
	}
	for cursor := uint64(0); ; {
		cursor = ks.Scan(h, cursor, 1, now, func(e *Entry) { key, ok = e.key, true })
		if ok || cursor == 0 {
			return key, ok
		}
	}
}

// picked is a copy of what Random needs to know of an entry.
type picked struct {
	key      string
	expireAt int64
}

// pick draws a key from the slot in which the partition's skip-th key is; nil
// and the partition's count when it has fewer.
func (p *partition) pick(lock bool, skip int, rng *rand.Rand) (e *picked, count int) {
	if lock {
		p.mu.RLock()
		defer p.mu.RUnlock()
	}
	if skip >= p.count {
		return nil, p.count
	}
	for _, d := range p.slots {
		if d == nil {
			continue
		}
		if skip >= d.count {
			skip -= d.count
			continue
		}
		// At least an eighth of the buckets' number are keys, so a few draws
		// find a bucket that is not empty.
		for {
			first := d.buckets[rng.IntN(len(d.buckets))]
			length := 0
			for e := first; e != nil; e = e.next {
				length++
			}
			if length == 0 {
				continue
			}
			chosen := first
			for range rng.IntN(length) {
				chosen = chosen.next
			}
			return &picked{chosen.key, chosen.expireAt}, p.count
		}
	}
	return nil, p.count
}
