package command

import (
	"strings"

	"zset.dev/operator/node/resp"
)

var slowlogSpecs = []Spec{{
	Name: "slowlog", Arity: -2,
	Group: "server", Since: "2.2.12", Complexity: "Depends on the subcommand",
	Summary: "A container for commands about the slow log.",
	Subs: []Spec{
		{
			Name: "slowlog|get", Arity: -2, Flags: Admin | Loading | Stale,
			Tips:  []string{"request_policy:all_nodes", "nondeterministic_output"},
			Group: "server", Since: "2.2.12", Complexity: "O(N), N entries returned",
			Summary: "Returns the latest slow commands.",
			Args:    []Arg{arg("count", "integer").optional()},
			Run:     slowlogGet,
		},
		{
			Name: "slowlog|len", Arity: 2, Flags: Admin | Loading | Stale,
			Tips:  []string{"request_policy:all_nodes", "response_policy:agg_sum", "nondeterministic_output"},
			Group: "server", Since: "2.2.12", Complexity: "O(1)",
			Summary: "Returns the number of entries.",
			Run:     func(c *Call) { c.W.Int(int64(c.Env.Stats.Slow.Len())) },
		},
		{
			Name: "slowlog|reset", Arity: 2, Flags: Admin | Loading | Stale,
			Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Group: "server", Since: "2.2.12", Complexity: "O(N), N entries",
			Summary: "Forgets all entries.",
			Run: func(c *Call) {
				c.Env.Stats.Slow.Reset()
				c.ok()
			},
		},
		helpSpec("slowlog", "server", "6.2.0", Loading|Stale, 0,
			"GET [<count>]", "    The latest entries, 10 or as many as said, -1 for all: number, Unix time, microseconds, words of the command,",
			"    the client's address and name.",
			"LEN", "    The number of entries.",
			"RESET", "    Forget all entries."),
	},
}}

func slowlogGet(c *Call) {
	count := int64(10)
	switch len(c.Args) {
	case 2:
	case 3:
		n, ok := resp.ParseInt(c.Args[2])
		if !ok || n < -1 {
			c.W.Error("ERR count should be greater than or equal to -1")
			return
		}
		count = min(n, 1<<30)
	default:
		c.wrongCall()
		return
	}
	w, entries := c.W, c.Env.Stats.Slow.Latest(int(count))
	w.Array(len(entries))
	for _, e := range entries {
		w.Array(6)
		w.Int(e.ID)
		w.Int(e.At.Unix())
		w.Int(e.Took.Microseconds())
		c.replyNames(e.Args)
		w.BulkString(e.Addr)
		w.BulkString(e.Name)
	}
}

var redacted = []byte("(redacted)")

// visible is word i of a command as others may see it: without passwords.
func visible(spec *Spec, args [][]byte, i int) []byte {
	secret := false
	switch spec.Name {
	case "auth":
		secret = i > 0
	case "acl|setuser", "acl|deluser", "acl|getuser":
		secret = i > 1
	case "hello":
		for j := 2; j < i; j++ {
			secret = secret || is(args[j], "AUTH") && i <= j+2
		}
	case "config|set":
		secret = i > 2 && i%2 == 1 && secretDirectives[strings.ToLower(string(args[i-1]))]
	}
	if secret {
		return redacted
	}
	return args[i]
}

// secretDirectives are those whose values are secrets, here or elsewhere.
var secretDirectives = map[string]bool{
	"requirepass": true, "masterauth": true, "masteruser": true, "primaryauth": true, "primaryuser": true,
	"tls-key-file-pass": true, "tls-client-key-file-pass": true,
}
