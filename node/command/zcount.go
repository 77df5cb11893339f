package command

var zcountSpecs = []Spec{
	{
		Name: "zcount", Arity: 4, Flags: ReadOnly | Fast, Keys: oneKey("RO", "access"), Categories: SortedSet,
		Group: "sorted-set", Since: "2.0.0", Complexity: "O(log N), N members in the set",
		Summary: "Counts the members in a range of scores.",
		Args:    []Arg{keyArg(), arg("min", "double"), arg("max", "double")},
		Run:     func(c *Call) { count(c, byScore) },
	},
	{
		Name: "zlexcount", Arity: 4, Flags: ReadOnly | Fast, Keys: oneKey("RO", "access"), Categories: SortedSet,
		Group: "sorted-set", Since: "2.8.9", Complexity: "O(log N), N members in the set",
		Summary: "Counts the members in a range of strings.",
		Args:    []Arg{keyArg(), arg("min", "string"), arg("max", "string")},
		Run:     func(c *Call) { count(c, byLex) },
	},
}

func count(c *Call, by order) {
	b, ok := c.readRange(2, by, false)
	if !ok {
		return
	}
	n := 0
	if set := c.findSet(); set != nil {
		n = b.in(set).Len()
	}
	c.W.Int(int64(n))
}
