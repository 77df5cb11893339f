package slab

import "sync"

// A pool is the slabs of one size class. The slots of a slab are given out in order while there are untouched
// ones, so that a new slab takes memory only as it fills; slots that were freed form a list and go first:
//
//	record.free --+                        record.cut
//	              v                            v
//	| used | used | free | used | free | used | untouched ...            |
//	              next --------> 0
//
// A slab is in one of four states: current, the one that slots are taken from; full; in the list of its quarter
// of fullness; or empty, and then it is no slab any more, as its pages go back to the space at once. The next
// current slab is one of the fullest, so that slabs with few slots in use get the chance to run empty.
type pool struct {
	mu      sync.Mutex
	current uint32           // first page of the slab that slots are taken from, 0 for none
	partial [quarters]uint32 // first slab of each list
	class   uint8
	pages   uint16   // of a slab
	slots   uint16   // of a slab
	stride  uint16   // units from slot to slot
	_       [28]byte // keeps neighbours' locks off one cache line
}

const quarters = 4

func (p *pool) init(class int) {
	stride := int(classTable[class].size) + canaryBytes
	p.class = uint8(class)
	p.pages = classTable[class].pages
	if invariants {
		p.pages++ // room for the canaries
	}
	p.stride = uint16(stride / unitBytes)
	if stride > 0 {
		p.slots = uint16(int(p.pages) * PageSize / stride)
	}
}

// alloc takes a slot.
func (p *pool) alloc(h *Heap) (Ref, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == 0 {
		if err := p.next(h); err != nil {
			return 0, err
		}
	}
	slab := p.current
	rec := h.refs.record(slab)
	unit := uint32(rec.cut)
	if rec.free != 0 {
		unit = uint32(rec.free - 1)
		rec.free = *h.link(slab, unit)
		if invariants {
			p.checkFreed(h, slab, unit)
		}
	} else {
		rec.cut += p.stride
	}
	rec.used++
	if rec.used == p.slots {
		p.current = 0
	}
	if invariants {
		p.paint(h, slab, unit)
		p.check(h, slab)
	}
	return Ref(slab*pageUnits + unit), nil
}

// next makes a slab with room the current one.
func (p *pool) next(h *Heap) error {
	for quarter := quarters - 1; quarter >= 0; quarter-- {
		if slab := p.partial[quarter]; slab != 0 {
			p.unlink(h, slab, quarter)
			p.current = slab
			return nil
		}
	}
	slab, err := h.take(&h.refs, uint64(p.pages), p.class)
	if err != nil {
		return err
	}
	for i := range uint32(p.pages) {
		*h.refs.record(slab + i) = record{back: uint16(i)}
	}
	p.current = slab
	return nil
}

// free takes a slot back.
func (p *pool) free(h *Heap, r Ref) {
	page := uint32(r >> pageShift)
	p.mu.Lock()
	slab := page - uint32(h.refs.record(page).back)
	rec := h.refs.record(slab)
	unit := uint32(r) - slab*pageUnits
	if invariants {
		p.poison(h, slab, unit)
	}
	*h.link(slab, unit) = rec.free
	rec.free = uint16(unit + 1)
	rec.used--
	used := rec.used
	if slab != p.current {
		before, now := p.quarter(used+1), p.quarter(used)
		if used+1 == p.slots {
			before = -1 // full slabs are in no list
		}
		if used == 0 {
			now = -1
		}
		if before != now {
			p.move(h, slab, before, now)
		}
	} else if used == 0 {
		p.current = 0
	}
	if invariants {
		p.check(h, slab)
	}
	p.mu.Unlock()
	if used == 0 {
		// No slot, no list and no other goroutine knows of the slab any more.
		h.refs.freeSlab(slab, uint32(p.pages))
	}
}

// quarter is the list for slabs with so many slots in use.
func (p *pool) quarter(used uint16) int {
	switch q := p.slots / quarters; {
	case used < q:
		return 0
	case used < 2*q:
		return 1
	case used < 3*q:
		return 2
	}
	return 3
}

// move takes a slab from one list to another; -1 is none.
func (p *pool) move(h *Heap, slab uint32, from, to int) {
	if from >= 0 {
		p.unlink(h, slab, from)
	}
	if to >= 0 {
		h.refs.push(&p.partial[to], slab)
	}
}

func (p *pool) unlink(h *Heap, slab uint32, quarter int) {
	h.refs.unlink(&p.partial[quarter], slab)
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = 0
	p.partial = [quarters]uint32{}
}

// link is where a free slot keeps the next one.
func (h *Heap) link(slab, unit uint32) *uint16 {
	return (*uint16)(h.refs.unit(Ref(slab*pageUnits + unit)))
}
