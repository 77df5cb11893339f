package command

import (
	"zset.dev/operator/node/glob"
	"zset.dev/operator/node/keyspace"
)

var scanSpecs = []Spec{
	{
		Name: "scan", Whole: true, Arity: -2, Flags: ReadOnly, Categories: Keyspace,
		Tips:  []string{"nondeterministic_output", "request_policy:special", "response_policy:special"},
		Group: "generic", Since: "2.8.0", Complexity: "O(1) for each call, O(N) for a whole iteration over N keys",
		Summary: "Iterates over the keys.",
		Differs: "Keys come in another order.",
		Args: []Arg{
			arg("cursor", "integer"), after("MATCH", "pattern", "pattern").optional(), after("COUNT", "count", "integer").optional(),
			after("TYPE", "type", "string").optional().since("6.0.0"),
		},
		Run: scan,
	},
	{
		Name: "keys", Whole: true, Arity: 2, Flags: ReadOnly, Categories: Keyspace | Dangerous,
		Tips:  []string{"request_policy:all_shards", "nondeterministic_output_order"},
		Group: "generic", Since: "1.0.0", Complexity: "O(N), N keys",
		Summary: "Returns the keys that match a pattern.",
		Differs: "Keys come in another order.",
		Args:    []Arg{arg("pattern", "pattern")},
		Run:     keysCommand,
	},
	{
		Name: "randomkey", Whole: true, Arity: 1, Flags: ReadOnly, Categories: Keyspace,
		Tips:  []string{"request_policy:all_shards", "response_policy:special", "nondeterministic_output"},
		Group: "generic", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Returns a random key.",
		Run:     randomKey,
	},
}

func scan(c *Call) {
	cursor, o, ok := c.readScan(1, true)
	if !ok {
		return
	}
	names := []string{}
	next := c.Env.Keyspace.Scan(&c.Held, cursor, o.count, c.now, func(e *keyspace.Entry) {
		if (o.typeName == nil || is(o.typeName, "ZSET")) && o.matches(e.Name()) {
			names = append(names, e.Key())
		}
	})
	c.replyCursor(next)
	c.replyNames(names)
}

func keysCommand(c *Call) {
	pattern := c.Args[1]
	all := glob.MatchesAll(pattern)
	var names []string
	c.Env.Keyspace.Each(&c.Held, c.now, func(e *keyspace.Entry) {
		if all || glob.Match(pattern, e.Name()) {
			names = append(names, e.Key())
		}
	})
	c.replyNames(names)
}

func (c *Call) replyNames(names []string) {
	c.W.Array(len(names))
	for _, name := range names {
		c.W.BulkString(name)
		if c.full() {
			return
		}
	}
}

func randomKey(c *Call) {
	if key, ok := c.Env.Keyspace.Random(&c.Held, c.now, c.Rng); ok {
		c.W.BulkString(key)
		return
	}
	c.W.Null()
}
