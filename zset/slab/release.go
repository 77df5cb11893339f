package slab

// What is free and has memory is a reserve for the next allocations. The reserve has a bound that follows what is
// in use; memory above it goes back to the system in the course of frees, the longest runs first, as these cost least
// per byte. One free gives back about twice what it freed, so that none has to pay for many.

const (
	reservePages = hugePage / PageSize / 2 // that may be idle in any case
	reserveShare = 32                      // and this part of the pages in use
	// releaseLeast is how many pages it takes to be worth a call to the system.
	releaseLeast = 64
)

// reserveOf is how many pages may be idle.
func (s *space) reserveOf() uint32 { return max(reservePages, s.granule) + s.used/reserveShare }

// settle gives memory back after n pages were freed, if too much is idle.
func (s *space) settle(n uint32) {
	if reserve := s.reserveOf(); s.free[idle].pages > reserve {
		s.releaseIdle(min(s.free[idle].pages-reserve/2, max(2*n, releaseLeast, s.granule)))
	}
}

// releaseIdle gives back idle pages, until it has given so many or none is left. The lock is held by the caller and
// let go while the system works; runs it works on look as if in use.
func (s *space) releaseIdle(goal uint32) {
	for goal > 0 {
		start := s.free[idle].longest()
		if start == 0 {
			return
		}
		end := s.remove(start, idle)
		if part := (goal + s.granule - 1) / s.granule * s.granule; part < end-start {
			s.put(start, end-part, idle)
			start = end - part
		}
		n := end - start
		s.setKind(start, kindRun)
		s.record(start).length = n
		s.moving += n
		s.mu.Unlock()
		err := release(inward(s.base, uintptr(start)*PageSize, uintptr(end)*PageSize))
		s.mu.Lock()
		s.moving -= n
		s.setKind(start, kindNone)
		if err != nil {
			// Locked in memory, for one. It stays as a reserve.
			s.insert(start, end, idle)
			return
		}
		s.budget.give(int64(n) * PageSize)
		s.insert(start, end, clean)
		goal -= min(goal, n)
	}
}

// trim gives back all that is idle.
func (s *space) trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base == nil {
		return
	}
	s.releaseIdle(s.free[idle].pages)
	s.recede()
}
