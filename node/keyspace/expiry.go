package keyspace

import "container/heap"

// dueHeap orders a partition's expiring entries, soonest first. Each knows its
// place, so a changed or removed expiry costs O(log n) and no search.
type dueHeap []*Entry

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].expireAt < h[j].expireAt }

func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].due, h[j].due = int32(i), int32(j)
}

// Push and Pop are for container/heap only.
func (h *dueHeap) Push(x any) {
	e := x.(*Entry)
	e.due = int32(len(*h))
	*h = append(*h, e)
}

func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	e.due = -1
	return e
}

// set gives e the time at, or takes it out when at is 0.
func (h *dueHeap) set(e *Entry, at int64) {
	e.expireAt = at
	switch {
	case at == 0 && e.due >= 0:
		heap.Remove(h, int(e.due))
	case at != 0 && e.due >= 0:
		heap.Fix(h, int(e.due))
	case at != 0:
		heap.Push(h, e)
	}
}

// SuspendExpiry leaves keys whose time has come in place, or no longer. They
// are not seen all the same.
func (ks *Keyspace) SuspendExpiry(suspended bool) { ks.suspended.Store(suspended) }

// expireRun is how many keys are removed under one hold of a partition's
// lock, so a mass expiry delays no command for long.
const expireRun = 64

// ExpireDue removes at most limit keys whose time has come by now, and reports
// how many it removed and whether it stopped at the limit. It holds one
// partition at a time. One goroutine calls it; it goes round the partitions so
// that a limit starves none.
func (ks *Keyspace) ExpireDue(now int64, limit int) (removed int, more bool) {
	if ks.suspended.Load() {
		return 0, false
	}
	for range partitionCount {
		p := &ks.partitions[ks.expireFrom]
		for {
			n := p.expireDue(ks, now, min(expireRun, limit-removed))
			removed += n
			if removed >= limit {
				return removed, true
			}
			if n < expireRun {
				break
			}
		}
		ks.expireFrom = (ks.expireFrom + 1) % partitionCount
	}
	return removed, false
}

func (p *partition) expireDue(ks *Keyspace, now int64, limit int) (removed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for removed < limit && len(p.due) > 0 && p.due[0].expireAt <= now {
		p.expire(ks, p.due[0])
		removed++
	}
	return removed
}

// removeExpired removes those of the keys whose time has come by now, each with
// its partition held, by h or for the moment.
func (ks *Keyspace) removeExpired(h *Held, now int64, keys []string) {
	for _, key := range keys {
		p := ks.partitionOf(key)
		if h.beside() {
			p.mu.Lock()
		}
		slot := Slot([]byte(key))
		e := p.find(slot, ks.hash([]byte(key), slot), []byte(key))
		if e != nil && e.expireAt != 0 && e.expireAt <= now && !ks.suspended.Load() {
			p.expire(ks, e)
		}
		if h.beside() {
			p.mu.Unlock()
		}
	}
}

// CountExpired counts a key as expired that a command removed because the time
// it gave it was past.
func (ks *Keyspace) CountExpired() { ks.expired.Add(1) }
