package command

import (
	"errors"

	"zset.dev/operator/node/persist"
)

var persistenceSpecs = []Spec{
	{
		Name: "lastsave", Arity: 1, Flags: Loading | Stale | Fast, Categories: Administrative,
		Tips:  []string{"nondeterministic_output"},
		Group: "server", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Returns the Unix time of the last save; the server's start when there was none.",
		Run:     func(c *Call) { c.W.Int(c.Env.Persistence.LastSave().Unix()) },
	},
	{
		Name: "save", Arity: 1, Flags: Admin | NoScript | NoMulti | NoAsyncLoading,
		Group: "server", Since: "1.0.0", Complexity: "O(N), N keys",
		Summary: "Saves all keys to dbfilename, and answers once they are on disk.",
		Differs: "Other clients are served meanwhile.",
		Run:     save,
	},
	{
		Name: "bgsave", Arity: -1, Flags: Admin | NoScript | NoAsyncLoading,
		Group: "server", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Saves all keys to dbfilename in the background.",
		Differs: "A server of another kind that reads the file may miss a key that was renamed while it was written (docs/persistence.md).",
		Args:    []Arg{oneOf("operation", token("SCHEDULE", "schedule").since("3.2.2"), token("CANCEL", "cancel").since("8.1.0")).optional()},
		Run:     saveBehind,
	},
	{
		Name: "bgrewriteaof", Arity: 1, Flags: Admin | NoScript | NoAsyncLoading,
		Group: "server", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Replaces the append-only files by shorter ones, in the background.",
		Run:     rewriteAppended,
	},
}

func save(c *Call) {
	if err := c.Env.Persistence.Save(); err != nil {
		c.W.Error(persistenceError(err))
		return
	}
	c.ok()
}

func saveBehind(c *Call) {
	mayWait := len(c.Args) == 2 && is(c.Args[1], "SCHEDULE")
	switch {
	case len(c.Args) == 2 && is(c.Args[1], "CANCEL"):
		text, err := c.Env.Persistence.CancelSave()
		if err != nil {
			c.W.Error(persistenceError(err))
			return
		}
		c.W.Simple(text)
		return
	case len(c.Args) > 2, len(c.Args) == 2 && !mayWait:
		c.W.Error(errSyntax)
		return
	}
	later, err := c.Env.Persistence.SaveBehind(mayWait, c.Nested)
	switch {
	case err != nil:
		c.W.Error(persistenceError(err))
	case later:
		c.W.Simple("Background saving scheduled")
	default:
		c.W.Simple("Background saving started")
	}
}

func rewriteAppended(c *Call) {
	later, err := c.Env.Persistence.Rewrite(c.Nested)
	switch {
	case err != nil:
		c.W.Error(persistenceError(err))
	case later:
		c.W.Simple("Background append only file rewriting scheduled")
	default:
		c.W.Simple("Background append only file rewriting started")
	}
}

// persistenceError is the reply for what could not be saved: nothing but ERR for what real servers say no more of.
func persistenceError(err error) string {
	var busy persist.BusyError
	if errors.As(err, &busy) {
		return "ERR " + string(busy)
	}
	return "ERR " + err.Error()
}
