package command

var keySpecs = []Spec{
	{
		Name: "del", Arity: -2, Flags: Write, Keys: allKeys("RM", "delete"), Categories: Keyspace,
		Tips:  []string{"request_policy:multi_shard", "response_policy:agg_sum"},
		Group: "generic", Since: "1.0.0", Complexity: "O(N), N keys",
		Summary: "Deletes keys.",
		Args:    []Arg{keyArg().many()},
		Run:     del,
	},
	{
		Name: "unlink", Arity: -2, Flags: Write | Fast, Keys: allKeys("RM", "delete"), Categories: Keyspace,
		Tips:  []string{"request_policy:multi_shard", "response_policy:agg_sum"},
		Group: "generic", Since: "4.0.0", Complexity: "O(N), N keys",
		Summary: "Deletes keys; what they held is freed in the background.",
		Args:    []Arg{keyArg().many()},
		Run:     del,
	},
	{
		Name: "exists", Arity: -2, Flags: ReadOnly | Fast, Quiet: true, Keys: allKeys("RO"), Categories: Keyspace,
		Tips:  []string{"request_policy:multi_shard", "response_policy:agg_sum"},
		Group: "generic", Since: "1.0.0", Complexity: "O(N), N keys",
		Summary: "Counts how many of the keys exist.",
		Args:    []Arg{keyArg().many()},
		Run:     exists,
	},
	{
		Name: "touch", Arity: -2, Flags: ReadOnly | Fast, Keys: allKeys("RO"), Categories: Keyspace,
		Tips:  []string{"request_policy:multi_shard", "response_policy:agg_sum"},
		Group: "generic", Since: "3.2.1", Complexity: "O(N), N keys",
		Summary: "Counts how many of the keys exist, and counts as a use of each.",
		Args:    []Arg{keyArg().many()},
		Run:     exists,
	},
	{
		Name: "type", Arity: 2, Flags: ReadOnly | Fast, Quiet: true, Keys: oneKey("RO"), Categories: Keyspace,
		Group: "generic", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Returns the type of what a key holds: zset, or none.",
		Args:    []Arg{keyArg()},
		Run:     keyType,
	},
}

// typeName is the one type there is.
const typeName = "zset"

func del(c *Call) {
	removed := int64(0)
	for _, key := range c.Args[1:] {
		if e := c.Held.Find(key); e != nil {
			c.remove(e)
			removed++
		}
	}
	c.W.Int(removed)
}

func exists(c *Call) {
	found := int64(0)
	for _, key := range c.Args[1:] {
		if c.Held.Has(key) {
			found++
		}
	}
	c.W.Int(found)
}

func keyType(c *Call) {
	if c.find() == nil {
		c.W.Simple("none")
		return
	}
	c.W.Simple(typeName)
}
