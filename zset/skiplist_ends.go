package zset

import (
	"encoding/binary"

	"zset.dev/operator/zset/prefetch"
)

// The ends of a list, where members come in order of time, or are popped, need no search: the head leads to the first block
// on all of its levels, and no link counts what is behind the last block's first member. Nor are the blocks there made
// smaller, or joined, each time that they have lost some members, which is in vain for whoever goes on.

// shortList is of how many blocks' members a list is so short that they are.
const shortList = 16

// removeFirst takes out the first n members, which are not all.
func (l *skipList) removeFirst(n int, t *Tuning) {
	var p path
	gone := false
	for n > 0 {
		r := l.head.next(0)
		at := l.blocks.at(r)
		some := min(n, at.count())
		l.dropSome(at, 0, some)
		at.remove(0, some)
		l.passedFirst(at, -some)
		if gone = at.count() == 0; gone {
			l.unfollow(&p, r)
		}
		n -= some
	}
	at := l.blocks.at(l.head.next(0))
	if l.short(t) {
		l.enter(&p)
		l.tidy(&p, t)
	} else if gone || at.count()%popsAhead == 0 {
		l.lookAhead(at, true)
	}
}

// removeLast is removeFirst at the other end.
func (l *skipList) removeLast(n int, t *Tuning) {
	gone := false
	for n > 0 {
		r := l.last
		at := l.blocks.at(r)
		count := at.count()
		some := min(n, count)
		l.dropSome(at, count-some, count)
		at.setCount(count - some)
		l.length -= some
		if gone = some == count; gone {
			var p path
			l.traceBefore(l.length, &p)
			l.unfollow(&p, r)
		}
		n -= some
	}
	at := l.blocks.at(l.last)
	if l.short(t) {
		var p path
		l.traceRank(l.length-1, &p)
		l.tidy(&p, t)
	} else if gone || at.count()%popsAhead == 0 {
		l.lookAhead(at, false)
	}
}

// short says that room for the members of a block or two is not little beside what the list has.
func (l *skipList) short(t *Tuning) bool { return l.length < shortList*t.options.BlockEntries }

// passedFirst adds n to the spans over the first block, at, which it has gained.
func (l *skipList) passedFirst(at block, n int) {
	levels := at.levels()
	stretch(at[linkAt:at.keysAt()], n)
	stretch(l.head[linkAt+levels*linkSize:linkAt+l.levels*linkSize], n)
	l.length += n
}

// stretch adds n to the spans of some links.
func stretch(links []byte, n int) {
	for ; len(links) >= linkSize; links = links[linkSize:] {
		span := links[spanAt:linkSize]
		binary.LittleEndian.PutUint32(span, binary.LittleEndian.Uint32(span)+uint32(n))
	}
}

// growsAt remembers the side on which a member was put that has so many before it.
func (l *skipList) growsAt(rank int) {
	switch rank {
	case 0:
		l.grows = lowSide
	case l.length:
		l.grows = highSide
	default:
		l.grows = bothSides
	}
}

// linkEnd puts a record in its place if that is on the side where the one before it was put, and there is room.
func (l *skipList) linkEnd(b *bound, r ref) bool {
	switch l.grows {
	case lowSide:
		return l.linkFirst(b, r)
	case highSide:
		return l.linkLast(b, r)
	}
	return false
}

// linkFirst puts a record in its place if that is before all others, in the first block, and there is room.
func (l *skipList) linkFirst(b *bound, r ref) bool {
	at := l.blocks.at(l.head.next(0))
	if at.full() {
		return false
	}
	if member, score := l.records.pair(at.ref(0)); b.follows(member, score) {
		return false
	}
	l.put(at, 0, r, b.score)
	l.passedFirst(at, 1)
	return true
}

// linkLast is linkFirst at the other end.
func (l *skipList) linkLast(b *bound, r ref) bool {
	at := l.blocks.at(l.last)
	if at.full() {
		return false
	}
	n := at.count()
	if member, score := l.records.pair(at.ref(n - 1)); !b.follows(member, score) {
		return false
	}
	l.put(at, n, r, b.score)
	l.length++
	return true
}

// popsAhead is for how many pops at a time what they need is asked for.
const popsAhead = 8

// lookAhead asks for what the next pops need, who pops from an end being likely to go on: the buckets of the index that have
// the next members of a block, at, and the records of those after them. It is called each time that so many have gone,
// or when the block has become the first or last.
func (l *skipList) lookAhead(at block, first bool) {
	n := at.count()
	var hashes [popsAhead]uint64
	var room [4*popsAhead + 2]*byte
	lines := room[:0]
	for i := range min(2*popsAhead, n) {
		r := at.ref(i)
		if !first {
			r = at.ref(n - 1 - i)
		}
		if i < popsAhead {
			hashes[i] = l.hashOf(r)
			continue
		}
		b := l.records.at(r)
		lines = append(lines, &b[0], &b[min(usualRecord, len(b))-1])
	}
	for _, hash := range hashes[:min(popsAhead, n)] {
		first, last := l.index.Home(hash)
		lines = append(lines, first, last)
	}
	if n <= 2*popsAhead {
		next := at.next(0)
		if !first {
			next = at.back()
		}
		if next != 0 {
			b := l.blocks.at(next)
			lines = append(lines, &b[0], &b[min(usualBlock, len(b))-1])
		}
	}
	prefetch.Lines(lines)
}

const (
	// usualRecord is about where records end, and usualBlock blocks.
	usualRecord, usualBlock = 40, 7 * unitBytes
	// dropsAhead is for how many members that are removed together what they need is fetched at a time.
	dropsAhead = 16
)

// dropSome drops the records at [from, to) of a block.
func (l *skipList) dropSome(at block, from, to int) {
	if from+1 == to { // of pops in a row it was fetched before
		r := at.ref(from)
		l.drop(r, l.hashOf(r))
		return
	}
	var hashes [dropsAhead]uint64
	for from < to {
		some := min(to, from+dropsAhead)
		l.touchBlock(at, from, some)
		for i := from; i < some; i++ {
			hashes[i-from] = l.hashOf(at.ref(i))
		}
		l.index.Touch(hashes[:some-from])
		for i := from; i < some; i++ {
			l.drop(at.ref(i), hashes[i-from])
		}
		from = some
	}
}
