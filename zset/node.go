package zset

import (
	"bytes"
	"encoding/binary"
	"math"
)

// A node is a member of a skip list: a block of the list's arena.
//
//	0       8      12       16       20       24       28
//	+-------+------+--------+--------+--------+--------+-- … --+--------+--------+
//	| score | back | header | next 0 | span 1 | next 1 |       | length | member |
//	+-------+------+--------+--------+--------+--------+-- … --+--------+--------+
//
// All fields are little end first. The links of level i are next i, the ref of the following node that has this
// level (0 for none) and span i, how many members further on that is; for a link to nowhere, how many members
// follow. The span of level 0 is 1 and not kept: its place is taken by the header, which has the number of levels
// less one in its low 6 bits and the member's length in the other 26. A length that needs more is in the four
// bytes before the member, and its bits in the header are all ones.
//
// back is the ref of the node before, 0 for none.
//
// This is the only place where the score is kept.
type node []byte

const (
	backAt   = 8
	headerAt = 12
	nextAt   = 16
	linkSize = 8

	levelBits  = 6
	longMember = 1<<(32-levelBits) - 1
	// maxMember is the longest member a skip list takes, in bytes: twice what a command can carry.
	maxMember = 1 << 30
)

// nodeBytes is the size of a node before its rounding to a block.
func nodeBytes(levels, member int) int {
	size := headerAt + levels*linkSize + member
	if member >= longMember {
		size += 4
	}
	return size
}

// init writes everything but the links.
func (nd node) init(levels int, member []byte, score float64) {
	nd.setScore(score)
	nd.setBack(0)
	length := min(len(member), longMember)
	binary.LittleEndian.PutUint32(nd[headerAt:], uint32(length<<levelBits|(levels-1)))
	at := headerAt + levels*linkSize
	if length == longMember {
		binary.LittleEndian.PutUint32(nd[at:], uint32(len(member)))
		at += 4
	}
	copy(nd[at:], member)
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

func (nd node) member() []byte {
	header := binary.LittleEndian.Uint32(nd[headerAt:])
	at := headerAt + linkSize + int(header&(1<<levelBits-1))*linkSize
	length := int(header >> levelBits)
	if length == longMember {
		length = int(binary.LittleEndian.Uint32(nd[at:]))
		at += 4
	}
	return nd[at : at+length : at+length]
}

// bytes is the size of this node before its rounding to a block.
func (nd node) bytes() int { return nodeBytes(nd.levels(), len(nd.member())) }

// before says that the node lies before b.
func (nd node) before(b *bound) bool {
	if score := nd.score(); score != b.score {
		return score < b.score
	}
	switch b.tie {
	case tieBefore:
		return true
	case tieAfter:
		return false
	}
	c := bytes.Compare(nd.member(), b.member)
	return c < 0 || c == 0 && b.tie == tieThrough
}
