package keyspace

import (
	"slices"
	"sync/atomic"
)

// Waiter is a client that waits for one of some keys to hold a set: what a
// blocking pop becomes when it finds none.
//
// It stands in the queue of each of its keys. While it waits none of them
// holds anything, at any moment at which their partitions are not held: who
// makes such a key serves its queue before it releases the partition (Ready).
// So a waiter is never passed over, first come is first served, and nothing
// can be seen in between.
//
// It is ended once, by whoever takes it first: a server of its key, its
// deadline, CLIENT UNBLOCK, or the end of its connection. After that it may
// still be found in queues, where it is skipped, until Leave.
type Waiter struct {
	Keys  [][]byte // in the order the client named them; not to be changed
	Owner any      // what the caller has to say about it
	// Wrote is the offset behind what its being served changed, in the journal;
	// 0 for none. It may be read once the waiter has left its queues.
	Wrote int64
	taken atomic.Bool
}

// Taken reports whether the wait has been ended.
func (w *Waiter) Taken() bool { return w.taken.Load() }

// Take ends the wait. It reports whether the caller is the one who ended it.
func (w *Waiter) Take() bool { return w.taken.CompareAndSwap(false, true) }

// queue is who waits for one key, first come first.
type queue []*Waiter

// Await lets w wait. Its keys' partitions must be held for writing, and none
// of the keys may be there.
func (h *Held) Await(w *Waiter) {
	for _, key := range w.Keys {
		p := h.writable(h.place(key))
		if slices.Contains(p.waiting[string(key)], w) {
			continue // a key named twice
		}
		if p.waiting == nil {
			p.waiting = map[string]queue{}
		}
		if p.waiting[string(key)] == nil {
			h.ks.awaited.Add(1)
		}
		p.waiting[string(key)] = append(p.waiting[string(key)], w)
	}
}

// Leave takes a waiter that was taken out of its queues. The caller holds no
// partition. When it returns, whoever served the waiter is done.
func (ks *Keyspace) Leave(w *Waiter) {
	for _, key := range w.Keys {
		p := ks.partitionOf(string(key))
		p.mu.Lock()
		all := p.waiting[string(key)]
		if i := slices.Index(all, w); i >= 0 {
			if all = slices.Delete(all, i, i+1); len(all) == 0 {
				delete(p.waiting, string(key))
				ks.awaited.Add(-1)
			} else {
				p.waiting[string(key)] = all
			}
		}
		p.mu.Unlock()
	}
}

// Awaited is the number of keys clients wait for.
func (ks *Keyspace) Awaited() int { return int(ks.awaited.Load()) }

// Ready calls serve for each waiter that can be served now, in the order in
// which their keys came to be and then in which they came: with the first of
// its keys that holds a set. serve takes members and settles, or leaves them to
// the next waiter.
// It is to be called before Release, once a command or transaction is done. If
// anybody waits, clock is asked for the time, since a key may have expired
// while a transaction went on.
func (h *Held) Ready(clock func() int64, serve func(*Waiter, *Entry)) {
	if len(h.ready) > 0 {
		h.now = max(h.now, clock())
	}
	for len(h.ready) > 0 {
		name := h.ready[0]
		h.ready = h.ready[1:]
		key := []byte(name)
		for _, w := range h.partition(h.place(key)).waiting[name] {
			if h.Peek(key) == nil {
				break
			}
			e := h.firstHeld(w)
			if e == nil || !w.Take() {
				continue
			}
			h.served = append(h.served, w)
			serve(w, e)
		}
	}
	h.ready = nil
}

// firstHeld is the first of the waiter's keys that is there. Those in
// partitions that are not held cannot be.
func (h *Held) firstHeld(w *Waiter) *Entry {
	for _, key := range w.Keys {
		if h.holds(Slot(key) / slotsInPartition) {
			if e := h.Peek(key); e != nil {
				return e
			}
		}
	}
	return nil
}
