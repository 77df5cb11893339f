package keyspace

import (
	"sync/atomic"

	"zset.dev/operator/zset/hashindex"
	"zset.dev/operator/zset/slab"
)

// Records do not move by themselves, so after many were removed pages are left
// with a few in each, which the system cannot have back. Defragment moves those
// to fuller pages.
type defrag struct {
	at      uint64          // where the pass is, as a SCAN cursor; owned by Defragment's caller
	looked  int             // in this pass
	moved   int             // in this pass
	resting int             // calls to come that do nothing
	refs    []hashindex.Ref // of one step; kept for its memory

	running atomic.Bool
	hits    atomic.Int64 // records moved, ever
	misses  atomic.Int64 // records looked at that need not move, ever
}

const (
	// defragRun is about how many keys are looked at under one hold of a
	// partition's lock: some ten microseconds.
	defragRun = 64
	// defragRest is how many calls do nothing after a pass in which less than one
	// record in defragWorth had to move: what is free is free elsewhere then.
	defragRest  = 100
	defragWorth = 50
)

// Fragmentation is from when on it pays to move records.
type Fragmentation struct {
	Percent int64 // what is had from the system beyond what is in use, in hundredths of that
	Bytes   int64 // the same, in bytes
}

// reached reports whether there is so much of it.
func (f Fragmentation) reached(inUse, mapped int64) bool {
	free := mapped - inUse
	return free > f.Bytes && free > inUse/100*f.Percent
}

// Defragment moves records, where there is that much fragmentation, as long as
// more says so. It goes on where the last call ended. One goroutine calls it,
// from time to time, and holds nothing; it holds one partition at a time,
// briefly.
func (ks *Keyspace) Defragment(from Fragmentation, more func() bool) {
	d := &ks.defrag
	if d.resting > 0 {
		d.resting--
		return
	}
	needed := from.reached(ks.OffHeap())
	d.running.Store(needed)
	for needed && more() {
		if ks.defragStep(); d.at != 0 {
			continue
		}
		if d.moved*defragWorth < d.looked || d.looked == 0 {
			d.resting = defragRest
			d.running.Store(false)
			needed = false
		}
		d.looked, d.moved = 0, 0
	}
}

// defragStep looks at the next few keys.
func (ks *Keyspace) defragStep() {
	d := &ks.defrag
	number, from := d.at/cursorPositions, d.at%cursorPositions
	p := &ks.partitions[number]
	p.mu.Lock()
	defer p.mu.Unlock()
	d.refs = d.refs[:0]
	next := p.index.Scan(from, cursorPositions, defragRun, p, func(ref hashindex.Ref) bool {
		d.refs = append(d.refs, ref)
		return true
	})
	moved := 0
	for _, ref := range d.refs {
		if ks.heap.Sparse(slab.Ref(ref)) && p.moveElsewhere(slab.Ref(ref)) {
			moved++
		}
	}
	d.looked += len(d.refs)
	d.moved += moved
	d.hits.Add(int64(moved))
	d.misses.Add(int64(len(d.refs) - moved))
	if d.at = number*cursorPositions + next; d.at == partitionCount*cursorPositions {
		d.at = 0
	}
}

// moveElsewhere moves a record to another allocation, of the size it needs.
func (p *partition) moveElsewhere(ref slab.Ref) bool {
	l := p.locate(ref)
	old := l.rec.fields()
	f, form, bytes := plan(old.block-old.key, old.size, l.rec[flagsAt])
	f.number = old.number
	return p.move(&l, old, f, form, bytes, old.size)
}

// Defragmented is whether records are being moved, how many were, ever, and at
// how many was looked that need not.
func (ks *Keyspace) Defragmented() (running bool, hits, misses int64) {
	d := &ks.defrag
	return d.running.Load(), d.hits.Load(), d.misses.Load()
}
