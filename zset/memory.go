package zset

import (
	"slices"

	"zset.dev/operator/zset/slab"
)

// Memory is where the arrays of large sets come from. Its methods are called from whichever goroutines change or
// release the sets made with it.
type Memory interface {
	// Alloc gives at least n bytes of any content, all of which the set uses and accounts for. The id comes back
	// with them when they are freed. After an error nothing was taken; what needed the memory fails with ErrFull.
	Alloc(n int) (b []byte, id uint32, err error)
	Free(b []byte, id uint32)
}

// OffHeap is memory of h: outside the Go heap, where the garbage collector neither scans it nor counts it. A set
// with such memory must be released.
func OffHeap(h *slab.Heap) Memory { return offHeap{h} }

type offHeap struct{ heap *slab.Heap }

// Alloc takes what is small from a slab, under a Ref, and pages without one.
func (o offHeap) Alloc(n int) ([]byte, uint32, error) {
	if n <= slab.MaxSlot {
		r, b, err := o.heap.Alloc(n)
		return b[:cap(b)], uint32(r), err
	}
	b, err := o.heap.AllocPages(n)
	return b, 0, err
}

func (o offHeap) Free(b []byte, id uint32) {
	if id != 0 {
		o.heap.Free(slab.Ref(id))
		return
	}
	o.heap.FreePages(b)
}

// An extent is an array from a Memory.
type extent struct {
	buf []byte
	id  uint32
}

// obtain allocates from m, or from the Go heap where m is nil.
func obtain(m Memory, n int) (e extent, ok bool) {
	if m == nil {
		b := slices.Grow([]byte(nil), n)
		return extent{buf: b[:cap(b)]}, true
	}
	b, id, err := m.Alloc(n)
	return extent{b, id}, err == nil
}

// dismiss gives e back to where obtain had it from.
func dismiss(m Memory, e extent) {
	if m != nil && e.buf != nil {
		m.Free(e.buf, e.id)
	}
}
