package zset

import "sort"

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

// LexBound is one end of a LexRange. Infinite -1 stands before all members ("-"), +1 after all ("+"); at 0
// Value decides, which is itself included unless Exclusive.
type LexBound struct {
	Value     []byte
	Exclusive bool
	Infinite  int
}

// LexRange selects members by their bytes, in a set whose members are in the order of their bytes: one whose scores
// are all the same, or happen to rise with the members. In any other set the result is of no use, but safe.
type LexRange struct{ Min, Max LexBound }

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
	return s.between(r.bounds())
}

// ByLex selects by member.
func (s *Set) ByLex(r LexRange) Range {
	if s.Len() == 0 {
		return Range{}
	}
	_, first, _ := s.At(0)
	_, last, _ := s.At(s.Len() - 1)
	if first == last {
		return s.between(r.bounds(first))
	}
	low := s.firstMember(0, r.Min, r.Min.Exclusive)
	return Range{Start: low, End: s.firstMember(low, r.Max, !r.Max.Exclusive)}
}

// firstMember is the rank, from the given one on, of the first member that b does not follow, in a set whose members
// are in the order of their bytes whatever the scores.
func (s *Set) firstMember(from int, b LexBound, through bool) int {
	return from + sort.Search(s.Len()-from, func(i int) bool {
		member, _, _ := s.At(from + i)
		return !b.follows(member, through)
	})
}

// between finds the members after low and before high.
func (s *Set) between(low, high bound) Range {
	r := Range{set: s, changes: s.changes}
	if s.list != nil {
		r.low, r.high = s.list.place(&low), s.list.place(&high)
	} else {
		r.low = s.packed.first(place{pos: s.packed.begin()}, &low)
		r.high = s.packed.first(r.low, &high)
	}
	if r.low.rank >= r.high.rank {
		return Range{}
	}
	r.Start, r.End = r.low.rank, r.high.rank
	return r
}

// clamp cuts a range down to the ranks there are. Places that do not hold (any more) become the set's ends.
func (s *Set) clamp(r Range) Range {
	if r.set != s || r.changes != s.changes {
		if s.list != nil {
			r.low, r.high = s.list.ends()
		} else {
			r.low, r.high = s.packed.ends()
		}
	}
	r.Start = max(r.Start, 0)
	r.End = min(r.End, s.Len())
	return r
}
