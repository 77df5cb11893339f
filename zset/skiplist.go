package zset

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"unsafe"

	"zset.dev/operator/zset/hashindex"
)

// A skipList is a set of any size: its members are records, in order in the blocks of an unrolled skip list, and an
// index finds a record by the member.
//
//	level 2  head ----------------------------------------> [k … p] ----------> end
//	level 1  head ---------------> [d … j] ---------------> [k … p] ----------> end
//	level 0  head -> [a b c] ----> [d … j] ----> [j' …] --> [k … p] -> [q r] -> end
//	              0 <- [a b c] <-- [d … j] <---- [j' …] <-- [k … p] <- [q r]
//
// How many levels a block gets is drawn when it is made (Tuning.level). head is a block of no members before the
// first, apart from the others so that it can grow; as a block to come from it is ref 0, which as a block to go to is
// the end. What separates two blocks is in the link from one to the other (block.go): a member that belongs
// between them goes to the end of the left one, so a block's first member never has to be made known.
type skipList struct {
	records records
	blocks  blocks
	index   hashindex.Index
	head    block
	levels  int // that have a block; at least 1
	length  int
	last    ref  // the last block, 0 when there is none
	grows   side // on which the last member was put, bothSides for one between others
	key     hashKey
	random  rand.PCG
	holders *holders // nil without snapshots
}

func newSkipList(m Memory, random *rand.PCG) *skipList {
	l := &skipList{
		records: newRecords(m),
		blocks:  newBlocks(m),
		index:   hashindex.New(m),
		head:    make(block, linkAt),
		key:     hashKey{random.Uint64(), random.Uint64()},
		random:  *random,
	}
	l.raise(1)
	return l
}

// free gives all memory back. The list must not be used any more.
func (l *skipList) free() {
	l.records.free()
	l.blocks.free()
	l.index.Free()
}

// bytes is the memory of the list in all.
func (l *skipList) bytes() int {
	return int(unsafe.Sizeof(*l)) + l.records.bytes() + l.blocks.bytes() + l.index.Bytes() + cap(l.head)
}

// block is the block to come from at r: the head if r is 0.
func (l *skipList) block(r ref) block {
	if r == 0 {
		return l.head
	}
	return l.blocks.at(r)
}

func (l *skipList) hashOf(r ref) uint64 { return l.key.sum(l.records.member(r)) }

// HashOf and Touch are for the index.
func (l *skipList) HashOf(r hashindex.Ref) uint64 { return l.hashOf(ref(r)) }

// Touch reads a byte of each record. None of the reads waits for another, so they wait for memory together, which what is
// done with one record after another would not.
func (l *skipList) Touch(refs []hashindex.Ref) {
	var sum byte
	for _, r := range refs {
		sum |= l.records.at(ref(r))[scoreBytes]
	}
	touched(sum)
}

//go:noinline
func touched(byte) {}

// find looks a member up by its bytes.
func (l *skipList) find(member []byte) (r ref, hash uint64, ok bool) {
	hash = l.key.sum(member)
	if l.length == 0 {
		return 0, hash, false
	}
	r, ok = l.lookup(member, hash)
	return r, hash, ok
}

// lookup is find for a member's hash. The index must not be empty.
func (l *skipList) lookup(member []byte, hash uint64) (r ref, ok bool) {
	for p := l.index.Probe(hash); ; p = p.Next() {
		for m := p.Matches(); m != 0; m &= m - 1 {
			if r := ref(p.Ref(m)); bytes.Equal(l.records.member(r), member) {
				return r, true
			}
		}
		if p.Last() {
			return 0, false
		}
	}
}

// boundOf is the gap just before a record's member, or where it would be with another score.
func (l *skipList) boundOf(r ref, score float64) bound {
	return bound{score: score, member: l.records.member(r)}
}

// A spot is a place between members: in a block, before the member at position i or at its end.
type spot struct {
	block ref
	i     int
}

// seek finds the spot at b, and how many members are before it.
func (l *skipList) seek(b *bound) (rank int, s spot) {
	at, r, seen := l.head, ref(0), ref(0)
	for level := l.levels - 1; level >= 0; level-- {
		for {
			link := at[linkAt+level*linkSize:][:linkSize]
			between := math.Float64frombits(binary.LittleEndian.Uint64(link))
			if between > b.score {
				break
			}
			next := ref(binary.LittleEndian.Uint32(link[nextAt:]))
			if between == b.score && (next == seen || !l.tied(next, b)) {
				seen = next
				break
			}
			rank += int(binary.LittleEndian.Uint32(link[spanAt:]))
			r, at = next, l.blocks.at(next)
		}
	}
	if r == 0 {
		r = l.head.next(0)
		at = l.blocks.at(r)
	}
	i := l.within(at, b)
	return rank + i, spot{r, i}
}

// tied says, given that a block is only known not to be wholly before or after b's score, that its first member
// lies before b.
func (l *skipList) tied(r ref, b *bound) bool {
	if r == 0 || b.tie == tieAfter {
		return false
	}
	member, score := l.records.pair(l.blocks.at(r).ref(0))
	return b.follows(member, score)
}

// within is how many members of a block are before b.
func (l *skipList) within(at block, b *bound) int {
	key, _ := at.keyOf(b.score)
	i := at.below(key)
	if i == at.count() || at.key(i) != key {
		return i
	}
	return l.among(at, b, i, at.equal(i, key))
}

// among is within for members whose keys do not decide: those at [from, to).
func (l *skipList) among(at block, b *bound, from, to int) int {
	for from < to {
		middle := (from + to) / 2
		if member, score := l.records.pair(at.ref(middle)); b.follows(member, score) {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// position is that of a record in its block.
func (l *skipList) position(at block, r ref, score float64) int {
	key, _ := at.keyOf(score)
	i := at.below(key)
	for at.ref(i) != r {
		i++
	}
	return i
}

// rank is how many members come before the one at r.
func (l *skipList) rank(r ref, score float64) int {
	b := l.boundOf(r, score)
	at, rank, seen, moved := l.head, 0, ref(0), false
	for level := l.levels - 1; level >= 0; level-- {
		for {
			link := at[linkAt+level*linkSize:][:linkSize]
			between := math.Float64frombits(binary.LittleEndian.Uint64(link))
			if between > score {
				break
			}
			next := ref(binary.LittleEndian.Uint32(link[nextAt:]))
			if between == score && (next == seen || !l.reaches(next, r, &b)) {
				seen = next
				break
			}
			rank += int(binary.LittleEndian.Uint32(link[spanAt:]))
			at, moved = l.blocks.at(next), true
		}
	}
	if !moved {
		at = l.blocks.at(l.head.next(0))
	}
	return rank + l.position(at, r, score)
}

// reaches is tied for a member that is there: the block that it begins counts too.
func (l *skipList) reaches(next, r ref, b *bound) bool {
	if next == 0 {
		return false
	}
	first := l.blocks.at(next).ref(0)
	if first == r {
		return true
	}
	member, score := l.records.pair(first)
	return b.follows(member, score)
}

// seekRank is the spot of the member that has so many before it, which must be there.
func (l *skipList) seekRank(rank int) spot {
	switch rank {
	case 0:
		return spot{l.head.next(0), 0}
	case l.length - 1:
		return spot{l.last, l.blocks.at(l.last).count() - 1}
	}
	at, r := l.head, ref(0)
	for level := l.levels - 1; level >= 0; level-- {
		for {
			span := at.span(level)
			if span > rank {
				break
			}
			next := at.next(level)
			if next == 0 {
				break
			}
			rank -= span
			r, at = next, l.blocks.at(next)
		}
	}
	if r == 0 {
		r = l.head.next(0)
	}
	return spot{r, rank}
}

// A path holds for each level in use the last block at or before a spot, 0 being the head, and how many members
// are before that block; that of level 0 is the spot's own.
type path struct {
	prev [levelsLimit]ref
	rank [levelsLimit]uint32
	i    int // of the spot
}

// trace finds the path to b.
func (l *skipList) trace(b *bound, p *path) { p.i = l.within(l.descend(b, p), b) }

// traceMember finds the path to the member at r.
func (l *skipList) traceMember(r ref, score float64, p *path) {
	b := l.boundOf(r, score)
	b.tie = tieThrough // past it, so that the block it may begin is reached
	p.i = l.position(l.descend(&b, p), r, score)
}

// descend finds the blocks of the path to b, and gives the last.
func (l *skipList) descend(b *bound, p *path) block {
	at, r, rank, seen := l.head, ref(0), uint32(0), ref(0)
	for level := l.levels - 1; level >= 0; level-- {
		for {
			link := at[linkAt+level*linkSize:][:linkSize]
			between := math.Float64frombits(binary.LittleEndian.Uint64(link))
			if between > b.score {
				break
			}
			next := ref(binary.LittleEndian.Uint32(link[nextAt:]))
			if between == b.score && (next == seen || !l.tied(next, b)) {
				seen = next
				break
			}
			rank += binary.LittleEndian.Uint32(link[spanAt:])
			r, at = next, l.blocks.at(next)
		}
		p.prev[level], p.rank[level] = r, rank
	}
	return l.enter(p)
}

// enter makes a path that ends at the head lead to the first block, and gives the block at its end.
func (l *skipList) enter(p *path) block {
	if p.prev[0] == 0 {
		first := l.head.next(0)
		for level := range l.blocks.at(first).levels() {
			p.prev[level] = first
		}
	}
	return l.blocks.at(p.prev[0])
}

// traceRank finds the path to the member that has so many before it.
func (l *skipList) traceRank(rank int, p *path) {
	at, r, seen := l.head, ref(0), uint32(0)
	for level := l.levels - 1; level >= 0; level-- {
		for {
			next, span := at.next(level), uint32(at.span(level))
			if next == 0 || seen+span > uint32(rank) {
				break
			}
			seen += span
			r, at = next, l.blocks.at(next)
		}
		p.prev[level], p.rank[level] = r, seen
	}
	p.i = rank - int(seen)
}

// traceBefore finds on each level the last block before the one that has rank members before it. The path has no spot.
func (l *skipList) traceBefore(rank int, p *path) {
	if rank == 0 {
		*p = path{}
		return
	}
	l.traceRank(rank-1, p)
}

// raise makes the head as tall as a block that is about to be linked.
func (l *skipList) raise(levels int) {
	if need := linkAt + levels*linkSize; need > len(l.head) {
		l.head = append(l.head, make(block, need-len(l.head))...)
	}
	for ; l.levels < levels; l.levels++ {
		l.head.setLink(l.levels, math.Inf(1), 0, 0)
	}
}

// lower drops levels that have no block left.
func (l *skipList) lower() {
	for l.levels > 1 && l.head.next(l.levels-1) == 0 {
		l.levels--
	}
}

// passed adds n to the spans over the end of a path.
func (l *skipList) passed(p *path, n int) {
	for level := range l.levels {
		at := l.block(p.prev[level])[linkAt+level*linkSize+spanAt:]
		binary.LittleEndian.PutUint32(at, binary.LittleEndian.Uint32(at)+uint32(n))
	}
	l.length += n
}
