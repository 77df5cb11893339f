package command

import (
	"strings"

	"zset.dev/operator/node/resp"
)

var scriptingSpecs = []Spec{
	evalSpec("eval", "2.6.0", "Runs a Lua script.", arg("script", "string"), evalSource(false)),
	evalSpec("evalsha", "2.6.0", "Runs a Lua script by its SHA-1.", arg("sha1", "string"), evalSHA(false)),
	readOnly(evalSpec("eval_ro", "7.0.0", "Runs a Lua script that only reads.", arg("script", "string"), evalSource(true))),
	readOnly(evalSpec("evalsha_ro", "7.0.0", "Runs a Lua script that only reads, by its SHA-1.", arg("sha1", "string"), evalSHA(true))),
	{
		Name: "script", Arity: -2,
		Group: "scripting", Since: "2.6.0", Complexity: "Depends on the subcommand",
		Summary: "A container for commands about scripts.",
		Subs: []Spec{
			{
				Name: "script|load", Arity: 3, Flags: NoScript | Stale, Categories: Scripting,
				Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
				Group: "scripting", Since: "2.6.0", Complexity: "O(N), N bytes of the script",
				Summary: "Keeps a script, to be run by its SHA-1.",
				Args:    []Arg{arg("script", "string")},
				Run: func(c *Call) {
					p, err := c.Env.Scripts.engine.Load(string(c.Args[2]))
					if err != nil {
						c.W.Error(err.Error())
						return
					}
					c.W.BulkString(p.Name)
				},
			},
			{
				Name: "script|exists", Arity: -3, Flags: NoScript, Categories: Scripting,
				Tips:  []string{"request_policy:all_shards", "response_policy:agg_logical_and"},
				Group: "scripting", Since: "2.6.0", Complexity: "O(N), N scripts asked for",
				Summary: "Tells which scripts are kept.",
				Args:    []Arg{arg("sha1", "string").many()},
				Run: func(c *Call) {
					c.W.Array(len(c.Args) - 2)
					for _, sha := range c.Args[2:] {
						there := int64(0)
						if c.Env.Scripts.engine.Has(strings.ToLower(string(sha))) {
							there = 1
						}
						c.W.Int(there)
					}
				},
			},
			{
				Name: "script|flush", Arity: -2, Flags: NoScript, Categories: Scripting,
				Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
				Group: "scripting", Since: "2.6.0", Complexity: "O(N), N scripts kept",
				Summary: "Forgets all scripts.",
				Args:    []Arg{oneOf("flush-type", token("ASYNC", "async"), token("SYNC", "sync")).optional().since("6.2.0")},
				Run: func(c *Call) {
					if len(c.Args) > 3 || len(c.Args) == 3 && !is(c.Args[2], "ASYNC") && !is(c.Args[2], "SYNC") {
						c.W.Error("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
						return
					}
					c.Env.Scripts.engine.Flush()
					c.ok()
				},
			},
			{
				Name: "script|kill", Arity: 2, Flags: NoScript | AllowBusy, Categories: Scripting,
				Tips:  []string{"request_policy:all_shards", "response_policy:one_succeeded"},
				Group: "scripting", Since: "2.6.0", Complexity: "O(1)",
				Summary: "Ends scripts that run for too long, if they have not written.",
				Run: func(c *Call) {
					if refusal := c.Env.Scripts.kill(false, "SCRIPT KILL"); refusal != "" {
						c.W.Error(refusal)
						return
					}
					c.ok()
				},
			},
			{
				Name: "script|show", Arity: 3, Flags: NoScript | Stale, Categories: Scripting,
				Group: "scripting", Since: "8.0.0", Complexity: "O(1)",
				Summary: "Returns the text of a script.",
				Args:    []Arg{arg("sha1", "string")},
				Run: func(c *Call) {
					if p := c.Env.Scripts.engine.Get(c.Args[2]); p != nil {
						c.W.BulkString(p.Source)
						return
					}
					c.W.Error(errNoScript)
				},
			},
			{
				Name: "script|debug", Arity: -3, Flags: NoScript, Categories: Scripting,
				Group: "scripting", Since: "3.2.0", Complexity: "O(1)",
				Summary: "Is refused: this server has no debugger of scripts.",
				Args:    []Arg{oneOf("mode", token("YES", "yes"), token("SYNC", "sync"), token("NO", "no"))},
				Run: func(c *Call) {
					if is(c.Args[2], "NO") {
						c.ok()
						return
					}
					c.W.Error("ERR SCRIPT DEBUG is not available: this server has no debugger of scripts")
				},
			},
			helpSpec("script", "scripting", "5.0.0", Loading|Stale, Scripting,
				"EXISTS <sha1> [<sha1> ...]", "    Tell which scripts are kept.",
				"FLUSH [ASYNC|SYNC]", "    Forget all scripts.",
				"KILL", "    End scripts that run for too long, if they have not written.",
				"LOAD <script>", "    Keep a script without running it.",
				"SHOW <sha1>", "    The text of a script.",
				"DEBUG (YES|SYNC|NO)", "    Not available."),
		},
	},
}

const errNoScript = "NOSCRIPT No matching script. Please use EVAL."

func evalSpec(name, since, summary string, what Arg, run func(*Call)) Spec {
	return Spec{
		Name: name, Arity: -3, Flags: NoScript | Stale | MayReplicate | SkipMonitor | NoMandatoryKeys, Categories: Scripting, Whole: true, HoldsItself: true,
		Keys:  countedKeys(2, "RW", "access", "update"),
		Group: "scripting", Since: since, Complexity: "Depends on the script",
		Summary: summary,
		Args: []Arg{
			what, arg("numkeys", "integer"), keyArg().optional().many(), arg("arg", "string").optional().many(),
		},
		Run: run,
	}
}

func readOnly(s Spec) Spec {
	s.Flags = s.Flags&^MayReplicate | ReadOnly
	s.Categories |= neitherReadNorWrite
	s.Keys = countedKeys(2, "RO", "access")
	return s
}

func evalSource(readOnly bool) func(*Call) {
	return func(c *Call) {
		keys, ok := c.scriptKeys()
		if !ok {
			return
		}
		p, err := c.Env.Scripts.engine.Eval(string(c.Args[1]))
		if err != nil {
			c.W.Error(err.Error())
			return
		}
		c.runScript(p, keys, readOnly)
	}
}

func evalSHA(readOnly bool) func(*Call) {
	return func(c *Call) {
		keys, ok := c.scriptKeys()
		if !ok {
			return
		}
		p := c.Env.Scripts.engine.Get(c.Args[1])
		if p == nil {
			c.W.Error(errNoScript)
			return
		}
		c.runScript(p, keys, readOnly)
	}
}

// scriptKeys are the keys the call declares; it answers the error itself.
func (c *Call) scriptKeys() (keys [][]byte, ok bool) {
	n, ok := resp.ParseInt(c.Args[2])
	switch {
	case !ok:
		c.W.Error(errNotInteger)
	case n < 0:
		c.W.Error("ERR Number of keys can't be negative")
	case n > int64(len(c.Args)-3):
		c.W.Error("ERR Number of keys can't be greater than number of args")
	default:
		return c.Args[3 : 3+n], true
	}
	return nil, false
}
