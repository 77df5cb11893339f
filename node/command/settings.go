package command

var configSpecs = []Spec{{
	Name: "config", Arity: -2,
	Group: "server", Since: "2.0.0", Complexity: "Depends on the subcommand",
	Summary: "A container for commands about the configuration.",
	Subs: []Spec{
		{
			Name: "config|get", Arity: -3, Flags: Admin | whileWaiting,
			Group: "server", Since: "2.0.0", Complexity: "O(N), N parameters",
			Summary: "Returns the values of the parameters that match.",
			Args:    []Arg{arg("parameter", "string").many()},
			Run:     configGet,
		},
		{
			Name: "config|set", Arity: -4, Flags: Admin | whileWaiting,
			Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Group: "server", Since: "2.0.0", Complexity: "O(N), N parameters",
			Summary: "Changes parameters while the server runs, all of them or none.",
			Differs: "What is fixed at the start, as the port, is refused.",
			Args:    []Arg{block("data", arg("parameter", "string"), arg("value", "string")).many()},
			Run:     configSet,
		},
		{
			Name: "config|resetstat", Arity: 2, Flags: Admin | whileWaiting,
			Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Group: "server", Since: "2.0.0", Complexity: "O(1)",
			Summary: "Sets the statistics back to zero.",
			Run: func(c *Call) {
				c.Env.Stats.Reset(c.Env.Keyspace.Expired(), c.Env.Keyspace.Evictions())
				c.Env.Eviction.Reset()
				c.Env.Scripts.engine.ResetEvicted()
				c.ok()
			},
		},
		{
			Name: "config|rewrite", Arity: 2, Flags: Admin | whileWaiting,
			Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Group: "server", Since: "2.8.0", Complexity: "O(1)",
			Summary: "Is refused: the file the server starts with is its owner's to write.",
			Run:     configRewrite,
		},
		helpSpec("config", "server", "5.0.0", Loading|Stale, 0,
			"GET <pattern> [<pattern> ...]", "    The values of the parameters that match.",
			"SET <parameter> <value> [<parameter> <value> ...]", "    Change parameters, all or none.",
			"RESETSTAT", "    Set the statistics of INFO back to zero.",
			"REWRITE", "    Not available: the file is its owner's to write."),
	},
}}

func configGet(c *Call) {
	patterns := make([]string, 0, len(c.Args)-2)
	for _, a := range c.Args[2:] {
		patterns = append(patterns, string(a))
	}
	pairs := c.Env.Config.Get(patterns...)
	c.W.Map(len(pairs))
	for _, p := range pairs {
		c.W.BulkString(p.Name)
		c.W.BulkString(p.Value)
	}
}

func configSet(c *Call) {
	if len(c.Args)%2 != 0 {
		c.W.Error(errSyntax)
		return
	}
	pairs := make([]string, 0, len(c.Args)-2)
	for _, a := range c.Args[2:] {
		pairs = append(pairs, string(a))
	}
	if err := c.Env.Config.Set(pairs...); err != nil {
		c.W.Error(err.Error())
		return
	}
	c.ok()
}

// configRewrite refuses: in Kubernetes the file is mounted read-only, and what
// is in it is the resource's to say.
func configRewrite(c *Call) {
	if c.Env.Facts().ConfigFile == "" {
		c.W.Error("ERR The server is running without a config file")
		return
	}
	c.W.Error("ERR Rewriting config file: this server leaves the file it was started with as it is")
}
