package command

import "zset.dev/operator/node/keyspace"

var objectSpecs = []Spec{
	{
		Name: "object", Arity: -2,
		Group: "generic", Since: "2.2.3", Complexity: "Depends on the subcommand",
		Summary: "A container for commands about what a key holds.",
		Subs: []Spec{
			{
				Name: "object|encoding", Arity: 3, Flags: ReadOnly, Keys: subKey("RO"), Categories: Keyspace,
				Tips:  []string{"nondeterministic_output"},
				Group: "generic", Since: "2.2.3", Complexity: "O(1)",
				Summary: "Returns the encoding of a sorted set: listpack or skiplist.",
				Args:    []Arg{keyArg()},
				Run: func(c *Call) {
					c.withSubKey(func(e *keyspace.Entry) { c.W.BulkString(e.Set().Encoding().String()) })
				},
			},
			{
				Name: "object|refcount", Arity: 3, Flags: ReadOnly, Keys: subKey("RO"), Categories: Keyspace,
				Tips:  []string{"nondeterministic_output"},
				Group: "generic", Since: "2.2.3", Complexity: "O(1)",
				Summary: "Returns how many references a key's value has: always 1.",
				Args:    []Arg{keyArg()},
				Run:     func(c *Call) { c.withSubKey(func(*keyspace.Entry) { c.W.Int(1) }) },
			},
			helpSpec("object", "generic", "6.2.0", Loading|Stale, Keyspace,
				"ENCODING <key>", "    How the sorted set at <key> is stored: listpack or skiplist.",
				"REFCOUNT <key>", "    The number of references to the value at <key>: always 1."),
		},
	},
	{
		Name: "memory", Arity: -2,
		Group: "server", Since: "4.0.0", Complexity: "Depends on the subcommand",
		Summary: "A container for commands about memory.",
		Subs: []Spec{
			{
				Name: "memory|usage", Arity: -3, Flags: ReadOnly, Keys: subKey("RO"),
				Group: "server", Since: "4.0.0", Complexity: "O(1)",
				Summary: "Returns the bytes that a key and what it holds take, exactly.",
				Args:    []Arg{keyArg(), after("SAMPLES", "count", "integer").optional()},
				Run:     memoryUsage,
			},
			helpSpec("memory", "server", "4.0.0", Loading|Stale, 0,
				"USAGE <key> [SAMPLES <count>]", "    The bytes that <key> and what it holds take. The figure is exact: SAMPLES is ignored."),
		},
	},
}

// withSubKey runs f with the entry of a subcommand's key, or answers null.
func (c *Call) withSubKey(f func(*keyspace.Entry)) {
	if e := c.Held.Find(c.Args[2]); e != nil {
		f(e)
		return
	}
	c.W.Null()
}

func memoryUsage(c *Call) {
	for i := 3; i < len(c.Args); i += 2 {
		if !is(c.Args[i], "SAMPLES") || i+1 >= len(c.Args) {
			c.W.Error(errSyntax)
			return
		}
		n, ok := c.integer(i + 1)
		if !ok {
			return
		}
		if n < 0 {
			c.W.Error(errSyntax)
			return
		}
	}
	c.withSubKey(func(e *keyspace.Entry) { c.W.Int(e.MemoryUsage()) })
}
