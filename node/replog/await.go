package replog

import (
	"container/heap"
	"slices"
)

// What a Wait is for, beside a number of replicas.
const (
	OfRequired = -1 // all that are required
	OfDisk     = -2 // this node's disk
)

// A Wait is for confirmations of one offset. Its owner may use it again once it is over. Wake is called when there are
// enough, with a lock held: it must not wait, nor call the Confirmations.
type Wait struct {
	Wake   func()
	offset int64
	of     quorum
	place  int // in its queue, from 1; 0 once it is not there; guarded by the Confirmations' mu
}

// quorum is whose confirmations are waited for.
type quorum struct {
	count int  // replicas, or one of the numbers above
	saved bool // on their disks
}

// Await waits until so many replicas have everything before offset, if saved on their disks; or with OfRequired until
// all that are required have it, or with OfDisk the node's own disk. It reports whether they do; then w.Wake will not be called.
func (c *Confirmations) Await(w *Wait, offset int64, count int, saved bool) (enough bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.offset, w.of = offset, quorum{count, saved}
	if c.reached(w.of) >= offset {
		return true
	}
	q := c.queues[w.of]
	if q == nil {
		if c.queues == nil {
			c.queues = map[quorum]*waiters{}
		}
		q = new(waiters)
		c.queues[w.of] = q
	}
	heap.Push(q, w)
	return false
}

// Cancel ends a wait, which may be over already. Wake is not called after it.
func (c *Confirmations) Cancel(w *Wait) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.place == 0 {
		return
	}
	q := c.queues[w.of]
	heap.Remove(q, w.place-1)
	if len(*q) == 0 {
		delete(c.queues, w.of)
	}
}

// WakeAll ends all waits for those required: something else than their confirmations has decided.
func (c *Confirmations) WakeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wake(quorum{count: OfRequired}, everything)
}

// WakeDisks ends all waits for disks: this node's does not get anything any more.
func (c *Confirmations) WakeDisks() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for of := range c.queues {
		if of.saved || of.count == OfDisk {
			c.wake(of, everything)
		}
	}
}

// serve ends the waits for which there is enough now. It is called after each change.
func (c *Confirmations) serve() {
	least, required := c.least()
	if required {
		c.kept.Store(least)
	}
	c.requires.Store(required)
	for of := range c.queues {
		c.wake(of, c.reached(of))
	}
}

// wake ends the waits of a queue up to an offset.
func (c *Confirmations) wake(of quorum, reached int64) {
	q := c.queues[of]
	if q == nil {
		return
	}
	for len(*q) > 0 && (*q)[0].offset <= reached {
		heap.Pop(q).(*Wait).Wake()
	}
	if len(*q) == 0 {
		delete(c.queues, of)
	}
}

// least is up to where all required ones have everything.
func (c *Confirmations) least() (offset int64, required bool) {
	offset = everything
	for _, f := range c.replicas {
		if f.required {
			offset, required = min(offset, f.offset), true
		}
	}
	if c.disk.required {
		offset, required = min(offset, c.disk.offset), true
	}
	return offset, required
}

// reached is up to where those have everything.
func (c *Confirmations) reached(of quorum) int64 {
	switch of.count {
	case OfRequired:
		least, _ := c.least()
		return least
	case OfDisk:
		return c.disk.offset
	}
	if of.count <= 0 {
		return everything
	}
	offsets := make([]int64, 0, 8)
	for _, f := range c.replicas {
		if !f.gone {
			offsets = append(offsets, f.has(of.saved))
		}
	}
	if of.count > len(offsets) {
		return -1
	}
	slices.Sort(offsets)
	return offsets[len(offsets)-of.count]
}

// waiters is a heap, the lowest offset first.
type waiters []*Wait

func (q waiters) Len() int           { return len(q) }
func (q waiters) Less(i, j int) bool { return q[i].offset < q[j].offset }

func (q waiters) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i+1, j+1
}

// Push and Pop are for container/heap only.
func (q *waiters) Push(x any) {
	w := x.(*Wait)
	*q = append(*q, w)
	w.place = len(*q)
}

func (q *waiters) Pop() any {
	last := len(*q) - 1
	w := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	w.place = 0
	return w
}
