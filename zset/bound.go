package zset

import (
	"bytes"
	"math"
)

// A bound is a gap in the order of members: each member lies before it or after. All lookups by order, of a
// member's place as of a range's ends, are for the first member after a bound, in both encodings.
type bound struct {
	score  float64
	tie    tie
	member []byte
}

// tie says where members with the bound's score lie.
type tie uint8

const (
	tieMember  tie = iota // before it, those less than the bound's member
	tieThrough            // before it, those less than the bound's member or equal
	tieBefore             // before it, all
	tieAfter              // after it, all
)

// follows says that b lies after a member.
func (b *bound) follows(member []byte, score float64) bool {
	if score != b.score {
		return score < b.score
	}
	switch b.tie {
	case tieBefore:
		return true
	case tieAfter:
		return false
	}
	c := bytes.Compare(member, b.member)
	return c < 0 || c == 0 && b.tie == tieThrough
}

// Bounds beyond all members.
func lowest() bound  { return bound{score: math.Inf(-1), tie: tieAfter} }
func highest() bound { return bound{score: math.Inf(1), tie: tieBefore} }

// bounds are the two ends of the range.
func (r ScoreRange) bounds() (low, high bound) {
	low, high = bound{score: r.Min, tie: tieAfter}, bound{score: r.Max, tie: tieBefore}
	if r.MinExclusive {
		low.tie = tieBefore
	}
	if r.MaxExclusive {
		high.tie = tieAfter
	}
	return low, high
}

// bounds are the two ends of the range among members that have the given score.
func (r LexRange) bounds(score float64) (low, high bound) {
	return r.Min.bound(score, r.Min.Exclusive), r.Max.bound(score, !r.Max.Exclusive)
}

// bound is the gap before Value or, if through, the one after.
func (b LexBound) bound(score float64, through bool) bound {
	switch {
	case b.Infinite < 0:
		return lowest()
	case b.Infinite > 0:
		return highest()
	case through:
		return bound{score: score, member: b.Value, tie: tieThrough}
	}
	return bound{score: score, member: b.Value, tie: tieMember}
}

// follows says that the gap before Value or, if through, the one after it lies after a member, whatever the scores.
func (b LexBound) follows(member []byte, through bool) bool {
	if b.Infinite != 0 {
		return b.Infinite > 0
	}
	c := bytes.Compare(member, b.Value)
	return c < 0 || c == 0 && through
}
