package command

var zremSpecs = []Spec{
	{
		Name: "zrem", Arity: -3, Member: 2, Flags: Write | Fast, Keys: oneKey("RW", "delete"), Categories: SortedSet,
		Group: "sorted-set", Since: "1.2.0", Complexity: "O(M log N), N members in the set and M removed",
		Summary: "Removes members. Deletes the key when none is left.",
		Args:    []Arg{keyArg(), arg("member", "string").many()},
		Run:     zrem,
	},
	{
		Name: "zremrangebyrank", Arity: 4, Flags: Write, Keys: oneKey("RW", "delete"), Categories: SortedSet,
		Group: "sorted-set", Since: "2.0.0", Complexity: rangeCost,
		Summary: "Removes the members in a range of indexes. Deletes the key when none is left.",
		Args:    []Arg{keyArg(), arg("start", "integer"), arg("stop", "integer")},
		Run:     func(c *Call) { removeRange(c, byRank, eventZRemRangeByRank) },
	},
	{
		Name: "zremrangebyscore", Arity: 4, Flags: Write, Keys: oneKey("RW", "delete"), Categories: SortedSet,
		Group: "sorted-set", Since: "1.2.0", Complexity: rangeCost,
		Summary: "Removes the members in a range of scores. Deletes the key when none is left.",
		Args:    []Arg{keyArg(), arg("min", "double"), arg("max", "double")},
		Run:     func(c *Call) { removeRange(c, byScore, eventZRemRangeByScore) },
	},
	{
		Name: "zremrangebylex", Arity: 4, Flags: Write, Keys: oneKey("RW", "delete"), Categories: SortedSet,
		Group: "sorted-set", Since: "2.8.9", Complexity: rangeCost,
		Summary: "Removes the members in a range of strings. Deletes the key when none is left.",
		Args:    []Arg{keyArg(), arg("min", "string"), arg("max", "string")},
		Run:     func(c *Call) { removeRange(c, byLex, eventZRemRangeByLex) },
	},
}

func zrem(c *Call) {
	removed := int64(0)
	if e := c.find(); e != nil {
		set := e.Write(c.Env.Tuning())
		for _, member := range c.Args[2:] {
			if _, ok := set.Remove(member); ok {
				removed++
			}
		}
		if removed > 0 {
			c.settle(e, eventZRem)
		}
	}
	c.W.Int(removed)
}

func removeRange(c *Call, by order, ev event) {
	b, ok := c.readRange(2, by, false)
	if !ok {
		return
	}
	removed := 0
	if e := c.find(); e != nil {
		set := e.Write(c.Env.Tuning())
		removed = set.RemoveRange(b.in(set))
		if removed > 0 {
			c.settle(e, ev)
		}
	}
	c.W.Int(int64(removed))
}
