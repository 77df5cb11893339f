package keyspace

import "zset.dev/operator/zset/slab"

// A partition's keys that expire are in a queue, a heap of four branches,
// soonest first. Each record knows its place in it, so a changed or removed
// expiry costs O(log n) and no search.
const dueBranches = 4

func (p *partition) dueAt(i int) int64 { return p.record(p.due[i]).expireAt() }

// dueSet puts a record at place i.
func (p *partition) dueSet(i int, ref slab.Ref) {
	p.due[i] = ref
	p.record(ref).setPlace(i)
}

// dueAdd takes in a record, which has an expiry.
func (p *partition) dueAdd(ref slab.Ref) {
	p.due = append(p.due, ref)
	p.dueFix(len(p.due) - 1)
	p.ks.expiring.Add(1)
}

// dueRemove takes the record at place i out.
func (p *partition) dueRemove(i int) {
	last := len(p.due) - 1
	moved := p.due[last]
	p.due = p.due[:last]
	if i < last {
		p.due[i] = moved
		p.dueFix(i)
	}
	switch {
	case last == 0:
		p.due = nil
	case cap(p.due) > 64 && last < cap(p.due)/4:
		p.due = append(make([]slab.Ref, 0, 2*last), p.due...)
	}
	p.ks.expiring.Add(-1)
}

// dueFix moves what is at place i to where its expiry belongs.
func (p *partition) dueFix(i int) {
	ref := p.due[i]
	at := p.record(ref).expireAt()
	for i > 0 {
		parent := (i - 1) / dueBranches
		if p.dueAt(parent) <= at {
			break
		}
		p.dueSet(i, p.due[parent])
		i = parent
	}
	for {
		soonest, soonestAt := i, at
		for child := i*dueBranches + 1; child < min(i*dueBranches+1+dueBranches, len(p.due)); child++ {
			if childAt := p.dueAt(child); childAt < soonestAt {
				soonest, soonestAt = child, childAt
			}
		}
		if soonest == i {
			break
		}
		p.dueSet(i, p.due[soonest])
		i = soonest
	}
	p.dueSet(i, ref)
}

// Suspension is a reason to leave keys whose time has come in place.
type Suspension uint32

// The reasons.
const (
	Paused    Suspension = 1 << iota // data stay as they are for a while
	Following                        // another node says when keys go
)

// SuspendExpiry leaves keys whose time has come in place, or no longer for
// that reason. They are not seen all the same.
func (ks *Keyspace) SuspendExpiry(why Suspension, suspended bool) {
	if suspended {
		ks.suspended.Or(uint32(why))
	} else {
		ks.suspended.And(^uint32(why))
	}
}

// expires reports whether keys go when their time has come.
func (ks *Keyspace) expires() bool { return ks.suspended.Load() == 0 }

// expireRun is how many keys are removed under one hold of a partition's
// lock, so a mass expiry delays no command for long.
const expireRun = 64

// ExpireDue removes at most limit keys whose time has come by now, and reports
// how many it removed and whether it stopped at the limit. It holds one
// partition at a time. One goroutine calls it; it goes round the partitions so
// that a limit starves none.
func (ks *Keyspace) ExpireDue(now int64, limit int) (removed int, more bool) {
	if !ks.expires() {
		return 0, false
	}
	for range partitionCount {
		p := &ks.partitions[ks.expireFrom]
		for {
			n := p.expireDue(now, min(expireRun, limit-removed))
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

func (p *partition) expireDue(now int64, limit int) (removed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for removed < limit && len(p.due) > 0 && p.dueAt(0) <= now {
		l := p.locate(p.due[0])
		p.ks.logDrop(l.rec.key())
		p.expire(&l)
		removed++
	}
	return removed
}

// removeExpired removes those of the keys whose time has come by now, each with
// its partition held, by h or for the moment.
func (ks *Keyspace) removeExpired(h *Held, now int64, keys []string) {
	for _, name := range keys {
		key := []byte(name)
		slot := Slot(key)
		p := &ks.partitions[slot/slotsInPartition]
		if h.beside() {
			p.mu.Lock()
		}
		if l, ok := p.find(ks.hash(key, slot), key); ok && l.rec.gone(now) && ks.expires() {
			if h.beside() {
				ks.logDrop(key)
				p.expire(&l)
			} else {
				h.expire(p, &l)
			}
		}
		if h.beside() {
			p.mu.Unlock()
		}
	}
}

// CountExpired counts a key as expired that a command removed because the time
// it gave it was past.
func (ks *Keyspace) CountExpired() { ks.expired.Add(1) }
