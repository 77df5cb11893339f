package zset

import "math"

// insert adds a member that is not there. It fails, with no member changed, when there is no memory.
func (l *skipList) insert(member []byte, hash uint64, score float64, t *Tuning) bool {
	r, ok := l.records.add(member, score)
	if !ok {
		return false
	}
	if !l.index.Reserve(hash, l) || !l.link(r, score, t) {
		l.records.remove(r)
		return false
	}
	l.index.Insert(hash, uint32(r))
	return true
}

// link puts a record in its place. It fails, with no member changed, when there is no memory.
func (l *skipList) link(r ref, score float64, t *Tuning) bool {
	if l.last == 0 {
		return l.begin(r, score, t)
	}
	if l.crowded() {
		l.closeUp()
	}
	b := l.boundOf(r, score)
	if l.linkEnd(&b, r) {
		return true
	}
	var p path
	l.trace(&b, &p)
	l.growsAt(int(p.rank[0]) + p.i)
	at, ok := l.makeRoom(&p, score, t)
	if ok {
		l.put(at, p.i, r, score)
		l.passed(&p, 1)
	}
	return ok
}

// begin makes the first block.
func (l *skipList) begin(r ref, score float64, t *Tuning) bool {
	levels := t.level(l.random.Uint64())
	first, at, ok := l.blocks.add(levels, blockUnits(levels, 1))
	if !ok {
		return false
	}
	at.fit(score, score, highSide)
	var p path
	l.follow(&p, first, levels, 0, math.Inf(-1))
	l.put(l.blocks.at(first), 0, r, score)
	l.enter(&p)
	l.passed(&p, 1)
	return true
}

// put enters a record in a block that has room, at position i.
func (l *skipList) put(at block, i int, r ref, score float64) {
	at.insert(i, 0, r)
	l.setKey(at, i, score)
}

// setKey sets the key at position i of a block, where the record has the given score. If that is beyond what the
// block's keys can tell apart, all are chosen anew, with room for more on that side.
func (l *skipList) setKey(at block, i int, score float64) {
	key, outside := at.keyOf(score)
	switch {
	case !outside:
		at.setKey(i, key)
	case key == 0:
		l.refit(at, lowSide)
	default:
		l.refit(at, highSide)
	}
}

// refit chooses the keys of a block anew.
func (l *skipList) refit(at block, room side) {
	n := at.count()
	at.fit(l.records.score(at.ref(0)), l.records.score(at.ref(n-1)), room)
	for i := range n {
		key, _ := at.keyOf(l.records.score(at.ref(i)))
		at.setKey(i, key)
	}
}

// narrow is how much of the range of keys a block must use not to get new ones when it was split.
const narrow = maxKey / 16

// sharpen chooses the keys of a block anew if they are close together.
func (l *skipList) sharpen(at block) {
	if n := at.count(); n > 1 && at[shiftAt] > 0 && at.key(n-1)-at.key(0) < narrow {
		l.refit(at, bothSides)
	}
}

// makeRoom makes room for a member at the end of a path, which then leads to where that is. Without memory for it
// no member changes, and ok is false.
func (l *skipList) makeRoom(p *path, score float64, t *Tuning) (at block, ok bool) {
	at = l.blocks.at(p.prev[0])
	if !at.full() {
		return at, true
	}
	if at.units() < blockUnits(at.levels(), t.options.BlockEntries) {
		return l.resize(p, at.units()+1)
	}
	return l.split(p, score, t)
}

// resize moves the block at the end of a path to one of another size, which must have room for its members.
func (l *skipList) resize(p *path, units int) (at block, ok bool) {
	from := p.prev[0]
	old := l.blocks.at(from)
	r, at, ok := l.blocks.add(old.levels(), units)
	if !ok {
		return nil, false
	}
	old = l.blocks.at(from) // the memory may have moved
	copy(at[:old.keysAt()], old)
	at[unitsAt] = byte(units)
	at.setCount(0)
	at.take(old, 0, old.count())
	var before path
	l.traceBefore(int(p.rank[0]), &before)
	for level := range at.levels() {
		l.block(before.prev[level]).setNext(level, r)
		p.prev[level] = r
	}
	if next := at.next(0); next != 0 {
		l.blocks.at(next).setBack(r)
	} else {
		l.last = r
	}
	l.blocks.remove(from)
	return at, true
}

// split makes two blocks of the one at the end of a path, which then leads to the one where its spot is, with room for a
// member of the given score. Members that come in order, at either end of the list, leave full blocks behind.
func (l *skipList) split(p *path, score float64, t *Tuning) (at block, ok bool) {
	from := p.prev[0]
	left := l.blocks.at(from)
	n := left.count()
	half := n / 2
	switch {
	case p.i == n && left.next(0) == 0:
		half = n
	case p.i == 0 && p.rank[0] == 0:
		half = 0
	}
	levels := t.level(l.random.Uint64())
	r, right, ok := l.blocks.add(levels, blockUnits(levels, n-half+1))
	if !ok {
		return nil, false
	}
	left = l.blocks.at(from) // the memory may have moved
	between := score
	if half < n {
		between = l.records.score(left.ref(half))
		copy(right[:backAt], left)
		right[shiftAt] = left[shiftAt]
		right.take(left, half, n)
		left.setCount(half)
		l.sharpen(right)
	} else {
		right.fit(score, score, highSide)
	}
	if half > 0 {
		l.sharpen(left)
	} else {
		left.fit(score, score, lowSide)
	}
	rank := int(p.rank[0]) + half
	l.follow(p, r, levels, rank, between)
	if half < n {
		l.resize(p, blockUnits(left.levels(), half+1)) // without memory for it, it stays larger than it need be
	}
	if p.i > half || half == n {
		for level := range levels {
			p.prev[level], p.rank[level] = r, uint32(rank)
		}
		p.i -= half
	}
	return l.blocks.at(p.prev[0]), true
}

// follow links a new block at r behind the one at the end of a path. rank is how many members are before it, and bound
// separates it from those.
func (l *skipList) follow(p *path, r ref, levels, rank int, bound float64) {
	l.raise(levels)
	at := l.blocks.at(r)
	for level := range levels {
		prev := l.block(p.prev[level])
		here := rank - int(p.rank[level])
		at.setLink(level, prev.bound(level), prev.next(level), prev.span(level)-here)
		prev.setLink(level, bound, r, here)
	}
	at.setBack(p.prev[0])
	if next := at.next(0); next != 0 {
		l.blocks.at(next).setBack(r)
	} else {
		l.last = r
	}
}

// unfollow unlinks the block at r, which comes behind the end of a path, and gives it back. Members that it has count
// as those of the block before.
func (l *skipList) unfollow(p *path, r ref) {
	at := l.blocks.at(r)
	for level := range at.levels() {
		prev := l.block(p.prev[level])
		prev.setLink(level, at.bound(level), at.next(level), prev.span(level)+at.span(level))
	}
	if next := at.next(0); next != 0 {
		l.blocks.at(next).setBack(p.prev[0])
	} else {
		l.last = p.prev[0]
	}
	l.blocks.remove(r)
	l.lower()
	if p.prev[0] == 0 {
		l.lead()
	}
}

// lead lets all searches enter the first block, after it has become that.
func (l *skipList) lead() {
	if first := l.head.next(0); first != 0 {
		for level := range l.blocks.at(first).levels() {
			l.head.setBound(level, math.Inf(-1))
		}
	}
}

// remove takes out the member at r.
func (l *skipList) remove(r ref, hash uint64, score float64, t *Tuning) {
	var p path
	l.traceMember(r, score, &p)
	l.removeAt(&p, r, hash, t)
}

// removeAt takes out the member at r, which is at the end of a path.
func (l *skipList) removeAt(p *path, r ref, hash uint64, t *Tuning) {
	l.unlink(p)
	l.drop(r, hash)
	l.tidy(p, t)
}

// drop takes a record that is in no block out of the index, and gives its memory back.
func (l *skipList) drop(r ref, hash uint64) {
	l.index.Remove(hash, uint32(r))
	l.index.Shrink(hash, l)
	l.records.remove(r)
}

// unlink takes the member at the end of a path out of its block. A block left empty goes; the path has none then.
func (l *skipList) unlink(p *path) {
	r := p.prev[0]
	at := l.blocks.at(r)
	at.remove(p.i, p.i+1)
	l.passed(p, -1)
	if at.count() == 0 {
		l.traceBefore(int(p.rank[0]), p)
		l.unfollow(p, r)
		p.prev[0] = 0
	}
}

// tidy gives back what the block at the end of a path has too much after members were taken out: it joins a neighbour when
// both are small, so that some must go or come before that block is split again.
func (l *skipList) tidy(p *path, t *Tuning) {
	if p.prev[0] == 0 {
		return
	}
	at, most := l.blocks.at(p.prev[0]), t.options.BlockEntries*3/4
	n := at.count()
	if n < most/3 {
		if next := at.next(0); next != 0 && n+l.blocks.at(next).count() <= most {
			l.join(p, next)
			return
		}
		if back := at.back(); back != 0 && n+l.blocks.at(back).count() <= most {
			r := p.prev[0]
			l.traceBefore(int(p.rank[0]), p)
			l.join(p, r)
			return
		}
	}
	if units := blockUnits(at.levels(), n); units+1 < at.units() {
		l.resize(p, units)
	}
}

// join moves the members of the block at r to the one before it, at the end of a path. Without memory for that it
// does nothing.
func (l *skipList) join(p *path, r ref) {
	at := l.blocks.at(p.prev[0])
	n := l.blocks.at(r).count()
	if units := blockUnits(at.levels(), at.count()+n); units > at.units() {
		var ok bool
		if at, ok = l.resize(p, units); !ok {
			return
		}
	}
	at.take(l.blocks.at(r), 0, n)
	l.refit(at, bothSides)
	l.unfollow(p, r)
}

// rescore gives the member at r another score. It fails, with nothing changed, when there is no memory.
func (l *skipList) rescore(r ref, old, score float64, t *Tuning) bool {
	var p path
	l.traceMember(r, old, &p)
	at := l.blocks.at(p.prev[0])
	if l.stays(at, &p, r, old, score) {
		l.records.setScore(r, score)
		l.setKey(at, p.i, score)
		return true
	}
	if at.count() == 1 {
		return l.moveOnly(r, &p, score, t)
	}
	l.unlink(&p)
	sparse, left := l.sparse(p.prev[0], t), ref(0)
	if sparse {
		left = l.blocks.at(p.prev[0]).ref(0)
	}
	l.records.setScore(r, score)
	if !l.link(r, score, t) {
		l.records.setScore(r, old)
		return !l.link(r, old, t) // never: the block that it left has room
	}
	if sparse {
		l.traceMember(left, l.records.score(left), &p)
		l.tidy(&p, t)
	}
	return true
}

// moveOnly is rescore for a member that is alone in its block, at the end of the path p. The block goes with it, so unlike
// others it could not take the member back: the new place is made before the old one goes.
func (l *skipList) moveOnly(r ref, p *path, score float64, t *Tuning) bool {
	var q path
	b := l.boundOf(r, score)
	l.trace(&b, &q)
	if q.prev[0] == p.prev[0] {
		l.records.setScore(r, score)
		l.setKey(l.blocks.at(p.prev[0]), 0, score)
		return true
	}
	at, ok := l.makeRoom(&q, score, t)
	if !ok {
		return false
	}
	l.records.setScore(r, score)
	l.put(at, q.i, r, score)
	l.passed(&q, 1)
	rank := int(p.rank[0])
	if int(q.rank[0])+q.i <= rank {
		rank++
	}
	l.traceRank(rank, p)
	l.unlink(p)
	return true
}

// sparse says that there is something to tidy about a block.
func (l *skipList) sparse(r ref, t *Tuning) bool {
	if r == 0 {
		return false
	}
	at := l.blocks.at(r)
	return at.count() < t.options.BlockEntries/4 || blockUnits(at.levels(), at.count())+1 < at.units()
}

// stays says that with another score the member at the end of a path is in the same place. It may say no when it is
// not known without looking further.
func (l *skipList) stays(at block, p *path, r ref, old, score float64) bool {
	key, _ := at.keyOf(score)
	b := l.boundOf(r, score)
	switch i := p.i - 1; {
	case i < 0:
		if p.rank[0] > 0 && score < old {
			return false
		}
	case !l.precedes(at, i, key, &b):
		return false
	}
	if i := p.i + 1; i < at.count() {
		return !l.precedes(at, i, key, &b)
	}
	return at.next(0) == 0 || score < at.bound(0)
}

// precedes says that the member at position i of a block lies before b, whose score has the given key.
func (l *skipList) precedes(at block, i int, key uint64, b *bound) bool {
	if have := at.key(i); have != key {
		return have < key
	}
	member, score := l.records.pair(at.ref(i))
	return b.follows(member, score)
}
