package slab

// state is what is known of the memory of a free run.
//
//	granules   |           |           |           |           |
//	pages      | used |scrap | used|scr| idle                  | clean ...
//
// Free neighbours of the same state are always joined, and scrap that comes to fill a granule turns idle.
type state uint8

const (
	// scrap shares its granules with runs in use; it does not exist where a granule is a page.
	scrap state = iota
	// idle is whole granules that have memory and could give it back.
	idle
	// clean is whole granules without memory.
	clean
	states
)

// alloc takes a run of pages and marks it: with kindRun its first page, with a class each page.
func (s *space) alloc(pages uint64, kind uint8) (uint32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, ErrClosed
	}
	if s.base == nil {
		if err := s.reserve(refPages); err != nil {
			return 0, err
		}
	}
	if pages > uint64(s.end) {
		return 0, errAddresses
	}
	n := uint32(pages)
	page, err := s.take(n)
	if err != nil {
		return 0, err
	}
	s.used += n
	if kind == kindRun {
		s.setKind(page, kindRun)
		s.record(page).length = n
	} else {
		for i := range n {
			s.setKind(page+i, kind)
		}
	}
	if invariants {
		s.check()
	}
	return page, nil
}

// take finds pages: in scrap if less than a granule is wanted, else whole granules, those first that have memory.
func (s *space) take(n uint32) (page uint32, err error) {
	if n < s.granule {
		if run := s.free[scrap].find(s, n); run != 0 {
			end := s.remove(run, scrap)
			s.put(run+n, end, scrap)
			return run, nil
		}
	}
	whole := (n + s.granule - 1) / s.granule * s.granule
	if page = s.free[idle].find(s, whole); page != 0 {
		end := s.remove(page, idle)
		s.put(page+whole, end, idle)
	} else if page, err = s.takeClean(whole); err != nil {
		return 0, err
	}
	if n < whole {
		s.insert(page+n, page+whole, scrap)
	}
	return page, nil
}

// takeClean takes whole granules that have no memory yet.
func (s *space) takeClean(whole uint32) (page uint32, err error) {
	page = s.free[clean].find(s, whole)
	if page == 0 && whole > s.end-s.top {
		return 0, errAddresses
	}
	bytes := int64(whole) * PageSize
	if !s.budget.take(bytes) {
		return 0, errLimit
	}
	if page != 0 {
		end := s.remove(page, clean)
		s.put(page+whole, end, clean)
		return page, nil
	}
	if err := s.prepare(s.top + whole); err != nil {
		s.budget.give(bytes)
		return 0, err
	}
	page = s.top
	s.top += whole
	return page, nil
}

// freeRun takes back a run that alloc marked as such, and says how many bytes it had.
func (s *space) freeRun(page uint32) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if page < s.first || page >= s.top || s.kind(page) != kindRun {
		panic("slab: free of pages that are not allocated")
	}
	n := s.record(page).length
	s.setKind(page, kindNone)
	s.giveBack(page, n)
	return int64(n) * PageSize
}

// freeSlab takes back a run that was a slab.
func (s *space) freeSlab(page, n uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range n {
		s.setKind(page+i, kindNone)
	}
	s.giveBack(page, n)
}

func (s *space) giveBack(page, n uint32) {
	s.used -= n
	s.insert(page, page+n, scrap)
	s.settle(n)
	if invariants {
		s.check()
	}
}

// insert makes [start, end) a free run, joined with its neighbours.
func (s *space) insert(start, end uint32, st state) {
	if start > s.first && s.kind(start-1) == kindFree+uint8(st) {
		start -= s.record(start - 1).length
		s.remove(start, st)
	}
	if end < s.top && s.kind(end) == kindFree+uint8(st) {
		end = s.remove(end, st)
	}
	if st == scrap {
		from, to := (start+s.granule-1)/s.granule*s.granule, end/s.granule*s.granule
		if from < to {
			s.put(start, from, scrap)
			s.put(to, end, scrap)
			s.insert(from, to, idle)
			return
		}
	}
	if st == clean && end == s.top {
		s.top = start
		s.recede()
		return
	}
	s.put(start, end, st)
}

// put enters [start, end), if it is not empty, as a free run that has no neighbour to be joined with.
func (s *space) put(start, end uint32, st state) {
	if start >= end {
		return
	}
	for _, edge := range [...]uint32{start, end - 1} {
		s.setKind(edge, kindFree+uint8(st))
		s.record(edge).length = end - start
	}
	s.free[st].add(s, start, end-start)
}

// remove takes a free run off the books and says where it ends.
func (s *space) remove(start uint32, st state) (end uint32) {
	n := s.record(start).length
	s.free[st].remove(s, start, n)
	s.setKind(start, kindNone)
	s.setKind(start+n-1, kindNone)
	return start + n
}
