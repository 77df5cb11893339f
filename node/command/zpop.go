package command

import "zset.dev/operator/node/resp"

var zpopSpecs = []Spec{
	{
		Name: "zpopmin", Arity: -2, Flags: Write | Fast, Keys: oneKey("RW", "access", "delete"), Categories: SortedSet,
		Group: "sorted-set", Since: "5.0.0", Complexity: "O(log N + M), N members in the set and M popped",
		Summary: "Removes the members with the lowest scores and returns them.",
		Args:    []Arg{keyArg(), arg("count", "integer").optional()},
		Run:     func(c *Call) { zpop(c, false) },
	},
	{
		Name: "zpopmax", Arity: -2, Flags: Write | Fast, Keys: oneKey("RW", "access", "delete"), Categories: SortedSet,
		Group: "sorted-set", Since: "5.0.0", Complexity: "O(log N + M), N members in the set and M popped",
		Summary: "Removes the members with the highest scores and returns them.",
		Args:    []Arg{keyArg(), arg("count", "integer").optional()},
		Run:     func(c *Call) { zpop(c, true) },
	},
}

func zpop(c *Call, highest bool) {
	count := int64(1)
	switch {
	case len(c.Args) > 3:
		c.W.Error(errSyntax)
		return
	case len(c.Args) == 3:
		var ok bool
		if count, ok = resp.ParseInt(c.Args[2]); !ok || count < 0 {
			c.W.Error(errNotPositive)
			return
		}
	}
	e := c.find()
	if e == nil || count == 0 {
		c.W.Array(0)
		return
	}
	set := e.Write(c.Env.Tuning())
	last := min(clampInt(count), set.Len()) - 1
	r, ev := set.ByRank(0, last), eventZPopMin
	if highest {
		r, ev = set.ByRank(-1-last, -1), eventZPopMax
	}
	if len(c.Args) == 2 {
		// A lone pair, not a list of one.
		member, score, _ := set.At(r.Start)
		c.W.Array(2)
		c.W.Bulk(member)
		c.W.Score(score)
	} else {
		c.replyMembers(set, r, highest, true)
	}
	set.RemoveRange(r)
	c.settle(e, ev)
}
