package command

import (
	"errors"
	"io/fs"
	"os"

	"zset.dev/operator/node/acl"
)

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
			Summary: "Writes the parameters in force to the file the server was started with.",
			Run:     configRewrite,
		},
		helpSpec("config", "server", "5.0.0", Loading|Stale, 0,
			"GET <pattern> [<pattern> ...]", "    The values of the parameters that match.",
			"SET <parameter> <value> [<parameter> <value> ...]", "    Change parameters, all or none.",
			"RESETSTAT", "    Set the statistics of INFO back to zero.",
			"REWRITE", "    Write what is in force to the configuration file; its comments and order stay."),
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

// configRewrite writes what is in force to the file the server was started
// with. In Kubernetes that is mounted read-only, which is the error then: what
// is in it is the resource's to say.
func configRewrite(c *Call) {
	settings := c.Env.Config
	path := settings.File()
	if path == "" {
		c.W.Error("ERR The server is running without a config file")
		return
	}
	c.Env.rewriting.Lock()
	defer c.Env.rewriting.Unlock()
	content, err := os.ReadFile(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = acl.WriteFile(path, settings.Rewritten(string(content), c.Env.userLines()))
	}
	if err != nil {
		if reason := errors.Unwrap(err); reason != nil {
			err = reason
		}
		c.W.Error("ERR Rewriting config file: " + err.Error())
		return
	}
	c.ok()
}
