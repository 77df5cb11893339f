package zset

import (
	"bytes"
	"math/rand/v2"
	"unsafe"
)

// A skipList is a set of any size: nodes in order, each with links to the next one of every level up to its own,
// and an index that finds a node by its member. head is a node of no member before the first, apart from the
// arena so that it can grow; as a node to come from it is ref 0, which as a node to go to is the end.
//
//	level 2  head ------------------------------> c ----------------------> 0
//	level 1  head -------------> b -------------> c ----------------------> 0
//	level 0  head ----> a -----> b -----> … ----> c -----> d -----> e ----> 0
//	           0 <----- a <----- b <----- … <---- c <----- d <----- e
//
// How many levels a node gets is drawn when it is made (Tuning.level).
type skipList struct {
	arena  arena
	index  index
	head   node
	levels int // that have a node; at least 1
	last   ref // the last node, 0 when there is none
	key    hashKey
	random rand.PCG
	// mixed says that the options for towers have changed while there were nodes: members that move get a new
	// tower, so that the new options come to hold in a set whose members stay and only their scores change.
	mixed bool
}

func newSkipList(random *rand.PCG, members int) *skipList {
	return &skipList{
		arena:  newArena(),
		index:  newIndex(indexSlots(members)),
		head:   make(node, nodeBytes(1, 0)),
		levels: 1,
		key:    hashKey{random.Uint64(), random.Uint64()},
		random: *random,
	}
}

func (l *skipList) len() int { return l.index.used }

// bytes is the memory of the list in all.
func (l *skipList) bytes() int {
	return int(unsafe.Sizeof(*l)) + l.arena.bytes() + l.index.bytes() + cap(l.head)
}

// at is the node at r, which must not be 0.
func (l *skipList) at(r ref) node { return l.arena.at(r) }

// from is the node to come from at r: the head if r is 0.
func (l *skipList) from(r ref) node {
	if r == 0 {
		return l.head
	}
	return l.arena.at(r)
}

func (l *skipList) hashOf(r ref) uint64 { return l.key.sum(l.at(r).member()) }

// find looks a member up, and gives its slot in the index and its node.
func (l *skipList) find(member []byte) (slot int, r ref, nd node) {
	p := l.index.probe(l.key.sum(member))
	for slot, ok := p.next(&l.index); ok; slot, ok = p.next(&l.index) {
		r := l.index.refs[slot]
		if nd := l.at(r); bytes.Equal(nd.member(), member) {
			return slot, r, nd
		}
	}
	return 0, 0, nil
}

// seek finds the last node before b, and how many members are not after it.
func (l *skipList) seek(b *bound) (rank int, prev ref) {
	nd, seen := l.head, ref(0)
	for level := l.levels - 1; level >= 0; level-- {
		for {
			next := nd.next(level)
			if next == seen { // 0, or the node that the level above stopped at
				break
			}
			following := l.at(next)
			if !following.before(b) {
				seen = next
				break
			}
			rank += nd.span(level)
			nd, prev = following, next
		}
	}
	return rank, prev
}

// seekRank is the node that has so many members before it; 0 if there is none.
func (l *skipList) seekRank(rank int) ref {
	if rank >= l.len() {
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
			nd = l.at(next)
		}
	}
}

// A path holds for each level in use the last node before a place, 0 being the head, and how many members are
// not after that node.
type path struct {
	prev [levelsLimit]ref
	rank [levelsLimit]int
}

// trace finds the path to the first node that is not before b.
func (l *skipList) trace(b *bound, p *path) {
	nd, prev, rank, seen := l.head, ref(0), 0, ref(0)
	for level := l.levels - 1; level >= 0; level-- {
		for {
			next := nd.next(level)
			if next == seen {
				break
			}
			following := l.at(next)
			if !following.before(b) {
				seen = next
				break
			}
			rank += nd.span(level)
			nd, prev = following, next
		}
		p.prev[level], p.rank[level] = prev, rank
	}
}

// traceRank finds the path to the node that has rank members before it.
func (l *skipList) traceRank(rank int, p *path) {
	nd, prev, seen := l.head, ref(0), 0
	for level := l.levels - 1; level >= 0; level-- {
		for {
			next := nd.next(level)
			span := nd.span(level)
			if next == 0 || seen+span > rank {
				break
			}
			seen += span
			nd, prev = l.at(next), next
		}
		p.prev[level], p.rank[level] = prev, seen
	}
}

// insert adds a member that is not there. It fails, with nothing changed, when the arena is full.
func (l *skipList) insert(member []byte, score float64, t *Tuning) (ok bool) {
	r, ok := l.newNode(member, score, t)
	if !ok {
		return false
	}
	l.index.reserve(l.hashOf)
	nd := l.at(r)
	l.index.insert(l.key.sum(member), r)
	l.link(r, nd)
	return true
}

// newNode makes a node that is not linked yet.
func (l *skipList) newNode(member []byte, score float64, t *Tuning) (ref, bool) {
	levels := t.level(l.random.Uint64())
	r, ok := l.arena.alloc(nodeBytes(levels, len(member)))
	if ok {
		l.at(r).init(levels, member, score)
	}
	return r, ok
}

// link puts a node, whose member is in the index already, in its place.
func (l *skipList) link(r ref, nd node) {
	l.raise(nd.levels())
	var p path
	l.trace(&bound{score: nd.score(), member: nd.member()}, &p)
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
		l.at(next).setBack(r)
	} else {
		l.last = r
	}
}

// raise makes the head as tall as a node that is about to be linked.
func (l *skipList) raise(levels int) {
	if need := nodeBytes(levels, 0); need > len(l.head) {
		l.head = append(l.head, make(node, need-len(l.head))...)
	}
	for ; l.levels < levels; l.levels++ {
		l.head.setNext(l.levels, 0)
		l.head.setSpan(l.levels, l.len()-1)
	}
}

// unlink takes the node r out of all its levels; p is the path to it.
func (l *skipList) unlink(r ref, nd node, p *path) {
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
		l.at(next).setBack(nd.back())
	} else {
		l.last = nd.back()
	}
	l.lower()
}

// lower drops levels that have no node left.
func (l *skipList) lower() {
	for l.levels > 1 && l.head.next(l.levels-1) == 0 {
		l.levels--
	}
}

// rank is how many members come before the one at nd.
func (l *skipList) rank(nd node) int {
	rank, _ := l.seek(&bound{score: nd.score(), member: nd.member()})
	return rank
}

// remove takes out the member at a slot of the index.
func (l *skipList) remove(slot int, r ref, nd node) {
	var p path
	l.trace(&bound{score: nd.score(), member: nd.member()}, &p)
	l.unlink(r, nd, &p)
	l.index.remove(slot, l.hashOf)
	l.arena.release(r, nd.bytes())
	l.index.shrink(l.hashOf)
}

// rescore gives a member another score. It stays where it is if the order allows.
func (l *skipList) rescore(slot int, r ref, nd node, score float64, t *Tuning) {
	if l.fits(nd, score) {
		nd.setScore(score)
		return
	}
	var p path
	l.trace(&bound{score: nd.score(), member: nd.member()}, &p)
	l.unlink(r, nd, &p)
	nd.setScore(score)
	if l.mixed {
		// Without room for another tower the member keeps the one it has.
		if fresh, ok := l.newNode(nd.member(), score, t); ok {
			l.index.refs[slot] = fresh
			l.arena.release(r, nd.bytes())
			r, nd = fresh, l.at(fresh)
		}
	}
	l.link(r, nd)
}

// fits says that with this score a node would lie between the same neighbours.
func (l *skipList) fits(nd node, score float64) bool {
	b := bound{score: score, member: nd.member()}
	if back := nd.back(); back != 0 && !l.at(back).before(&b) {
		return false
	}
	next := nd.next(0)
	return next == 0 || !l.at(next).before(&b)
}
