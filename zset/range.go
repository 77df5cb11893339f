package zset

import "bytes"

// Range is a run of members by rank: those from Start up to but not including End. It is got from a set's By
// methods, or made by hand, and is good until the set changes; beyond that it stays safe to use, as the ranks
// that it says.
type Range struct {
	Start, End int

	// Where the lookup that made the range found its ends, so that they need not be searched again: low for
	// the member at Start, high for the end. They hold while set has made no more than changes changes.
	set       *Set
	changes   uint64
	low, high place
}

// Len is the number of members in the range.
func (r Range) Len() int { return max(r.End-r.Start, 0) }

// Limit passes over the first offset members and keeps the next count; all of them when count is negative.
// A negative offset leaves nothing.
func (r Range) Limit(offset, count int) Range {
	offset, count = r.limits(offset, count)
	r.Start += offset
	r.End = r.Start + count
	return r
}

// LimitReverse is Limit counted from the high end, for use with Descend.
func (r Range) LimitReverse(offset, count int) Range {
	offset, count = r.limits(offset, count)
	r.End -= offset
	r.Start = r.End - count
	return r
}

// limits cuts an offset and a count down to what the range has.
func (r Range) limits(offset, count int) (int, int) {
	if offset < 0 {
		return 0, 0
	}
	offset = min(offset, r.Len())
	if left := r.Len() - offset; count < 0 || count > left {
		count = left
	}
	return offset, count
}

// ScoreRange selects scores from Min to Max, each included unless marked otherwise. Infinities are scores like
// others. A range with a NaN is empty.
type ScoreRange struct {
	Min, Max                   float64
	MinExclusive, MaxExclusive bool
}

func (r ScoreRange) empty() bool {
	return !(r.Min < r.Max || r.Min == r.Max && !r.MinExclusive && !r.MaxExclusive)
}

// below and above say that a score lies before or after the range.
func (r ScoreRange) below(score float64) bool {
	return score < r.Min || r.MinExclusive && score == r.Min
}
func (r ScoreRange) above(score float64) bool {
	return score > r.Max || r.MaxExclusive && score == r.Max
}

// LexBound is one end of a LexRange. Infinite -1 stands before all members ("-"), +1 after all ("+"); at 0
// Value decides, which is itself included unless Exclusive.
type LexBound struct {
	Value     []byte
	Exclusive bool
	Infinite  int
}

// LexRange selects members by their bytes, in a set whose scores are all the same. With other scores in it the
// result is of no use, but safe.
type LexRange struct{ Min, Max LexBound }

// below and above say that a member lies before or after the range.
func (r LexRange) below(member []byte) bool { return r.Min.compare(member, r.Min.Exclusive) < 0 }
func (r LexRange) above(member []byte) bool { return r.Max.compare(member, !r.Max.Exclusive) >= 0 }

// compare tells on which side of the bound a member lies: -1 before it or +1 after. A member equal to the
// bound lies before it if equalIsBefore.
func (b LexBound) compare(member []byte, equalIsBefore bool) int {
	if b.Infinite != 0 {
		return -b.Infinite
	}
	if c := bytes.Compare(member, b.Value); c != 0 || !equalIsBefore {
		return c
	}
	return -1
}

// ByRank selects by rank, both ends included; negative ones count from the end, -1 being the last member.
// What lies outside the set is left out.
func (s *Set) ByRank(start, stop int) Range {
	n := s.Len()
	if start < 0 {
		start = max(start+n, 0)
	}
	if stop < 0 {
		stop += n
	}
	if stop = min(stop, n-1); start > stop {
		return Range{}
	}
	return Range{Start: start, End: stop + 1}
}

// ByScore selects by score.
func (s *Set) ByScore(r ScoreRange) Range {
	if r.empty() {
		return Range{}
	}
	low := s.packed.first(func(e entry) bool { return !r.below(e.score) })
	high := s.packed.firstFrom(low, func(e entry) bool { return r.above(e.score) })
	return s.found(low, high)
}

// ByLex selects by member.
func (s *Set) ByLex(r LexRange) Range {
	low := s.packed.first(func(e entry) bool { return !r.below(e.member) })
	high := s.packed.firstFrom(low, func(e entry) bool { return r.above(e.member) })
	return s.found(low, high)
}

// found makes the range between two places.
func (s *Set) found(low, high place) Range {
	if low.rank >= high.rank {
		return Range{}
	}
	return Range{Start: low.rank, End: high.rank, set: s, changes: s.changes, low: low, high: high}
}

// clamp cuts a range down to the ranks there are. Places that do not hold (any more) become the set's ends.
func (s *Set) clamp(r Range) Range {
	if r.set != s || r.changes != s.changes {
		r.low, r.high = s.packed.ends()
	}
	r.Start = max(r.Start, 0)
	r.End = min(r.End, s.Len())
	return r
}
