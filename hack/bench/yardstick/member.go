package yardstick

// find looks a member up, and gives its slot in the index and its node; a nil node if there is none.
func (l *List) find(member []byte) (slot int, r ref, nd node) {
	p := l.index.probe(l.key.sum(member))
	for slot, ok := p.next(&l.index); ok; slot, ok = p.next(&l.index) {
		if entry := l.index.refs[slot]; l.entryIs(entry, member) {
			r, nd := l.nodeOf(entry)
			return slot, r, nd
		}
	}
	return 0, 0, nil
}

// Score looks a member's score up.
func (l *List) Score(member []byte) (float64, bool) {
	_, _, nd := l.find(member)
	if nd == nil {
		return 0, false
	}
	return nd.score(), true
}

// Rank looks up how many members come before one.
func (l *List) Rank(member []byte) (int, bool) {
	_, _, nd := l.find(member)
	if nd == nil {
		return 0, false
	}
	rank, _ := l.seek(nd.score(), member)
	return rank, true
}

// Add gives a member the score, and says whether it is new. A member that is there stays in its place if the
// order allows.
func (l *List) Add(member []byte, score float64) bool { return l.add(member, score, false) }

// Increment adds to a member's score, a new member's being 0, and says whether it is new.
func (l *List) Increment(member []byte, by float64) bool { return l.add(member, by, true) }

func (l *List) add(member []byte, score float64, increment bool) bool {
	_, r, nd := l.find(member)
	if nd == nil {
		r, entry := l.newNode(member, score)
		nd := node(l.arena.at(r))
		used := l.Len()
		l.index.reserve(l.hashOf)
		l.index.insert(l.key.sum(member), entry)
		l.link(r, nd, used)
		return true
	}
	if increment {
		score += nd.score()
	}
	switch {
	case score == nd.score():
	case l.fits(nd, score):
		nd.setScore(score)
	default:
		l.unlink(nd)
		nd.setScore(score)
		l.link(r, nd, l.Len()-1)
	}
	return false
}

// fits says that with this score a node would lie between the same neighbours.
func (l *List) fits(nd node, score float64) bool {
	member := l.member(nd)
	if back := nd.back(); back != 0 && !l.before(l.arena.at(back), score, member) {
		return false
	}
	next := nd.next(0)
	return next == 0 || !l.before(l.arena.at(next), score, member)
}

// Remove takes a member out, and says whether it was there.
func (l *List) Remove(member []byte) bool {
	slot, r, nd := l.find(member)
	if nd == nil {
		return false
	}
	l.unlink(nd)
	l.index.remove(slot, l.hashOf)
	l.discard(r, nd)
	return true
}
