package slab

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Heap holds allocations with Refs in one space and pages without Refs in others. A space (space.go) is a
// reservation of addresses, of which the system backs by memory only what is in use:
//
//	a space: a row of pages of 4 KiB, cut into runs, and two tables with one element for each page
//
//	pages     |0     |1     |2             |4     |5                    |8      ... top ...      end
//	          | not  | slab | slab of two  | free | run of three pages  | free  |  untouched      |
//	          | used | 24 B | pages, 152 B |      | (or AllocPages')    |       |                 |
//	          +------+------+------+-------+------+------+------+-------+-------+-----------------+
//	kinds     |  -   |  3   |  19  |  19   | idle | run  |  -   |  -    | clean | ...    1 byte   |
//	records   |      |  *   |  *   |   *   |  *   |  *   |      |       |   *   | ...   20 bytes  |
//
//	a Ref: 32 bits, the distance from page 0 in units of 8 bytes
//
//	31                    9 8          0
//	+----------------------+------------+
//	| page                 | unit in it |      kinds[page] is the slab's class, which says the length
//	+----------------------+------------+
//
// So Bytes takes one look at the kinds, which for 1 GiB are 256 KiB and mostly in a cache, and does not touch
// what it finds. Page 0 is left unused and Ref 0 is nil.
//
// Small allocations are slots of slabs (slot.go): runs of pages cut into slots of one size class (class.go).
// Spaces hand out and join runs and give them back to the system (run.go, bins.go, release.go).
//
// Locks: each class has one, each space has one, taken in this order. Bytes takes none.
type Heap struct {
	inUse  atomic.Int64
	budget budget
	huge   bool
	_      [64]byte                 // keeps what every Bytes reads off the cache line that every Alloc writes
	refs   space                    // what has a Ref
	pools  [classes]pool            // by class
	grow   sync.Mutex               // guards adding to regions
	extra  atomic.Pointer[[]*space] // for pages without a Ref; the slice is replaced, never changed
	live   ledger
}

// Options of a Heap. The zero value is a good choice.
type Options struct {
	// HugePages asks the system for pages of 2 MiB, which makes walks through gigabytes faster, and takes and
	// returns memory in steps of that size. It has effect on Linux only.
	HugePages bool
	// Limit bounds the bytes mapped; 0 is no bound.
	Limit int64
}

// Ref refers to an allocation of the Heap that made it. The zero Ref refers to nothing.
type Ref uint32

const (
	// PageSize is the unit in bytes of large allocations.
	PageSize = 4096
	// MaxSlot is the size in bytes up to which an allocation shares pages with others. One byte more takes
	// whole pages, of which it wastes less than an eighth.
	MaxSlot = 32 << 10

	unitBytes = 8
	pageUnits = PageSize / unitBytes
	pageShift = 9 // of a Ref
)

var (
	// ErrFull says that the limit is reached, that the addresses of all Refs are taken, or that the system
	// has no memory left; the error that wraps it says which.
	ErrFull = errors.New("slab: full")
	// ErrClosed says that the Heap was closed.
	ErrClosed = errors.New("slab: closed")
)

// New makes a Heap, which maps nothing before it is used.
func New(o Options) *Heap {
	h := &Heap{huge: o.HugePages && hugePages, budget: budget{limit: o.Limit}}
	if o.Limit <= 0 {
		h.budget.limit = math.MaxInt64
	}
	h.refs.init(&h.budget, h.huge)
	for c := range h.pools {
		h.pools[c].init(c)
	}
	h.extra.Store(new([]*space))
	return h
}

// Alloc allocates n bytes. b has length n, the capacity Size(n), and any content. The error wraps ErrFull or is
// ErrClosed.
func (h *Heap) Alloc(n int) (r Ref, b []byte, err error) {
	if uint(n) > MaxSlot {
		return h.allocRun(n)
	}
	class := int(classOf[uint(n+unitBytes-1)/unitBytes])
	r, err = h.pools[class].alloc(h)
	if err != nil {
		return 0, nil, err
	}
	size := int(classTable[class].size)
	h.inUse.Add(int64(size))
	if invariants {
		h.live.add(h.refs.unit(r), size)
	}
	return r, unsafe.Slice((*byte)(h.refs.unit(r)), size)[:n], nil
}

// Bytes is the whole allocation, Size bytes; nil for the zero Ref.
func (h *Heap) Bytes(r Ref) []byte {
	if r == 0 {
		return nil
	}
	size := kindSize[h.refs.kind(uint32(r>>pageShift))]
	if invariants || size == 0 {
		return h.bytesChecked(r)
	}
	return unsafe.Slice((*byte)(h.refs.unit(r)), size)
}

// Word is the first four bytes of an allocation of at least so many, for those who share them with nothing but
// atomic operations to agree.
func (h *Heap) Word(r Ref) *atomic.Uint32 {
	if invariants {
		h.bytesChecked(r)
	}
	return (*atomic.Uint32)(h.refs.unit(r))
}

// bytesChecked is Bytes for runs, and for all under invariants.
func (h *Heap) bytesChecked(r Ref) []byte {
	if invariants {
		return unsafe.Slice((*byte)(h.refs.unit(r)), h.live.size(h.refs.unit(r), "use"))
	}
	page := uint32(r >> pageShift)
	if r%pageUnits != 0 || h.refs.kind(page) != kindRun {
		panic(fmt.Sprintf("slab: use of Ref %#x, which is not allocated", uint32(r)))
	}
	return h.refs.bytes(page, h.refs.record(page).length)
}

// Free takes back an allocation. The zero Ref is ignored.
func (h *Heap) Free(r Ref) {
	if r == 0 {
		return
	}
	if invariants {
		h.live.remove(h.refs.unit(r), "free")
	}
	page := uint32(r >> pageShift)
	kind := h.refs.kind(page)
	switch {
	case kindSize[kind] != 0:
		h.inUse.Add(-int64(kindSize[kind]))
		h.pools[kind].free(h, r)
	case kind == kindRun && r%pageUnits == 0:
		h.inUse.Add(-h.refs.freeRun(page))
	default:
		panic(fmt.Sprintf("slab: free of Ref %#x, which is not allocated", uint32(r)))
	}
}

// allocRun is Alloc for what is larger than a slot.
func (h *Heap) allocRun(n int) (Ref, []byte, error) {
	page, err := h.run(&h.refs, pagesOf(n)) // a negative n is more than there can be
	if err != nil {
		return 0, nil, err
	}
	r := Ref(page * pageUnits)
	if invariants {
		h.live.add(h.refs.unit(r), Size(n))
	}
	return r, h.refs.bytes(page, uint32(pagesOf(n)))[:n], nil
}

// run allocates a run for a caller.
func (h *Heap) run(s *space, pages uint64) (page uint32, err error) {
	page, err = h.take(s, pages, kindRun)
	if err == nil {
		h.inUse.Add(int64(pages) * PageSize)
	}
	return page, err
}

// take gets pages from a space. Where the limit stands against it, what the Heap has in reserve is given up first.
func (h *Heap) take(s *space, pages uint64, kind uint8) (uint32, error) {
	page, err := s.alloc(pages, kind)
	if err == errLimit {
		h.Trim()
		page, err = s.alloc(pages, kind)
	}
	return page, err
}

// AllocPages allocates whole pages: n bytes rounded up to a multiple of PageSize, which is the length of the
// result, with any content. Blocks of a multiple of 2 MiB are aligned to it if the Heap has huge pages.
// The error wraps ErrFull or is ErrClosed.
func (h *Heap) AllocPages(n int) ([]byte, error) {
	pages := max(pagesOf(n), 1)
	if pages > reservable {
		return nil, errAddresses
	}
	for tried := 0; ; {
		regions := *h.extra.Load()
		for _, s := range regions[tried:] {
			page, err := h.run(s, pages)
			if err == nil {
				b := s.bytes(page, uint32(pages))
				if invariants {
					h.live.add(unsafe.Pointer(&b[0]), len(b))
				}
				return b, nil
			}
			if err != errAddresses {
				return nil, err
			}
		}
		tried = len(regions)
		if err := h.addRegion(tried, pages); err != nil {
			return nil, err
		}
	}
}

// addRegion adds a space of at least so many pages, unless another goroutine has added one to the number known.
func (h *Heap) addRegion(known int, pages uint64) error {
	h.grow.Lock()
	defer h.grow.Unlock()
	old := *h.extra.Load()
	if len(old) != known {
		return nil
	}
	s := new(space)
	s.init(&h.budget, h.huge)
	if err := s.reserve(max(regionPages, pages+2*hugePage/PageSize)); err != nil {
		return err
	}
	if uint64(s.end-s.first) < pages {
		s.close()
		return errAddresses
	}
	regions := append(old[:len(old):len(old)], s)
	h.extra.Store(&regions)
	return nil
}

// FreePages takes back what AllocPages allocated: b must begin where that began. A large block costs the system's time
// to take it apart, of the order of 100 ms for a GiB of small pages, in which other operations go on.
func (h *Heap) FreePages(b []byte) {
	if cap(b) == 0 {
		return
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	for _, s := range *h.extra.Load() {
		if page, ok := s.pageAt(p); ok {
			if invariants {
				h.live.remove(p, "free")
			}
			h.inUse.Add(-s.freeRun(page))
			return
		}
	}
	panic(fmt.Sprintf("slab: free of pages at %p, which are not allocated", p))
}

// InUse is the bytes allocated: the sum of their Sizes.
func (h *Heap) InUse() int64 { return h.inUse.Load() }

// Mapped is the bytes that the system may have given memory for.
func (h *Heap) Mapped() int64 { return h.budget.mapped.Load() }

// Trim gives all memory back to the system that can be, the reserve against thrashing included.
func (h *Heap) Trim() {
	h.refs.trim()
	for _, s := range *h.extra.Load() {
		s.trim()
	}
}

// Close gives everything back to the system. The memory of allocations must not be touched any more, and of the
// methods only Alloc, AllocPages, InUse, Mapped, Trim and Close may be called, the first two of which refuse.
func (h *Heap) Close() {
	for c := range h.pools {
		h.pools[c].close()
	}
	h.grow.Lock()
	defer h.grow.Unlock()
	h.refs.close()
	for _, s := range *h.extra.Load() {
		s.close()
	}
	closed := []*space{{closed: true}}
	h.extra.Store(&closed)
	h.inUse.Store(0)
	h.live.clear()
}

// budget counts the bytes mapped against the limit.
type budget struct {
	mapped atomic.Int64
	limit  int64
}

// take counts n more bytes unless they would pass the limit.
func (b *budget) take(n int64) bool {
	for {
		mapped := b.mapped.Load()
		if n > b.limit-mapped {
			return false
		}
		if b.mapped.CompareAndSwap(mapped, mapped+n) {
			return true
		}
	}
}

func (b *budget) give(n int64) { b.mapped.Add(-n) }
