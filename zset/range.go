package zset

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

// LexRange selects members by their bytes, in a set whose scores are all the same. With other scores in it the
// result is of no use, but safe.
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
	_, score, ok := s.At(0)
	if !ok {
		return Range{}
	}
	return s.between(r.bounds(score))
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
