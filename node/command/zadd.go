package command

import (
	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

var zaddSpecs = []Spec{
	{
		Name: "zadd", Arity: -4, Flags: Write | DenyOOM | Fast, Keys: oneKey("RW", "update"), Categories: SortedSet,
		Group: "sorted-set", Since: "1.2.0", Complexity: "O(log N) for each member, N members in the set",
		Summary: "Adds members to a sorted set, or changes their scores. Creates the key if it is missing.",
		Args: []Arg{
			keyArg(),
			oneOf("condition", token("NX", "nx"), token("XX", "xx")).optional().since("3.0.2"),
			oneOf("comparison", token("GT", "gt"), token("LT", "lt")).optional().since("6.2.0"),
			token("CH", "change").optional().since("3.0.2"),
			token("INCR", "increment").optional().since("3.0.2"),
			block("data", arg("score", "double"), arg("member", "string")).many(),
		},
		Run: zadd,
	},
	{
		Name: "zincrby", Arity: 4, Flags: Write | DenyOOM | Fast, Keys: oneKey("RW", "access", "update"), Categories: SortedSet,
		Group: "sorted-set", Since: "1.2.0", Complexity: "O(log N), N members in the set",
		Summary: "Adds to the score of a member, which counts as 0 when it is missing.",
		Args:    []Arg{keyArg(), arg("increment", "integer"), arg("member", "string")},
		Run:     func(c *Call) { c.addScores(zset.Incr, false, c.Args[2:]) },
	},
}

func zadd(c *Call) {
	var flags zset.AddFlags
	changed := false
	i := 2
options:
	for ; i < len(c.Args); i++ {
		switch a := c.Args[i]; {
		case is(a, "NX"):
			flags |= zset.NX
		case is(a, "XX"):
			flags |= zset.XX
		case is(a, "GT"):
			flags |= zset.GT
		case is(a, "LT"):
			flags |= zset.LT
		case is(a, "INCR"):
			flags |= zset.Incr
		case is(a, "CH"):
			changed = true
		default:
			break options
		}
	}
	pairs := c.Args[i:]
	switch {
	case len(pairs) == 0 || len(pairs)%2 != 0:
		c.W.Error(errSyntax)
	case flags&zset.NX != 0 && flags&zset.XX != 0:
		c.W.Error("ERR XX and NX options at the same time are not compatible")
	case flags&zset.GT != 0 && flags&(zset.NX|zset.LT) != 0, flags&zset.LT != 0 && flags&zset.NX != 0:
		c.W.Error("ERR GT, LT, and/or NX options at the same time are not compatible")
	case flags&zset.Incr != 0 && len(pairs) > 2:
		c.W.Error("ERR INCR option supports a single increment-element pair")
	default:
		c.addScores(flags, changed, pairs)
	}
}

// addScores does ZADD and ZINCRBY once their options are read. It answers the
// count of added members (with changed, of changed ones too), or the new
// score with Incr.
func (c *Call) addScores(flags zset.AddFlags, changed bool, pairs [][]byte) {
	// All scores are read before anything is done: one bad among many
	// changes nothing.
	scores := c.scores[:0]
	for i := 0; i < len(pairs); i += 2 {
		score, err := resp.ParseScore(pairs[i])
		if err != nil {
			c.W.Error(err.Error())
			return
		}
		scores = append(scores, score)
	}
	c.keepScores(scores)
	c.addMembers(flags, changed, scores, pairs)
}

// addMembers adds a member with each of scores. words has the members, each
// at the end of a group of as many words as go with a score.
func (c *Call) addMembers(flags zset.AddFlags, changed bool, scores []float64, words [][]byte) {
	group := len(words) / len(scores)
	e := c.find()
	if e == nil {
		if flags&zset.XX != 0 {
			c.replyAdded(flags, 0, 0, false)
			return
		}
		e = c.Held.Create(c.Args[1], c.Env.Tuning())
	}
	set := e.Write(c.Env.Tuning())
	count := int64(0)
	var last float64
	var done, touched bool
	for i, score := range scores {
		now, result, err := set.Add(words[group*i+group-1], score, flags)
		if err != nil {
			c.Held.Settle(e)
			c.W.Error(errNaN)
			return
		}
		if result == zset.Added || changed && result == zset.Updated {
			count++
		}
		last, done = now, result != zset.Skipped
		touched = touched || result == zset.Added || result == zset.Updated
	}
	switch {
	case !touched:
		c.Held.Settle(e)
	case flags&zset.Incr != 0:
		c.settle(e, eventZIncr)
	default:
		c.settle(e, eventZAdd)
	}
	c.replyAdded(flags, count, last, done)
}

func (c *Call) replyAdded(flags zset.AddFlags, count int64, score float64, done bool) {
	switch {
	case flags&zset.Incr == 0:
		c.W.Int(count)
	case done:
		c.W.Score(score)
	default:
		c.W.Null()
	}
}

// keepScores keeps the memory of scores for the next call, unless it is large.
func (c *Call) keepScores(scores []float64) {
	const most = 1024
	if cap(scores) <= most {
		c.scores = scores
	}
}
