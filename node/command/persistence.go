package command

// Data are in memory only: what would save them says so, as SHUTDOWN SAVE
// does, instead of an OK that somebody might rely on.
var persistenceSpecs = []Spec{
	{
		Name: "lastsave", Arity: 1, Flags: Loading | Stale | Fast, Categories: Administrative,
		Tips:  []string{"nondeterministic_output"},
		Group: "server", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Returns the Unix time of the last save; the server's start, since nothing is saved.",
		Run:     func(c *Call) { c.W.Int(c.Env.Facts().Started.Unix()) },
	},
	memoryOnly("save", 1, Admin|NoScript|NoMulti|NoAsyncLoading, "Would save all keys to disk."),
	memoryOnly("bgsave", -1, Admin|NoScript|NoAsyncLoading, "Would save all keys to disk in the background.",
		oneOf("operation", token("SCHEDULE", "schedule").since("3.2.2"), token("CANCEL", "cancel").since("8.1.0")).optional()),
	memoryOnly("bgrewriteaof", 1, Admin|NoScript|NoAsyncLoading, "Would rewrite the append-only file in the background."),
}

func memoryOnly(name string, arity int, flags Flags, summary string, args ...Arg) Spec {
	return Spec{
		Name: name, Arity: arity, Flags: flags,
		Group: "server", Since: "1.0.0", Complexity: "O(1)",
		Summary: summary + " Refused: data are in memory only.",
		Args:    args,
		Run:     refuseToSave,
	}
}

func refuseToSave(c *Call) {
	if len(c.Args) > 2 || len(c.Args) == 2 && !is(c.Args[1], "SCHEDULE") && !is(c.Args[1], "CANCEL") {
		c.W.Error(errSyntax)
		return
	}
	c.W.Error("ERR this server keeps its data in memory only")
}
