package keyspace

import (
	"sync/atomic"

	"zset.dev/operator/zset/slab"
)

const (
	// reclaimLeast is from how many bytes on it pays to let another goroutine
	// give a set's memory back: some ten microseconds' work.
	reclaimLeast = 256 << 10
	// reclaimMost bounds what waits for it. What comes then is given back by
	// whoever removes it.
	reclaimMost = 4096
)

// reclaimer gives memory of large sets and of cleared partitions back, so that
// nobody has to wait for that, and nobody's partition.
type reclaimer struct {
	heap    *slab.Heap
	queue   chan garbage
	running atomic.Bool // somebody takes from the queue

	pending atomic.Int64 // sets and keys in the queue
	freed   atomic.Int64 // that were in it, ever
}

// garbage is one large set, or what was in a partition.
type garbage struct {
	set     largeSet
	cleared *cleared
}

// release gives a set's memory back, or lets it be given back.
func (r *reclaimer) release(s largeSet) {
	if s.set.MemoryUsage() < reclaimLeast || !r.offer(garbage{set: s}, 1) {
		s.set.Release()
	}
}

// discard does so with the content of a partition.
func (r *reclaimer) discard(c *cleared, wait bool) {
	if wait || !r.offer(garbage{cleared: c}, int64(c.keys)) {
		c.free(r.heap)
	}
}

func (r *reclaimer) offer(g garbage, objects int64) bool {
	if !r.running.Load() {
		return false
	}
	r.pending.Add(objects)
	select {
	case r.queue <- g:
		return true
	default:
		r.pending.Add(-objects)
		return false
	}
}

func (r *reclaimer) free(g garbage) {
	objects := int64(1)
	if g.cleared != nil {
		objects = int64(g.cleared.keys)
		g.cleared.free(r.heap)
	} else {
		g.set.set.Release()
	}
	r.pending.Add(-objects)
	r.freed.Add(objects)
}

// Reclaim gives back what large sets and all keys at once had that are gone,
// until stop is closed. One goroutine runs it. Without it that is done by
// whoever removes them.
func (ks *Keyspace) Reclaim(stop <-chan struct{}) {
	r := &ks.reclaimer
	r.running.Store(true)
	for {
		select {
		case g := <-r.queue:
			r.free(g)
			continue
		case <-stop:
		}
		break
	}
	r.running.Store(false)
	for {
		select {
		case g := <-r.queue:
			r.free(g)
			continue
		default:
		}
		break
	}
}

// Reclaimed is how many keys are gone whose memory is still to be given back,
// and of how many it was, ever, after they were gone.
func (ks *Keyspace) Reclaimed() (pending, freed int64) {
	return ks.reclaimer.pending.Load(), ks.reclaimer.freed.Load()
}
