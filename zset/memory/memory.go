// Package memory is where the arrays of large sets and of indexes come from. Whoever owns such arrays obtains them from
// a Source, the Go heap when that is nil, remembers them as Extents, and dismisses each exactly once.
package memory

import (
	"slices"

	"zset.dev/operator/zset/slab"
)

// Source is where arrays come from. Its methods are called from whichever goroutines change or release what was made
// with it.
type Source interface {
	// Alloc gives at least n bytes of any content, all of which the owner uses and accounts for. The id comes back
	// with them when they are freed. After an error nothing was taken.
	Alloc(n int) (b []byte, id uint32, err error)
	Free(b []byte, id uint32)
}

// OffHeap is memory of h: outside the Go heap, where the garbage collector neither scans it nor counts it.
func OffHeap(h *slab.Heap) Source { return offHeap{h} }

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

// An Extent is an array from a Source, with what gives it back.
type Extent struct {
	Buf []byte
	ID  uint32
}

// Obtain allocates at least n bytes from m, or from the Go heap where m is nil. It fails when there are none.
func Obtain(m Source, n int) (e Extent, ok bool) {
	if m == nil {
		return Extent{Buf: fromGo(n)}, true
	}
	b, id, err := m.Alloc(n)
	return Extent{b, id}, err == nil
}

// fromGo gives at least n bytes of the Go heap, and all that they take of it.
func fromGo(n int) []byte {
	if n <= largeInGo {
		b := slices.Grow([]byte(nil), n)
		return b[:cap(b)]
	}
	// What is large takes whole pages. Grow would write to all of it, which in memory that is fresh from the system is a fault for
	// each page at once, half a millisecond for a MiB; make leaves that to the first use of each.
	return make([]byte, (n+goPage-1)&^(goPage-1))
}

const (
	largeInGo = 32 << 10 // up to which size the Go heap has classes
	goPage    = 8 << 10
)

// Dismiss gives e back to where Obtain had it from. The empty Extent needs it not, and may have it.
func (e Extent) Dismiss(m Source) {
	if m != nil && e.Buf != nil {
		m.Free(e.Buf, e.ID)
	}
}
