package command

import "zset.dev/operator/zset"

var zrangeSpecs = []Spec{
	{
		Name: "zrange", Arity: -4, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: SortedSet, Sized: true,
		Group: "sorted-set", Since: "1.2.0", Complexity: rangeCost,
		Summary: "Returns the members in a range of indexes, scores or strings.",
		Differs: "A negative offset gives nothing in either encoding.",
		Args: []Arg{
			keyArg(), arg("start", "string"), arg("stop", "string"),
			oneOf("sortby", token("BYSCORE", "byscore"), token("BYLEX", "bylex")).optional().since("6.2.0"),
			token("REV", "rev").optional().since("6.2.0"), limitArg.since("6.2.0"), withScoresArg,
		},
		Run: func(c *Call) { zrange(c, byRank, false, true) },
	},
	{
		Name: "zrevrange", Arity: -4, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: SortedSet, Sized: true,
		Group: "sorted-set", Since: "1.2.0", Complexity: rangeCost, Deprecated: "6.2.0", ReplacedBy: "`ZRANGE` with the `REV` argument",
		Summary: "Returns the members in a range of indexes, by descending score.",
		Args:    []Arg{keyArg(), arg("start", "integer"), arg("stop", "integer"), withScoresArg},
		Run:     func(c *Call) { zrange(c, byRank, true, false) },
	},
	{
		Name: "zrangebyscore", Arity: -4, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: SortedSet, Sized: true,
		Group: "sorted-set", Since: "1.0.5", Complexity: rangeCost, Deprecated: "6.2.0", ReplacedBy: "`ZRANGE` with the `BYSCORE` argument",
		Summary: "Returns the members in a range of scores.",
		Args:    []Arg{keyArg(), arg("min", "double"), arg("max", "double"), withScoresArg.since("2.0.0"), limitArg},
		Run:     func(c *Call) { zrange(c, byScore, false, false) },
	},
	{
		Name: "zrevrangebyscore", Arity: -4, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: SortedSet, Sized: true,
		Group: "sorted-set", Since: "2.2.0", Complexity: rangeCost, Deprecated: "6.2.0", ReplacedBy: "`ZRANGE` with the `REV` and `BYSCORE` arguments",
		Summary: "Returns the members in a range of scores, by descending score.",
		Args:    []Arg{keyArg(), arg("max", "double"), arg("min", "double"), withScoresArg, limitArg},
		Run:     func(c *Call) { zrange(c, byScore, true, false) },
	},
	{
		Name: "zrangebylex", Arity: -4, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: SortedSet, Sized: true,
		Group: "sorted-set", Since: "2.8.9", Complexity: rangeCost, Deprecated: "6.2.0", ReplacedBy: "`ZRANGE` with the `BYLEX` argument",
		Summary: "Returns the members in a range of strings.",
		Args:    []Arg{keyArg(), arg("min", "string"), arg("max", "string"), limitArg},
		Run:     func(c *Call) { zrange(c, byLex, false, false) },
	},
	{
		Name: "zrevrangebylex", Arity: -4, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: SortedSet, Sized: true,
		Group: "sorted-set", Since: "2.8.9", Complexity: rangeCost, Deprecated: "6.2.0", ReplacedBy: "`ZRANGE` with the `REV` and `BYLEX` arguments",
		Summary: "Returns the members in a range of strings, in reverse order.",
		Args:    []Arg{keyArg(), arg("max", "string"), arg("min", "string"), limitArg},
		Run:     func(c *Call) { zrange(c, byLex, true, false) },
	},
}

const rangeCost = "O(log N + M), N members in the set and M in the range"

var (
	limitArg      = block("limit", arg("offset", "integer"), arg("count", "integer")).optional().after("LIMIT")
	withScoresArg = token("WITHSCORES", "withscores").optional()
)

// order is what a range is over.
type order uint8

const (
	byRank order = iota
	byScore
	byLex
)

// rangeOptions is what follows the bounds of a range.
type rangeOptions struct {
	by            order
	reverse       bool
	withScores    bool
	limited       bool
	offset, count int64
}

// readRangeOptions reads the arguments from at on, after the bounds. free
// allows those that choose the order, which only ZRANGE and ZRANGESTORE take;
// scores those of a reply.
func (c *Call) readRangeOptions(o rangeOptions, at int, free, scores bool) (rangeOptions, bool) {
	chosen := false
	o.count = -1
	for i := at; i < len(c.Args); i++ {
		switch a := c.Args[i]; {
		case is(a, "WITHSCORES") && scores:
			o.withScores = true
		case is(a, "LIMIT") && i+2 < len(c.Args):
			var ok bool
			if o.offset, ok = c.integer(i + 1); !ok {
				return o, false
			}
			if o.count, ok = c.integer(i + 2); !ok {
				return o, false
			}
			o.limited = true
			i += 2
		case is(a, "REV") && free && !o.reverse:
			o.reverse = true
		case is(a, "BYSCORE") && free && !chosen:
			o.by, chosen = byScore, true
		case is(a, "BYLEX") && free && !chosen:
			o.by, chosen = byLex, true
		default:
			c.W.Error(errSyntax)
			return o, false
		}
	}
	switch {
	case o.limited && o.by == byRank:
		c.W.Error("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX")
		return o, false
	case o.withScores && o.by == byLex:
		c.W.Error("ERR syntax error, WITHSCORES not supported in combination with BYLEX")
		return o, false
	}
	return o, true
}

// zrange does ZRANGE (free) and the older commands, each of which fixes the
// order.
func zrange(c *Call, by order, reverse, free bool) {
	o, ok := c.readRangeOptions(rangeOptions{by: by, reverse: reverse}, 4, free, true)
	if !ok {
		return
	}
	b, ok := c.readRange(2, o.by, o.reverse)
	if !ok {
		return
	}
	set := c.findSet()
	if set == nil {
		c.W.Array(0)
		return
	}
	c.replyMembers(set, o.limit(b.in(set)), o.reverse, o.withScores)
}

// limit is what LIMIT leaves of a range.
func (o *rangeOptions) limit(r zset.Range) zset.Range {
	switch {
	case !o.limited:
		return r
	case o.offset < 0:
		return zset.Range{}
	case o.reverse:
		return r.LimitReverse(clampInt(o.offset), clampInt(o.count))
	}
	return r.Limit(clampInt(o.offset), clampInt(o.count))
}

// bounds is the ends of a range, of which those of its order count.
type bounds struct {
	by          order
	reverse     bool
	first, last int
	scores      zset.ScoreRange
	lex         zset.LexRange
}

// readRange reads the bounds in arguments at and at+1. Reversed score and
// string ranges have their upper bound first; a reversed rank counts from the
// other end.
func (c *Call) readRange(at int, by order, reverse bool) (b bounds, ok bool) {
	b.by, b.reverse = by, reverse
	low, high := c.Args[at], c.Args[at+1]
	if reverse {
		low, high = high, low
	}
	switch by {
	case byScore:
		if b.scores, ok = scoreRange(low, high); !ok {
			c.W.Error(errScoreBound)
		}
		return b, ok
	case byLex:
		if b.lex, ok = lexRange(low, high); !ok {
			c.W.Error(errLexBound)
		}
		return b, ok
	}
	start, ok := c.integer(at)
	if !ok {
		return b, false
	}
	stop, ok := c.integer(at + 1)
	b.first, b.last = clampInt(start), clampInt(stop)
	return b, ok
}

// in is the range within a set.
func (b *bounds) in(s *zset.Set) zset.Range {
	switch {
	case b.by == byScore:
		return s.ByScore(b.scores)
	case b.by == byLex:
		return s.ByLex(b.lex)
	case b.reverse:
		return s.ByRank(mirror(b.last, s.Len()), mirror(b.first, s.Len()))
	}
	return s.ByRank(b.first, b.last)
}

// mirror turns an index from one end of n members into one from the other:
// the first, 0, is the last, -1. Those outside stay outside, at the other side.
func mirror(rank, n int) int {
	if rank < 0 {
		rank += n
	}
	switch {
	case rank < 0:
		return n
	case rank >= n:
		return -n - 1
	}
	return n - 1 - rank
}

// clampInt fits n into an int with room for sums with a set's length.
func clampInt(n int64) int {
	const most = 1 << 40
	return int(min(max(n, -most), most))
}

// replyMembers answers the members of r. With scores they are pairs in RESP3
// and alternate in RESP2.
func (c *Call) replyMembers(set *zset.Set, r zset.Range, reverse, withScores bool) {
	c.startMembers(r.Len(), withScores)
	write := func(member []byte, score float64) bool {
		c.replyMember(member, score, withScores)
		return !c.full()
	}
	// Called here and now, neither sequence costs memory of its own.
	if reverse {
		set.Descend(r)(write)
	} else {
		set.Ascend(r)(write)
	}
}

// startMembers starts a reply of n members; replyMember writes each.
func (c *Call) startMembers(n int, withScores bool) {
	if withScores && c.W.Proto() == 2 {
		n *= 2
	}
	c.W.Array(n)
}

func (c *Call) replyMember(member []byte, score float64, withScores bool) {
	if !withScores {
		c.W.Bulk(member)
		return
	}
	if c.W.Proto() == 3 {
		c.W.Array(2)
	}
	c.W.Bulk(member)
	c.W.Score(score)
}
