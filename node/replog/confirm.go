package replog

import (
	"container/heap"
	"slices"
	"sync"
)

// Confirmations says how much of the log others have: replicas, and the disk. A Follower is one of them, whose offset only
// goes up. Who acknowledges a write waits here until enough of them have it.
//
// Two questions are asked. How many have it, as WAIT does; and whether all of those that are required have it, as a
// node does whose writes must not be lost. It bounds nothing by itself: a waiter ends its wait with Cancel.
type Confirmations struct {
	mu        sync.Mutex
	followers []*Follower // guarded by mu, as are their fields
	queues    []waitQueue // by the number of followers waited for; the first for those required
}

// A Follower confirms offsets.
type Follower struct {
	of       *Confirmations
	offset   int64
	required bool
}

// A Wait for confirmations. Done is closed when there are enough.
type Wait struct {
	Done   chan struct{}
	offset int64
	count  int
	place  int // in its queue; -1 once it is not there
}

// Join adds a follower that has everything before offset, the next byte it wants.
func (c *Confirmations) Join(offset int64) *Follower {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &Follower{of: c, offset: offset}
	c.followers = append(c.followers, f)
	c.serve()
	return f
}

// Confirm says that the follower has everything before offset. Less than it had before is ignored.
func (f *Follower) Confirm(offset int64) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	if offset > f.offset {
		f.offset = offset
		f.of.serve()
	}
}

// Require says whether all of those required include this follower.
func (f *Follower) Require(required bool) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.required = required
	f.of.serve()
}

// Offset is that of the next byte it wants.
func (f *Follower) Offset() int64 {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	return f.offset
}

// Leave takes the follower out. It confirms nothing any more, and nobody waits for it.
func (f *Follower) Leave() {
	c := f.of
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.followers, f); i >= 0 {
		c.followers = slices.Delete(c.followers, i, i+1)
		c.serve()
	}
}

// Count is how many followers have everything before offset.
func (c *Confirmations) Count(offset int64) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.followers {
		if f.offset >= offset {
			n++
		}
	}
	return n
}

// Required is how many followers are required.
func (c *Confirmations) Required() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.followers {
		if f.required {
			n++
		}
	}
	return n
}

// Await waits until so many followers have everything before offset; with a count of 0, until all of those required at that
// moment have: none is as good as all.
func (c *Confirmations) Await(offset int64, count int) *Wait {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := &Wait{Done: make(chan struct{}), offset: offset, count: count, place: -1}
	for len(c.queues) <= count {
		c.queues = append(c.queues, nil)
	}
	heap.Push(&c.queues[count], w)
	c.serve()
	return w
}

// Cancel ends a wait. It reports whether there were enough confirmations before.
func (c *Confirmations) Cancel(w *Wait) (enough bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.place < 0 {
		return true
	}
	heap.Remove(&c.queues[w.count], w.place)
	return false
}

// serve ends the waits for which there is enough now.
func (c *Confirmations) serve() {
	for count := range c.queues {
		q := &c.queues[count]
		if len(*q) == 0 {
			continue
		}
		reached := c.reached(count)
		for len(*q) > 0 && (*q)[0].offset <= reached {
			close(heap.Pop(q).(*Wait).Done)
		}
	}
}

// reached is up to where so many followers have everything, or all required ones.
func (c *Confirmations) reached(count int) int64 {
	const all = 1<<63 - 1
	if count == 0 {
		least := int64(all)
		for _, f := range c.followers {
			if f.required {
				least = min(least, f.offset)
			}
		}
		return least
	}
	if count > len(c.followers) {
		return -1
	}
	offsets := make([]int64, 0, 8)
	for _, f := range c.followers {
		offsets = append(offsets, f.offset)
	}
	slices.Sort(offsets)
	return offsets[len(offsets)-count]
}

// waitQueue is a heap, the lowest offset first.
type waitQueue []*Wait

func (q waitQueue) Len() int           { return len(q) }
func (q waitQueue) Less(i, j int) bool { return q[i].offset < q[j].offset }

func (q waitQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push and Pop are for container/heap only.
func (q *waitQueue) Push(x any) {
	w := x.(*Wait)
	w.place = len(*q)
	*q = append(*q, w)
}

func (q *waitQueue) Pop() any {
	last := len(*q) - 1
	w := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	w.place = -1
	return w
}
