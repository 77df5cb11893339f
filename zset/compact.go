package zset

// Removals leave holes, which later inserts fill. When holes come to be a third of an arena, the segment that has
// least in it is emptied: its records or blocks move to other places, some with each write, and then it is given back.
// Whichever segment this is, it has at most two thirds in use, so the work follows what was removed, and no write
// has more than a few steps of it.
//
// A small list, whose blocks are in one segment, is closed up as a whole instead of growing.

const (
	// compactSteps is how many pieces a write that removes a member moves at most, of each arena.
	compactSteps = 4
	// sweepSteps is how many pieces, holes included, are looked at for that.
	sweepSteps = 16
)

// compact does a few steps of emptying segments, for so many members that were removed. It must not be called
// while there are paths or spots in use.
func (l *skipList) compact(removed int) {
	if !l.records.toChase() && !l.blocks.toChase() {
		return
	}
	for range removed {
		records, blocks := l.compactRecords(), l.compactBlocks()
		if !records && !blocks {
			return
		}
	}
}

// compactRecords moves some records out of the segment being emptied. It is false when there is nothing to do.
func (l *skipList) compactRecords() bool {
	a := &l.records
	moved := 0
	for range sweepSteps {
		if moved == compactSteps || !a.chase() {
			return moved > 0
		}
		if a.sweep >= a.books[a.victim].filled {
			a.drop(a.victim)
			return true
		}
		r := ref(uint32(a.victim)<<segmentShift | a.sweep)
		size, hole := extentOf(a.at(r))
		if hole {
			a.fillIn(r, recordClass(size))
			a.sweep += uint32(size)
			continue
		}
		if !l.moveRecord(r, size) {
			return false
		}
		moved++
	}
	return true
}

// moveRecord moves a record of size bytes to another place. It fails when there is no memory.
func (l *skipList) moveRecord(r ref, size int) bool {
	to, ok := l.records.alloc(size)
	if !ok {
		return false
	}
	copy(l.records.at(to)[:size], l.records.at(r)[:size])
	var p path
	l.traceMember(r, l.records.score(r), &p)
	l.blocks.at(p.prev[0]).setRef(p.i, to)
	l.index.Replace(l.hashOf(r), uint32(r), uint32(to))
	l.records.release(r, size)
	return true
}

// compactBlocks is compactRecords for blocks.
func (l *skipList) compactBlocks() bool {
	a := &l.blocks
	for range sweepSteps {
		if !a.chase() {
			return false
		}
		if a.sweep >= a.books[a.victim].filled {
			a.drop(a.victim)
			return true
		}
		r := ref(uint32(a.victim)<<(segmentShift-unitShift) | a.sweep>>unitShift)
		at := a.at(r)
		if at.levels() != 0 {
			var p path
			first := at.ref(0)
			l.traceMember(first, l.records.score(first), &p)
			_, ok := l.resize(&p, at.units())
			return ok
		}
		units := a.holeUnits(r)
		a.fillIn(r, holeClass(units))
		a.sweep += uint32(units) << unitShift
	}
	return true
}

// crowded says that a list's only segment of blocks is about to grow and has an eighth of it in holes.
func (l *skipList) crowded() bool {
	a := &l.blocks
	return len(a.bufs) == 1 && a.rest() < crowdedRest && a.holed() > a.held/8+unitBytes
}

// crowdedRest is less than which at the end of a segment counts as none.
const crowdedRest = 8 * unitBytes

// closeUp moves all blocks to a new segment, without holes, in order. Without memory for it it does nothing.
func (l *skipList) closeUp() {
	old := l.blocks
	fresh := newBlocks(old.mem)
	fresh.limit = old.limit
	if !fresh.open(min(old.live+crowdedRest+nilBytes, segmentBytes)) {
		return
	}
	fresh.books[0].filled = nilBytes
	l.blocks = fresh
	var end path // the last block of each level so far
	last := ref(0)
	for from := l.head.next(0); from != 0; {
		at := old.at(from)
		r, ok := l.blocks.alloc(at.units())
		if !ok { // the segment has room for all
			panic("zset: no room for blocks that had some")
		}
		copy(l.blocks.at(r)[:at.size()], at)
		for level := range at.levels() {
			l.block(end.prev[level]).setNext(level, r)
			end.prev[level] = r
		}
		l.blocks.at(r).setBack(last)
		last, from = r, at.next(0)
	}
	l.last = last
	old.segments.free()
}
