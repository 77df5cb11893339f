package zset

// removeRange takes out the members with ranks from start up to end, which are neither none nor all.
func (l *skipList) removeRange(start, end int, t *Tuning) {
	n := end - start
	// When fewer stay than go it is less work to move those that stay.
	if n > l.length/2 && n > fewMembers && l.rebuild(start, end, t) {
		return
	}
	switch {
	case start == 0:
		l.removeFirst(n, t)
		return
	case end == l.length && n <= t.options.BlockEntries:
		l.removeLast(n, t)
		return
	case n == 1:
		var p path
		l.traceRank(start, &p)
		r := l.blocks.at(p.prev[0]).ref(p.i)
		l.removeAt(&p, r, l.hashOf(r), t)
		return
	}
	s := l.seekRank(start)
	for n > 0 {
		at := l.blocks.at(s.block)
		to := min(at.count(), s.i+n)
		l.dropSome(at, s.i, to)
		n -= to - s.i
		s = spot{at.next(0), 0}
	}
	l.cut(start, end, t)
}

// fewMembers is how many can be removed one by one in less time than it takes to make a list.
const fewMembers = 16

// cut unlinks the members with ranks from start up to end, whose records are no longer there, at once on each level.
func (l *skipList) cut(start, end int, t *Tuning) {
	var low, high path
	l.traceBefore(start, &low)
	l.traceRank(min(end, l.length-1), &high)
	first, last := low.prev[0], high.prev[0]
	if end == l.length {
		last = 0
	}
	if first != 0 && first == last {
		at, before := l.blocks.at(first), int(low.rank[0])
		at.remove(start-before, end-before)
		l.passed(&low, start-end)
		l.tidy(&low, t)
		return
	}
	gone := l.block(first).next(0)
	l.bridge(&low, &high, last, start, end)
	if first != 0 {
		at := l.blocks.at(first)
		at.remove(start-int(low.rank[0]), at.count())
	}
	if last != 0 {
		at := l.blocks.at(last)
		drop := end - int(high.rank[0])
		at.remove(0, drop)
		at.setBack(first)
		for level := range at.levels() {
			at.setSpan(level, at.span(level)-drop)
		}
	} else {
		l.last = first
	}
	for gone != last {
		next := l.blocks.at(gone).next(0)
		l.blocks.remove(gone)
		gone = next
	}
	l.length -= end - start
	l.lower()
	if first == 0 {
		l.lead()
	} else {
		l.tidy(&low, t)
	}
	if start < l.length {
		l.traceRank(start, &low)
		l.tidy(&low, t)
	}
}

// bridge links, on each level, the blocks at the end of the path low to what is behind the gap: the block at last, which
// is at the end of the path high and will begin with the member of rank end, or what that path leads to.
func (l *skipList) bridge(low, high *path, last ref, start, end int) {
	for level := range l.levels {
		prev, far := l.block(low.prev[level]), l.block(high.prev[level])
		rank := int(low.rank[level])
		if last != 0 && level < l.blocks.at(last).levels() {
			at := l.blocks.at(last)
			bound := l.records.score(at.ref(end - int(high.rank[0])))
			prev.setLink(level, bound, last, start-rank)
			continue
		}
		span := int(high.rank[level]) + far.span(level) - (end - start) - rank
		prev.setLink(level, far.bound(level), far.next(level), span)
	}
}

// ends are the places of the first member and after the last.
func (l *skipList) ends() (low, high place) {
	return place{spot: spot{l.head.next(0), 0}},
		place{rank: l.length, spot: spot{l.last, l.blocks.at(l.last).count()}}
}

// place is the place at b.
func (l *skipList) place(b *bound) place {
	rank, s := l.seek(b)
	return place{rank: rank, spot: s}
}

// near is how many blocks are gone through from a known place before a search is less work.
const near = 4

// walk is the spot of the member with the given rank, which must be there, reached from the ends of a range if one is
// near.
func (l *skipList) walk(rank int, low, high place) spot {
	if s := low.spot; s.block != 0 && rank >= low.rank {
		s.i += rank - low.rank
		for range near {
			n := l.blocks.at(s.block).count()
			if s.i < n {
				return s
			}
			s = spot{l.blocks.at(s.block).next(0), s.i - n}
		}
	}
	if s := high.spot; s.block != 0 && rank < high.rank {
		s.i -= high.rank - rank
		for range near {
			if s.i >= 0 {
				return s
			}
			s.block = l.blocks.at(s.block).back()
			if s.block == 0 {
				break
			}
			s.i += l.blocks.at(s.block).count()
		}
	}
	return l.seekRank(rank)
}

// ascendFrom gives n members from a spot on, until yield is false.
func (l *skipList) ascendFrom(s spot, n int, yield func([]byte, float64) bool) {
	for {
		at := l.blocks.at(s.block)
		end := min(at.count(), s.i+n)
		l.touchBlock(at, s.i, end)
		for i := s.i; i < end; i++ {
			if !yield(l.records.pair(at.ref(i))) {
				return
			}
		}
		if n -= end - s.i; n == 0 {
			return
		}
		s = spot{at.next(0), 0}
	}
}

// descendFrom gives n members from a spot on downwards.
func (l *skipList) descendFrom(s spot, n int, yield func([]byte, float64) bool) {
	for {
		at := l.blocks.at(s.block)
		end := max(s.i+1-n, 0)
		l.touchBlock(at, end, s.i+1)
		for i := s.i; i >= end; i-- {
			if !yield(l.records.pair(at.ref(i))) {
				return
			}
		}
		if n -= s.i + 1 - end; n == 0 {
			return
		}
		s.block = at.back()
		s.i = l.blocks.at(s.block).count() - 1
	}
}

// touchBlock is Touch for the records at [from, to) of a block.
func (l *skipList) touchBlock(at block, from, to int) {
	var sum byte
	for i := from; i < to; i++ {
		sum |= l.records.at(at.ref(i))[scoreBytes]
	}
	touched(sum)
}
