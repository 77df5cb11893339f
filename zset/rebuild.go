package zset

// An appender makes a skip list from members that arrive in order, each at the end: it remembers the last node
// of every level, so that none is searched for.
type appender struct {
	list   *skipList
	tuning *Tuning
	end    path // last node of each level and its rank, counted from 1; 0 is the head
}

// append adds a member that is not there and belongs at the end. It fails, with nothing changed, when the arena
// is full.
func (a *appender) append(member []byte, score float64) bool {
	l := a.list
	r, ok := l.newNode(member, score, a.tuning)
	if !ok {
		return false
	}
	l.index.reserve(l.hashOf)
	l.index.insert(l.key.sum(member), r)
	nd, rank := l.at(r), l.len()
	l.raise(nd.levels())
	for level := range nd.levels() {
		prev := l.from(a.end.prev[level])
		prev.setNext(level, r)
		prev.setSpan(level, rank-a.end.rank[level])
		a.end.prev[level], a.end.rank[level] = r, rank
		nd.setNext(level, 0)
	}
	nd.setBack(l.last)
	l.last = r
	return true
}

// finish sets the spans of the links to nowhere, which must count what follows.
func (a *appender) finish() {
	for level := range a.list.levels {
		a.list.from(a.end.prev[level]).setSpan(level, a.list.len()-a.end.rank[level])
	}
}

// rebuild moves the members but those with ranks from start up to end into a new arena and index, which have no
// waste, in order, which is good for walks. Towers are drawn anew. The hash key stays, so that a scan can go on.
// Should the arena's limit be too near for that, nothing changes and ok is false.
func (l *skipList) rebuild(start, end int, t *Tuning) (ok bool) {
	fresh := newSkipList(&l.random, l.len()-(end-start))
	fresh.key = l.key
	fresh.arena.limit = l.arena.limit
	a := appender{list: fresh, tuning: t}
	for rank, r := 0, l.head.next(0); ; rank++ {
		if rank == start {
			r = l.seekRank(end)
		}
		if r == 0 {
			break
		}
		nd := l.at(r)
		if !a.append(nd.member(), nd.score()) {
			return false
		}
		r = nd.next(0)
	}
	a.finish()
	*l = *fresh
	return true
}

// settle gives memory back when much of it is waste. It is called after whatever frees some.
func (l *skipList) settle(t *Tuning) {
	if l.arena.wasteful() {
		l.rebuild(0, 0, t)
	}
}
