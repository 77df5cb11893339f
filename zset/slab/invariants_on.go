//go:build invariants

package slab

import (
	"bytes"
	"fmt"
	"sync"
	"unsafe"
)

// With the build tag invariants
//
//   - what is allocated is kept in a ledger, and use or free of anything else panics;
//   - fresh slots are painted, so that no one finds zeros by chance; freed ones are poisoned, and one that has
//     changed by the time it is given out again panics;
//   - a canary stands behind each slot and is looked at when the slot is freed;
//   - the slab concerned is checked after each operation, and the space after each that takes or frees pages, while it
//     is small; a large one when the pages in use are a multiple of checkEvery.
const (
	invariants  = true
	canaryBytes = 8

	paintByte  = 0xa5
	poisonByte = 0xdb
	canaryByte = 0xca

	smallSpace = 512 // pages, up to which a space is checked each time
	checkEvery = 256
	checkSlabs = 16 // of a list
)

// ledger knows each allocation and its size.
type ledger struct {
	mu    sync.Mutex
	sizes map[unsafe.Pointer]int // guarded by mu
}

func (l *ledger) add(p unsafe.Pointer, size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sizes == nil {
		l.sizes = make(map[unsafe.Pointer]int)
	}
	if _, ok := l.sizes[p]; ok {
		panic(fmt.Sprintf("slab: %p allocated twice", p))
	}
	l.sizes[p] = size
}

// size is the bytes of an allocation about to be used or freed.
func (l *ledger) size(p unsafe.Pointer, what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.find(p, what)
}

func (l *ledger) remove(p unsafe.Pointer, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.find(p, what)
	delete(l.sizes, p)
}

func (l *ledger) find(p unsafe.Pointer, what string) int {
	size, ok := l.sizes[p]
	if !ok {
		panic(fmt.Sprintf("slab: %s of %p, which is not allocated", what, p))
	}
	return size
}

func (l *ledger) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sizes = nil
}

// slot is the memory of a slot with its canary.
func (p *pool) slot(h *Heap, slab, unit uint32) (slot, canary []byte) {
	b := unsafe.Slice((*byte)(h.refs.unit(Ref(slab*pageUnits+unit))), int(p.stride)*unitBytes)
	return b[:len(b)-canaryBytes], b[len(b)-canaryBytes:]
}

// paint prepares a slot to be given out.
func (p *pool) paint(h *Heap, slab, unit uint32) {
	slot, canary := p.slot(h, slab, unit)
	fill(slot, paintByte)
	fill(canary, canaryByte)
}

// poison makes a slot unfit for use, having looked at its canary.
func (p *pool) poison(h *Heap, slab, unit uint32) {
	slot, canary := p.slot(h, slab, unit)
	if bytes.Count(canary, []byte{canaryByte}) != len(canary) {
		panic(fmt.Sprintf("slab: write past the end of %p, of %d bytes", &slot[0], len(slot)))
	}
	fill(slot, poisonByte)
}

// checkFreed looks whether a slot still is as poison left it, but for the link to the next.
func (p *pool) checkFreed(h *Heap, slab, unit uint32) {
	slot, _ := p.slot(h, slab, unit)
	rest := slot[unsafe.Sizeof(uint16(0)):]
	if bytes.Count(rest, []byte{poisonByte}) != len(rest) {
		panic(fmt.Sprintf("slab: write to %p, of %d bytes, after it was freed", &slot[0], len(slot)))
	}
}

func fill(b []byte, with byte) {
	for i := range b {
		b[i] = with
	}
}

// check looks at a slab's books. The pool's lock is held.
func (p *pool) check(h *Heap, slab uint32) {
	rec := h.refs.record(slab)
	free := 0
	for next := rec.free; next != 0; next = *h.link(slab, uint32(next-1)) {
		unit := next - 1
		if unit >= rec.cut || unit%p.stride != 0 {
			panic(fmt.Sprintf("slab: page %d: unit %d in the list of free slots", slab, unit))
		}
		if free++; free > int(p.slots) {
			panic(fmt.Sprintf("slab: page %d: the list of free slots goes in a circle", slab))
		}
	}
	if cut := int(rec.cut / p.stride); free+int(rec.used) != cut || cut > int(p.slots) {
		panic(fmt.Sprintf("slab: page %d: %d free and %d used of %d slots", slab, free, rec.used, cut))
	}
	for i := range uint32(p.pages) {
		if kind, back := h.refs.kind(slab+i), h.refs.record(slab+i).back; kind != p.class || back != uint16(i) {
			panic(fmt.Sprintf("slab: page %d: kind %d, %d pages from its slab's first", slab+i, kind, back))
		}
	}
	for quarter := range p.partial {
		p.checkList(h, quarter)
	}
}

// checkList looks at the first slabs of a list.
func (p *pool) checkList(h *Heap, quarter int) {
	before := uint32(0)
	slab := p.partial[quarter]
	for i := 0; i < checkSlabs && slab != 0; i++ {
		rec := h.refs.record(slab)
		if h.refs.kind(slab) != p.class || rec.back != 0 || slab == p.current || rec.prev != before ||
			rec.used == 0 || rec.used == p.slots || p.quarter(rec.used) != quarter {
			panic(fmt.Sprintf("slab: page %d, of a slab with %d slots of %d in use, is in list %d", slab, rec.used, p.slots, quarter))
		}
		before, slab = slab, rec.next
	}
}

// check looks at all runs. The space's lock is held.
func (s *space) check() {
	if s.top > smallSpace && s.used%checkEvery != 0 {
		return
	}
	var free [states]uint32
	used := uint32(0)
	last := states // state of the run before, if free
	for page := s.first; page < s.top; {
		kind, n := s.kind(page), uint32(1)
		st := state(kind - kindFree)
		switch {
		case kind == kindRun:
			n = s.record(page).length
			used += n
			last = states
		case kindSize[kind] != 0:
			used++
			last = states
		case kind >= kindFree && st < states:
			n = s.record(page).length
			s.checkFree(page, n, st, last)
			free[st] += n
			last = st
		default:
			panic(fmt.Sprintf("slab: page %d begins no run: kind %d", page, kind))
		}
		if n == 0 || n > s.top-page {
			panic(fmt.Sprintf("slab: page %d: a run of %d pages", page, n))
		}
		page += n
	}
	if last == clean {
		panic("slab: a clean run at the top")
	}
	if used != s.used+s.moving {
		panic(fmt.Sprintf("slab: %d pages in use, %d counted", used, s.used+s.moving))
	}
	for st := range states {
		s.checkBins(st, free[st])
	}
}

// checkFree looks at one free run, behind one of another state.
func (s *space) checkFree(page, n uint32, st, last state) {
	end := page + n
	if n == 0 || s.kind(end-1) != s.kind(page) || s.record(end-1).length != n {
		panic(fmt.Sprintf("slab: page %d: the edges of a free run of %d pages differ", page, n))
	}
	if st == last {
		panic(fmt.Sprintf("slab: page %d: two free runs not joined", page))
	}
	from, to := (page+s.granule-1)/s.granule*s.granule, end/s.granule*s.granule
	if st == scrap && from < to || st != scrap && (from != page || to != end) {
		panic(fmt.Sprintf("slab: page %d: %d pages of state %d", page, n, st))
	}
}

// checkBins counts the runs in the lists.
func (s *space) checkBins(st state, want uint32) {
	b := &s.free[st]
	got := uint32(0)
	for bin, run := range b.heads {
		if (run != 0) != (b.some[bin/64]>>(bin%64)&1 == 1) {
			panic(fmt.Sprintf("slab: list %d is marked wrong", bin))
		}
		for ; run != 0; run = s.record(run).next {
			n := s.record(run).length
			if binOf(n) != bin || s.kind(run) != kindFree+uint8(st) {
				panic(fmt.Sprintf("slab: page %d is in list %d of state %d", run, bin, st))
			}
			got += n
		}
	}
	if got != want || got != b.pages {
		panic(fmt.Sprintf("slab: %d pages of state %d, %d in lists, %d counted", want, st, got, b.pages))
	}
}
