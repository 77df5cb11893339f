package command

var zscoreSpecs = []Spec{
	{
		Name: "zscore", Arity: 3, Member: 2, Flags: ReadOnly | Fast, Keys: oneKey("RO", "access"), Categories: SortedSet,
		Group: "sorted-set", Since: "1.2.0", Complexity: "O(1)",
		Summary: "Returns the score of a member.",
		Args:    []Arg{keyArg(), arg("member", "string")},
		Run:     zscore,
	},
	{
		Name: "zmscore", Arity: -3, Member: 2, Flags: ReadOnly | Fast, Keys: oneKey("RO", "access"), Categories: SortedSet,
		Group: "sorted-set", Since: "6.2.0", Complexity: "O(N), N members asked for",
		Summary: "Returns the scores of several members.",
		Args:    []Arg{keyArg(), arg("member", "string").many()},
		Run:     zmscore,
	},
	{
		Name: "zcard", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey("RO"), Categories: SortedSet,
		Group: "sorted-set", Since: "1.2.0", Complexity: "O(1)",
		Summary: "Returns the number of members.",
		Args:    []Arg{keyArg()},
		Run:     zcard,
	},
	{
		Name: "zrank", Arity: -3, Member: 2, Flags: ReadOnly | Fast, Keys: oneKey("RO", "access"), Categories: SortedSet,
		Group: "sorted-set", Since: "2.0.0", Complexity: "O(log N), N members in the set",
		Summary: "Returns the index of a member, by ascending score.",
		Args:    []Arg{keyArg(), arg("member", "string"), token("WITHSCORE", "withscore").optional()},
		Run:     func(c *Call) { zrank(c, false) },
	},
	{
		Name: "zrevrank", Arity: -3, Member: 2, Flags: ReadOnly | Fast, Keys: oneKey("RO", "access"), Categories: SortedSet,
		Group: "sorted-set", Since: "2.0.0", Complexity: "O(log N), N members in the set",
		Summary: "Returns the index of a member, by descending score.",
		Args:    []Arg{keyArg(), arg("member", "string"), token("WITHSCORE", "withscore").optional()},
		Run:     func(c *Call) { zrank(c, true) },
	},
}

func zscore(c *Call) {
	if set := c.findSet(); set != nil {
		if score, ok := set.Score(c.Args[2]); ok {
			c.W.Score(score)
			return
		}
	}
	c.W.Null()
}

func zmscore(c *Call) {
	set := c.findSet()
	c.W.Array(len(c.Args) - 2)
	for _, member := range c.Args[2:] {
		if set != nil {
			if score, ok := set.Score(member); ok {
				c.W.Score(score)
				continue
			}
		}
		c.W.Null()
	}
}

func zcard(c *Call) {
	n := 0
	if set := c.findSet(); set != nil {
		n = set.Len()
	}
	c.W.Int(int64(n))
}

func zrank(c *Call, reverse bool) {
	withScore := false
	switch {
	case len(c.Args) > 4:
		c.W.Error("ERR wrong number of arguments for '" + c.spec.Name + "' command")
		return
	case len(c.Args) == 4:
		if !is(c.Args[3], "WITHSCORE") {
			c.W.Error(errSyntax)
			return
		}
		withScore = true
	}
	if set := c.findSet(); set != nil {
		if rank, score, ok := set.Rank(c.Args[2]); ok {
			if reverse {
				rank = set.Len() - 1 - rank
			}
			if withScore {
				c.W.Array(2)
			}
			c.W.Int(int64(rank))
			if withScore {
				c.W.Score(score)
			}
			return
		}
	}
	if withScore {
		c.W.NullArray()
		return
	}
	c.W.Null()
}
