package command

import "zset.dev/operator/node/keyspace"

var objectSpecs = []Spec{
	{
		Name: "object", Arity: -2,
		Group: "generic", Since: "2.2.3", Complexity: "Depends on the subcommand",
		Summary: "A container for commands about what a key holds.",
		Subs: []Spec{
			{
				Name: "object|encoding", Arity: 3, Flags: ReadOnly, Quiet: true, Keys: subKey("RO"), Categories: Keyspace,
				Tips:  []string{"nondeterministic_output"},
				Group: "generic", Since: "2.2.3", Complexity: "O(1)",
				Summary: "Returns the encoding of a sorted set: listpack or skiplist.",
				Args:    []Arg{keyArg()},
				Run: func(c *Call) {
					c.withSubKey(func(e *keyspace.Entry) { c.W.BulkString(e.Set().Encoding().String()) })
				},
			},
			{
				Name: "object|refcount", Arity: 3, Flags: ReadOnly, Quiet: true, Keys: subKey("RO"), Categories: Keyspace,
				Tips:  []string{"nondeterministic_output"},
				Group: "generic", Since: "2.2.3", Complexity: "O(1)",
				Summary: "Returns how many references a key's value has: always 1.",
				Args:    []Arg{keyArg()},
				Run:     func(c *Call) { c.withSubKey(func(*keyspace.Entry) { c.W.Int(1) }) },
			},
			{
				Name: "object|freq", Arity: 3, Flags: ReadOnly, Quiet: true, Keys: subKey("RO"), Categories: Keyspace,
				Tips:  []string{"nondeterministic_output"},
				Group: "generic", Since: "4.0.0", Complexity: "O(1)",
				Summary: "Returns how often a key was used of late, on a logarithmic scale.",
				Args:    []Arg{keyArg()},
				Run: func(c *Call) {
					c.withSubKey(func(e *keyspace.Entry) {
						if !c.countsUses() {
							c.W.Error(errNoFrequency)
							return
						}
						c.W.Int(int64(c.Env.Keyspace.Frequency(e, c.now)))
					})
				},
			},
			{
				Name: "object|idletime", Arity: 3, Flags: ReadOnly, Quiet: true, Keys: subKey("RO"), Categories: Keyspace,
				Tips:  []string{"nondeterministic_output"},
				Group: "generic", Since: "2.2.3", Complexity: "O(1)",
				Summary: "Returns how many seconds a key has not been used.",
				Args:    []Arg{keyArg()},
				Run: func(c *Call) {
					c.withSubKey(func(e *keyspace.Entry) {
						if c.countsUses() {
							c.W.Error(errNoIdleTime)
							return
						}
						c.W.Int(e.Idle(c.now))
					})
				},
			},
			helpSpec("object", "generic", "6.2.0", Loading|Stale, Keyspace,
				"ENCODING <key>", "    How the sorted set at <key> is stored: listpack or skiplist.",
				"FREQ <key>", "    How often <key> was used of late. Known while maxmemory-policy is one of LFU.",
				"IDLETIME <key>", "    The seconds <key> has not been used. Known unless maxmemory-policy is one of LFU.",
				"REFCOUNT <key>", "    The number of references to the value at <key>: always 1."),
		},
	},
}

const (
	errNoFrequency = "ERR An LFU maxmemory policy is not selected, access frequency not tracked. " + whenSwitching
	errNoIdleTime  = "ERR An LFU maxmemory policy is selected, idle time not tracked. " + whenSwitching
	whenSwitching  = "Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust."
)

// countsUses reports whether uses of keys are counted rather than timed.
func (c *Call) countsUses() bool {
	return keyspace.Policy(c.Env.Config.Values().MaxMemoryPolicy).LFU()
}

// withSubKey runs f with the entry of a subcommand's key, or answers null.
func (c *Call) withSubKey(f func(*keyspace.Entry)) {
	if e := c.Held.Peek(c.Args[2]); e != nil {
		f(e)
		return
	}
	c.W.Null()
}
