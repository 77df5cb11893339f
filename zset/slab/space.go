package slab

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// A space is a reservation of addresses with its tables behind it (see Heap for the drawing of both):
//
//	base                                        kinds         records
//	| pages ...                                 | 1 byte each | 20 bytes each |
//
// Pages from first to top belong to runs (run.go). Those from top on have never been used or are as if so. The
// system lets us touch pages and records up to ready, which moves up in large steps as top does.
//
// Memory is taken from the system and returned to it in granules: one page of the system, or a huge page.
type space struct {
	base    unsafe.Pointer // page 0; set by reserve, before any page of it is known to others
	kinds   unsafe.Pointer // likewise
	records unsafe.Pointer // likewise

	budget  *budget
	granule uint32 // pages

	mu      sync.Mutex // guards what follows, and the records and kinds of pages in no slab
	mapping mapping
	first   uint32 // pages below are left unused, so that page 0 can stand for none
	top     uint32 // a multiple of granule
	ready   uint32
	end     uint32 // pages reserved
	tables  int64  // bytes of the tables counted as mapped
	used    uint32 // pages in runs that are in use
	moving  uint32 // pages on their way back to the system
	free    [states]bins
	closed  bool
}

// record is what the space knows of a page beside its kind.
type record struct {
	next, prev uint32 // in a list of free runs, or of slabs in a pool; 0 is none
	length     uint32 // pages of a run, at its first page; of a free run at its last page too
	// Of a slab, at its first page, and there owned by the pool:
	free uint16 // unit of the slot freed last, plus 1; 0 is none
	cut  uint16 // units from here on are untouched
	used uint16 // slots in use
	// Of a slab, at each page:
	back uint16 // pages from the slab's first
}

// Kinds of pages beside the classes, whose kind is their number.
const (
	kindNone  = 0    // a page inside a run, or not in use
	kindRun   = 0xf0 // first page of a run in use
	kindFree  = 0xf8 // first or last page of a free run, plus the run's state
	recordLen = unsafe.Sizeof(record{})
)

const (
	hugePage = 2 << 20
	// Addresses for Refs; for pages without a Ref so many at a time. As many as the word size allows.
	wide        = ^uint(0) >> 63
	refPages    = min(1<<(17+6*wide), reservable) // 32 GiB
	regionPages = min(1<<(16+6*wide), reservable) // 16 GiB
	leastPages  = 1 << 12                         // a reservation that the system refuses is halved down to this
	readyStep   = 1 << 14                         // pages
	tableSlack  = 64 << 10                        // bytes of tables above top that are left as they are
)

var (
	errAddresses = fmt.Errorf("%w: no addresses left", ErrFull)
	errLimit     = fmt.Errorf("%w: at its limit", ErrFull)
)

func (s *space) init(b *budget, huge bool) {
	s.budget = b
	s.granule = uint32(max(os.Getpagesize(), PageSize) / PageSize)
	if huge {
		s.granule = hugePage / PageSize
	}
}

// reserve finds addresses for so many pages, a granule of which stays unused, or for fewer if the system does not
// have as many.
func (s *space) reserve(pages uint64) error {
	pages = (pages + hugePage/PageSize - 1) &^ (hugePage/PageSize - 1)
	for ; pages >= leastPages; pages /= 2 {
		m, err := reserve(uintptr(pages)*(PageSize+1+recordLen) + hugePage)
		if err == nil {
			return s.layOut(m, pages)
		}
	}
	return fmt.Errorf("%w: the system reserves no addresses", ErrFull)
}

// layOut puts pages and tables into a reservation. All kinds can be looked at from now on, so that a Ref out of nowhere
// meets no kind, but no fault either.
func (s *space) layOut(m mapping, pages uint64) error {
	base := unsafe.Add(m.start, -uintptr(m.start)&(hugePage-1))
	kinds := unsafe.Add(base, pages*PageSize)
	if err := commit(outward(kinds, 0, uintptr(pages))); err != nil {
		unmap(m)
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	adviseSmall(kinds, uintptr(pages)*(1+recordLen))
	if s.granule == hugePage/PageSize {
		adviseHuge(base, uintptr(pages)*PageSize)
	} else {
		adviseSmall(base, uintptr(pages)*PageSize)
	}
	s.mapping = m
	s.base, s.kinds, s.records = base, kinds, unsafe.Add(kinds, pages)
	s.first, s.top, s.end = s.granule, s.granule, uint32(pages)
	return nil
}

// prepare makes pages up to top usable, at the cost of counting their tables as mapped.
func (s *space) prepare(top uint32) error {
	if top > s.ready {
		ready := min((top+readyStep-1)&^(readyStep-1), s.end)
		err := errors.Join(
			commit(outward(s.base, uintptr(s.ready)*PageSize, uintptr(ready)*PageSize)),
			commit(outward(s.records, uintptr(s.ready)*recordLen, uintptr(ready)*recordLen)))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
		s.ready = ready
	}
	if tables := s.tableBytes(top); tables > s.tables {
		if !s.budget.take(tables - s.tables) {
			return errLimit
		}
		s.tables = tables
	}
	return nil
}

// recede gives back the tables of pages above top.
func (s *space) recede() {
	tables := s.tableBytes(s.top)
	if s.top != s.first && s.tables-tables < tableSlack || s.tables == tables {
		return
	}
	from := uintptr(s.top)
	if s.top == s.first {
		from = 0
	}
	kinds := inward(s.kinds, from, uintptr(s.ready))
	records := inward(s.records, from*recordLen, uintptr(s.ready)*recordLen)
	if errors.Join(release(kinds), release(records)) == nil {
		s.budget.give(s.tables - tables)
		s.tables = tables
	}
}

// tableBytes is the size of the tables for pages up to top, in pages of the system.
func (s *space) tableBytes(top uint32) int64 {
	if top == s.first {
		return 0
	}
	step := int64(os.Getpagesize())
	// The tables begin somewhere in a page.
	kinds := int64(top) + int64(uintptr(s.kinds)&uintptr(step-1))
	records := int64(top)*int64(recordLen) + int64(uintptr(s.records)&uintptr(step-1))
	return (kinds+step-1)&^(step-1) + (records+step-1)&^(step-1)
}

// memory is a range of addresses.
type memory struct {
	start unsafe.Pointer
	size  uintptr
}

// outward is [base+from, base+to) widened to whole pages of the system.
func outward(base unsafe.Pointer, from, to uintptr) memory {
	step := uintptr(os.Getpagesize())
	start, end := (uintptr(base)+from)&^(step-1), (uintptr(base)+to+step-1)&^(step-1)
	return memory{unsafe.Add(base, int(start-uintptr(base))), end - start}
}

// inward is [base+from, base+to) narrowed to whole pages of the system.
func inward(base unsafe.Pointer, from, to uintptr) memory {
	step := uintptr(os.Getpagesize())
	start, end := (uintptr(base)+from+step-1)&^(step-1), (uintptr(base)+to)&^(step-1)
	if start >= end {
		return memory{base, 0}
	}
	return memory{unsafe.Add(base, int(start-uintptr(base))), end - start}
}

// close gives everything back.
func (s *space) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base != nil {
		unmap(s.mapping)
		resident := s.used + s.free[scrap].pages + s.free[idle].pages
		s.budget.give(int64(resident)*PageSize + s.tables)
	}
	s.base, s.kinds, s.records, s.mapping = nil, nil, nil, mapping{}
	s.first, s.top, s.ready, s.end, s.tables, s.used = 0, 0, 0, 0, 0, 0
	s.free = [states]bins{}
	s.closed = true
}

func (s *space) kind(page uint32) uint8 { return *(*uint8)(unsafe.Add(s.kinds, uintptr(page))) }

func (s *space) setKind(page uint32, kind uint8) {
	*(*uint8)(unsafe.Add(s.kinds, uintptr(page))) = kind
}

func (s *space) record(page uint32) *record {
	return (*record)(unsafe.Add(s.records, uintptr(page)*recordLen))
}

// unit is the memory a Ref refers to.
func (s *space) unit(r Ref) unsafe.Pointer { return unsafe.Add(s.base, uintptr(r)*unitBytes) }

// bytes is the memory of pages.
func (s *space) bytes(page, pages uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(s.base, uintptr(page)*PageSize)), uintptr(pages)*PageSize)
}

// pageAt is the page that begins at an address.
func (s *space) pageAt(p unsafe.Pointer) (page uint32, ok bool) {
	offset := uintptr(p) - uintptr(s.base)
	return uint32(offset / PageSize), offset < uintptr(s.end)*PageSize && offset%PageSize == 0
}
