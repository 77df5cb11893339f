package keyspace

import (
	"zset.dev/operator/zset/hashindex"
	"zset.dev/operator/zset/slab"
)

// Clear removes every key, of which all partitions must be held, and reports
// how many there were. The keys, and what they take, are gone at once. Their
// memory is given back after Release, by Reclaim; with wait, or without a Reclaim
// to do it, by Release.
func (h *Held) Clear(wait bool) (removed int) {
	for i := range h.ks.partitions {
		if !h.holds(i) || h.shared {
			panic("keyspace: all keys were removed without holding all")
		}
	}
	h.Forget()
	h.wait = wait
	for i := range h.ks.partitions {
		removed += h.ks.partitions[i].clear(h)
	}
	if removed > 0 && h.Journals() {
		h.effects.Clear()
	}
	return removed
}

// cleared is what was in a partition.
type cleared struct {
	index hashindex.Index
	large []largeSet
	keys  int
}

func (p *partition) clear(h *Held) int {
	if p.count == 0 {
		return 0
	}
	for key := range p.watched {
		name := []byte(key)
		if _, ok := p.find(h.ks.hash(name, Slot(name)), name); ok {
			p.touch(name)
		}
	}
	n := p.count
	h.cleared = append(h.cleared, cleared{p.index, p.large, n})
	h.ks.keys.Add(-int64(n))
	h.ks.expiring.Add(-int64(len(p.due)))
	p.index, p.due, p.large, p.count = hashindex.New(h.ks.memory), nil, nil, 0
	clear(p.slots[:])
	p.charge(-p.bytes)
	h.ks.tables.Add(-p.table)
	p.table = 0
	return n
}

// discard gives back what Clear removed, or hands it over.
func (h *Held) discard() {
	for i := range h.cleared {
		h.ks.reclaimer.discard(&h.cleared[i], h.wait)
	}
	h.cleared = nil
}

// free gives everything back.
func (c *cleared) free(heap *slab.Heap) {
	for ref := range c.index.All {
		heap.Free(slab.Ref(ref))
	}
	for _, s := range c.large {
		s.set.Release()
	}
	c.index.Free()
}
