package command

var zrangestoreSpecs = []Spec{{
	Name: "zrangestore", Arity: -5, Flags: Write | DenyOOM, Keys: oneKey("OW", "update").and(keyAt(2, "RO", "access")), Categories: SortedSet,
	Group: "sorted-set", Since: "6.2.0", Complexity: rangeCost,
	Summary: "Stores the members in a range of indexes, scores or strings in a key.",
	Args: []Arg{
		{Name: "dst", Type: "key"}, {Name: "src", Type: "key", KeyPart: 1}, arg("min", "string"), arg("max", "string"),
		oneOf("sortby", token("BYSCORE", "byscore"), token("BYLEX", "bylex")).optional(),
		token("REV", "rev").optional(), limitArg,
	},
	Run: zrangestore,
}}

func zrangestore(c *Call) {
	o, ok := c.readRangeOptions(rangeOptions{}, 5, true, false)
	if !ok {
		return
	}
	b, ok := c.readRange(3, o.by, o.reverse)
	if !ok {
		return
	}
	set := c.setAt(2)
	if set == nil {
		c.store(c.Args[1], 0, nil)
		return
	}
	r := o.limit(b.in(set))
	c.store(c.Args[1], r.Len(), set.Ascend(r))
}
