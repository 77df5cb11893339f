package command

import (
	"strings"

	"zset.dev/operator/node/telemetry"
)

var serverSpecs = []Spec{
	{
		Name: "info", Arity: -1, Flags: Loading | Stale, Categories: Dangerous,
		Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
		Group: "server", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Returns information and statistics about the server.",
		Differs: "What tells of replicas tells of none. heap_*, runtime_memory_limit and tls_re* are this server's own.",
		Args:    []Arg{arg("section", "string").optional().many()},
		Run:     info,
	},
	{
		Name: "dbsize", Arity: 1, Flags: ReadOnly | Fast, Categories: Keyspace,
		Tips:  []string{"request_policy:all_shards", "response_policy:agg_sum"},
		Group: "server", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Returns the number of keys.",
		Run:     func(c *Call) { c.W.Int(int64(c.Env.Keyspace.Len())) },
	},
	flushSpec("flushall", "Deletes all keys."),
	flushSpec("flushdb", "Deletes all keys of the database."),
	{
		Name: "time", Arity: 1, Flags: Loading | Stale | Fast,
		Tips:  []string{"nondeterministic_output"},
		Group: "server", Since: "2.6.0", Complexity: "O(1)",
		Summary: "Returns the server's time: Unix seconds, and microseconds.",
		Run:     timeCommand,
	},
	{
		Name: "shutdown", Arity: -1, Flags: Admin | NoScript | Loading | Stale | NoMulti | AllowBusy,
		Group: "server", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Stops the server.",
		Args: []Arg{
			oneOf("abort-selector",
				block("save-selector-block",
					oneOf("save-selector", token("NOSAVE", "nosave"), token("SAVE", "save")).optional(),
					token("NOW", "now").optional().since("7.0.0"), token("FORCE", "force").optional().since("7.0.0"),
				),
				token("ABORT", "abort").since("7.0.0"),
			).optional(),
		},
		Run: shutdown,
	},
}

func flushSpec(name, summary string) Spec {
	return Spec{
		Name: name, Arity: -1, Flags: Write, Whole: true, Categories: Keyspace | Dangerous,
		Tips:  []string{"request_policy:all_shards", "response_policy:all_succeeded"},
		Group: "server", Since: "1.0.0", Complexity: "O(N), N keys",
		Summary: summary,
		Args:    []Arg{oneOf("flush-type", token("ASYNC", "async").since("4.0.0"), token("SYNC", "sync").since("6.2.0")).optional()},
		Run:     flush,
	}
}

// flush deletes everything. All keys go at one moment; with SYNC the reply
// comes once their memory is given back, too.
func flush(c *Call) {
	if len(c.Args) > 2 || len(c.Args) == 2 && !is(c.Args[1], "ASYNC") && !is(c.Args[1], "SYNC") {
		c.W.Error(errSyntax)
		return
	}
	c.Held.Clear(len(c.Args) == 2 && is(c.Args[1], "SYNC"))
	c.flushed = c.Env.Tracking.Active()
	c.ok()
}

func info(c *Call) {
	var sections []string
	for _, a := range c.Args[1:] {
		sections = append(sections, string(a))
	}
	facts := c.Env.Facts()
	var text strings.Builder
	telemetry.WriteInfo(&text, &facts, sections...)
	c.W.Verbatim("txt", text.String())
}

func timeCommand(c *Call) {
	at := c.At
	if !c.frozen.IsZero() {
		at = c.frozen
	}
	c.W.Array(2)
	c.W.BulkString(decimal(at.Unix()))
	c.W.BulkString(decimal(int64(at.Nanosecond() / 1000)))
}

func shutdown(c *Call) {
	var save, noSave, now, force, abort bool
	for _, a := range c.Args[1:] {
		switch {
		case is(a, "NOSAVE"):
			noSave = true
		case is(a, "SAVE"):
			save = true
		case is(a, "NOW"):
			now = true
		case is(a, "FORCE"):
			force = true
		case is(a, "ABORT"):
			abort = true
		default:
			c.W.Error(errSyntax)
			return
		}
	}
	switch {
	case save && noSave, abort && (save || noSave || now || force):
		c.W.Error(errSyntax)
	case abort:
		// A shutdown closes every connection as soon as its commands are
		// done, so none can be left to take it back.
		c.W.Error("ERR No shutdown in progress.")
	case !c.mayShutDown(save, noSave, force):
		c.W.Error("ERR Errors trying to SHUTDOWN. Check logs.")
	case !c.Env.Shutdown(Shutdown{Now: now, Save: save, NoSave: noSave}):
		c.W.Error("ERR a shutdown is already in progress")
	default:
		// No reply: the connection closes, as clients expect.
		c.Client.CloseAfterReply = true
	}
}

// mayShutDown saves, if that is to be, while the client can still be told that it failed. What is written after that is saved
// again at the end.
func (c *Call) mayShutDown(save, noSave, force bool) bool {
	if c.Env.Loading() || noSave || !save && len(c.Env.Config.Values().Save) == 0 {
		return true
	}
	return c.Env.Persistence.SaveNow() == nil || force
}
