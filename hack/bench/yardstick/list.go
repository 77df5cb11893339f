package yardstick

import (
	"bytes"
	"math"
	"math/rand/v2"
	"unsafe"
)

// Options of a list. Levels are at most 32.
type Options struct {
	P float64 // share of towers that reach from one level to the next, 0 < P < 1
	// Huge asks the system for huge pages.
	Huge bool
	// Indirect keeps the member apart from the node, in an entry that the index leads to: a score lookup then has
	// one dereference more, as in servers whose dictionary entry points to the node that has the score.
	Indirect bool
}

const maxLevel = 32

// List is a sorted set, made by New. It belongs to one goroutine at a time.
type List struct {
	arena    arena
	index    index
	pages    pages // of the index
	head     node  // of no member, before the first; ref 0 as a node to come from
	levels   int   // that have a node; at least 1
	key      hashKey
	random   *rand.PCG
	reach    [maxLevel - 1]uint64 // P^(i+1) as a share of 2^64
	indirect bool
}

// New makes an empty list, whose towers follow from the seed.
func New(o Options, seed uint64) *List {
	random := rand.NewPCG(seed, 0)
	l := &List{
		head:     make(node, headerAt+maxLevel*linkSize),
		levels:   1,
		key:      hashKey{random.Uint64(), random.Uint64()},
		random:   random,
		indirect: o.Indirect,
	}
	l.arena.pages.huge, l.pages.huge = o.Huge, o.Huge
	l.index = newIndex(leastSlot, &l.pages)
	share := 1.0
	for i := range l.reach {
		share *= o.P
		l.reach[i] = uint64(math.Ldexp(share, 64))
	}
	return l
}

// Release gives the memory back; the list must not be used any more.
func (l *List) Release() {
	l.arena.pages.free()
	l.pages.free()
	*l = List{}
}

// Len is the number of members.
func (l *List) Len() int { return l.index.used }

// Bytes is the memory of the list in all.
func (l *List) Bytes() int {
	return int(unsafe.Sizeof(*l)) + l.arena.bytes() + l.index.bytes() + cap(l.head)
}

// level draws the height of a tower.
func (l *List) level() int {
	random, level := l.random.Uint64(), 1
	for _, threshold := range &l.reach {
		if random >= threshold {
			break
		}
		level++
	}
	return level
}

// from is the node to come from at r: the head if r is 0.
func (l *List) from(r ref) node {
	if r == 0 {
		return l.head
	}
	return l.arena.at(r)
}

// before says that a node lies before a score and member.
func (l *List) before(nd node, score float64, member []byte) bool {
	if s := nd.score(); s != score {
		return s < score
	}
	return bytes.Compare(l.member(nd), member) < 0
}

// A path holds for each level in use the last node before a place, 0 being the head, and how many members are
// not after that node.
type path struct {
	prev [maxLevel]ref
	rank [maxLevel]int
}

// trace finds the path to the first node that is not before a score and member.
func (l *List) trace(score float64, member []byte, p *path) {
	nd, prev, rank, seen := l.head, ref(0), 0, ref(0)
	for level := l.levels - 1; level >= 0; level-- {
		for {
			next := nd.next(level)
			if next == seen { // 0, or the node that the level above stopped at
				break
			}
			following := node(l.arena.at(next))
			if !l.before(following, score, member) {
				seen = next
				break
			}
			rank += nd.span(level)
			nd, prev = following, next
		}
		p.prev[level], p.rank[level] = prev, rank
	}
}

// seek finds how many nodes are before a score and member, and the first that is not.
func (l *List) seek(score float64, member []byte) (rank int, r ref) {
	nd, seen := l.head, ref(0)
	for level := l.levels - 1; level >= 0; level-- {
		for {
			next := nd.next(level)
			if next == seen {
				break
			}
			following := node(l.arena.at(next))
			if !l.before(following, score, member) {
				seen = next
				break
			}
			rank += nd.span(level)
			nd = following
		}
	}
	return rank, nd.next(0)
}

// seekRank is the node that has so many members before it; 0 if there is none.
func (l *List) seekRank(rank int) ref {
	if rank >= l.Len() {
		return 0
	}
	nd, left := l.head, rank+1
	for level := l.levels - 1; ; level-- {
		for {
			next := nd.next(level)
			span := nd.span(level)
			if next == 0 || span > left {
				break
			}
			if left -= span; left == 0 {
				return next
			}
			nd = l.arena.at(next)
		}
	}
}

// link puts a node in its place; used is how many members there are beside it.
func (l *List) link(r ref, nd node, used int) {
	for ; l.levels < nd.levels(); l.levels++ {
		l.head.setNext(l.levels, 0)
		l.head.setSpan(l.levels, used)
	}
	var p path
	l.trace(nd.score(), l.member(nd), &p)
	rank := p.rank[0]
	for level := range l.levels {
		prev := l.from(p.prev[level])
		span := prev.span(level) + 1
		if level < nd.levels() {
			here := rank + 1 - p.rank[level]
			nd.setNext(level, prev.next(level))
			nd.setSpan(level, span-here)
			prev.setNext(level, r)
			span = here
		}
		prev.setSpan(level, span)
	}
	nd.setBack(p.prev[0])
	if next := nd.next(0); next != 0 {
		node(l.arena.at(next)).setBack(r)
	}
}

// unlink takes a node out of all its levels.
func (l *List) unlink(nd node) {
	var p path
	l.trace(nd.score(), l.member(nd), &p)
	for level := range l.levels {
		prev := l.from(p.prev[level])
		span := prev.span(level) - 1
		if level < nd.levels() {
			span += nd.span(level)
			prev.setNext(level, nd.next(level))
		}
		prev.setSpan(level, span)
	}
	if next := nd.next(0); next != 0 {
		node(l.arena.at(next)).setBack(nd.back())
	}
	l.lower()
}

// lower drops levels that have no node left.
func (l *List) lower() {
	for l.levels > 1 && l.head.next(l.levels-1) == 0 {
		l.levels--
	}
}
