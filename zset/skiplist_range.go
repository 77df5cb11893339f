package zset

// removeRange takes out the members with ranks from start up to end, which are neither none nor all.
func (l *skipList) removeRange(start, end int, t *Tuning) {
	// When fewer stay than go it is less work to move those that stay.
	if end-start > l.len()/2 && l.rebuild(start, end, t) {
		return
	}
	for r, n := l.cut(start, end), end-start; n > 0; n-- {
		nd := l.at(r)
		next := nd.next(0)
		l.drop(r, nd)
		r = next
	}
	l.index.shrink(l.hashOf)
}

// drop takes a node that is linked no more out of the index, and gives its memory back.
func (l *skipList) drop(r ref, nd node) {
	slot, _, _ := l.find(nd.member())
	l.index.remove(slot, l.hashOf)
	l.arena.release(r, nd.bytes())
}

// cut unlinks the run of nodes with ranks from start up to end, at once on each level, and gives its first. The
// nodes of the run keep the links between them.
func (l *skipList) cut(start, end int) (first ref) {
	var low, high path
	l.traceRank(start, &low)
	l.traceRank(end, &high)
	first = l.from(low.prev[0]).next(0)
	for level := range l.levels {
		// The level's last node before the end of the run is in the run, or it is the one before the run.
		prev, last := l.from(low.prev[level]), l.from(high.prev[level])
		past := high.rank[level] + last.span(level) // the members not after where last's link leads
		prev.setNext(level, last.next(level))
		prev.setSpan(level, past-low.rank[level]-(end-start))
	}
	if next := l.from(low.prev[0]).next(0); next != 0 {
		l.at(next).setBack(low.prev[0])
	} else {
		l.last = low.prev[0]
	}
	l.lower()
	return first
}

// ends are the places of the first member and after the last.
func (l *skipList) ends() (low, high place) {
	return place{0, int(l.head.next(0))}, place{l.len(), int(l.last)}
}

// low and high are the places of a range's ends, given the bounds there: in a skip list the node of its first member
// and that of its last.
func (l *skipList) low(b *bound) place {
	rank, prev := l.seek(b)
	return place{rank, int(l.from(prev).next(0))}
}

func (l *skipList) high(b *bound) place {
	rank, prev := l.seek(b)
	return place{rank, int(prev)}
}

// near is how many links are followed from a known place before a search is less work.
const near = 16

// walk is the node with the given rank, which must be from 0 to less than the length, reached from the ends of a
// range if one is near.
func (l *skipList) walk(rank int, low, high place) ref {
	if steps := rank - low.rank; 0 <= steps && steps <= near {
		r := ref(low.pos)
		for ; steps > 0; steps-- {
			r = l.at(r).next(0)
		}
		return r
	}
	if steps := high.rank - 1 - rank; 0 <= steps && steps <= near {
		r := ref(high.pos)
		for ; steps > 0; steps-- {
			r = l.at(r).back()
		}
		return r
	}
	return l.seekRank(rank)
}
