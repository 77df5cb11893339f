package yardstick

import (
	"bytes"
	"encoding/binary"
	"math"
)

// A node is a member of a list: a block of its arena, all fields little end first.
//
//	0       8      12       16       20       24       28
//	+-------+------+--------+--------+--------+--------+-- … --+--------+
//	| score | back | header | next 0 | span 1 | next 1 |       | member |
//	+-------+------+--------+--------+--------+--------+-- … --+--------+
//
// The links of level i are next i, the ref of the following node that has this level (0 for none) and span i, how
// many members further on that is; for a link to nowhere, how many members follow. The span of level 0 is 1 and
// not kept: its place is taken by the header, which has the number of levels less one in its low 6 bits and the
// member's length in the others. back is the ref of the node before, 0 for none.
//
// In an indirect list (Options.Indirect) the member's place is taken by the ref of an entry, a block of the
// node's ref, the member's length in a byte and the member, and the index leads to the entry.
type node []byte

const (
	backAt    = 8
	headerAt  = 12
	nextAt    = 16
	linkSize  = 8
	levelBits = 6
	refSize   = 4
	entryHead = refSize + 1
)

func (nd node) init(levels, memberBytes int, score float64) {
	nd.setScore(score)
	nd.setBack(0)
	binary.LittleEndian.PutUint32(nd[headerAt:], uint32(memberBytes<<levelBits|(levels-1)))
}

func (nd node) score() float64         { return math.Float64frombits(binary.LittleEndian.Uint64(nd)) }
func (nd node) setScore(score float64) { binary.LittleEndian.PutUint64(nd, math.Float64bits(score)) }

func (nd node) back() ref     { return ref(binary.LittleEndian.Uint32(nd[backAt:])) }
func (nd node) setBack(r ref) { binary.LittleEndian.PutUint32(nd[backAt:], uint32(r)) }

func (nd node) next(level int) ref {
	return ref(binary.LittleEndian.Uint32(nd[nextAt+level*linkSize:]))
}

func (nd node) setNext(level int, r ref) {
	binary.LittleEndian.PutUint32(nd[nextAt+level*linkSize:], uint32(r))
}

// span is how many members lie from here to next(level).
func (nd node) span(level int) int {
	if level == 0 {
		return 1
	}
	return int(binary.LittleEndian.Uint32(nd[headerAt+level*linkSize:]))
}

// setSpan has nothing to keep for level 0.
func (nd node) setSpan(level, span int) {
	if level > 0 {
		binary.LittleEndian.PutUint32(nd[headerAt+level*linkSize:], uint32(span))
	}
}

func (nd node) levels() int { return int(nd[headerAt]&(1<<levelBits-1)) + 1 }

// tail is where the links end, and how long the member is.
func (nd node) tail() (at, length int) {
	header := binary.LittleEndian.Uint32(nd[headerAt:])
	return headerAt + linkSize + int(header&(1<<levelBits-1))*linkSize, int(header >> levelBits)
}

// member is the member of a node, wherever it is kept.
func (l *List) member(nd node) []byte {
	at, length := nd.tail()
	if l.indirect {
		nd = node(l.arena.at(ref(binary.LittleEndian.Uint32(nd[at:]))))
		at = entryHead
	}
	return nd[at : at+length : at+length]
}

// newNode makes a node that is not linked yet; its entry is what the index is to lead to.
func (l *List) newNode(member []byte, score float64) (r, entry ref) {
	levels := l.level()
	tail := len(member)
	if l.indirect {
		tail = refSize
	}
	r = l.arena.alloc(headerAt + levels*linkSize + tail)
	if l.indirect {
		entry = l.arena.alloc(entryHead + len(member))
	}
	nd := node(l.arena.at(r)) // only now: allocating may move the first chunk
	nd.init(levels, len(member), score)
	at, _ := nd.tail()
	if !l.indirect {
		copy(nd[at:], member)
		return r, r
	}
	binary.LittleEndian.PutUint32(nd[at:], uint32(entry))
	b := l.arena.at(entry)
	binary.LittleEndian.PutUint32(b, uint32(r))
	b[refSize] = uint8(len(member))
	copy(b[entryHead:], member)
	return r, entry
}

// discard gives a node's memory back.
func (l *List) discard(r ref, nd node) {
	at, length := nd.tail()
	tail := length
	if l.indirect {
		l.arena.release(ref(binary.LittleEndian.Uint32(nd[at:])), entryHead+length)
		tail = refSize
	}
	l.arena.release(r, at+tail)
}

// entryIs says whether what the index leads to is that of member.
func (l *List) entryIs(entry ref, member []byte) bool {
	if l.indirect {
		b := l.arena.at(entry)
		return bytes.Equal(b[entryHead:entryHead+int(b[refSize])], member)
	}
	return bytes.Equal(l.member(node(l.arena.at(entry))), member)
}

// nodeOf is the node of an entry.
func (l *List) nodeOf(entry ref) (ref, node) {
	if l.indirect {
		entry = ref(binary.LittleEndian.Uint32(l.arena.at(entry)))
	}
	return entry, node(l.arena.at(entry))
}

// hashOf is the hash of an entry's member.
func (l *List) hashOf(entry ref) uint64 {
	_, nd := l.nodeOf(entry)
	return l.key.sum(l.member(nd))
}
