package command

import (
	"strconv"
	"strings"

	"zset.dev/operator/node/glob"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

var commandSpecs = []Spec{{
	Name: "command", Arity: -1, Flags: Loading | Stale, Categories: Connection,
	Tips:  []string{"nondeterministic_output_order"},
	Group: "server", Since: "2.8.13", Complexity: "O(N), N commands",
	Summary: "Returns what is known of all commands.",
	Run:     commandAll,
	Subs: []Spec{
		{
			Name: "command|count", Arity: 2, Flags: Loading | Stale, Categories: Connection,
			Group: "server", Since: "2.8.13", Complexity: "O(1)",
			Summary: "Returns the number of commands.",
			Run:     func(c *Call) { c.W.Int(int64(len(c.Env.Table.specs))) },
		},
		{
			Name: "command|docs", Arity: -2, Flags: Loading | Stale, Categories: Connection,
			Tips:  []string{"nondeterministic_output_order"},
			Group: "server", Since: "7.0.0", Complexity: "O(N), N commands asked for",
			Summary: "Returns the documentation of commands.",
			Args:    []Arg{arg("command-name", "string").optional().many()},
			Run:     commandDocs,
		},
		{
			Name: "command|getkeys", Arity: -3, Flags: Loading | Stale, Categories: Connection,
			Group: "server", Since: "2.8.13", Complexity: "O(N), N arguments",
			Summary: "Returns the keys of a command.",
			Args:    []Arg{arg("command", "string"), arg("arg", "string").optional().many()},
			Run:     commandGetKeys,
		},
		{
			Name: "command|getkeysandflags", Arity: -3, Flags: Loading | Stale, Categories: Connection,
			Group: "server", Since: "7.0.0", Complexity: "O(N), N arguments",
			Summary: "Returns the keys of a command, each with what the command does to it.",
			Args:    []Arg{arg("command", "string"), arg("arg", "string").optional().many()},
			Run:     commandGetKeysAndFlags,
		},
		{
			Name: "command|info", Arity: -2, Flags: Loading | Stale, Categories: Connection,
			Tips:  []string{"nondeterministic_output_order"},
			Group: "server", Since: "2.8.13", Complexity: "O(N), N commands asked for",
			Summary: "Returns what is known of commands.",
			Args:    []Arg{arg("command-name", "string").optional().many()},
			Run:     commandInfo,
		},
		{
			Name: "command|list", Arity: -2, Flags: Loading | Stale, Categories: Connection,
			Tips:  []string{"nondeterministic_output_order"},
			Group: "server", Since: "7.0.0", Complexity: "O(N), N commands",
			Summary: "Returns the names of the commands.",
			Args: []Arg{oneOf("filterby",
				after("MODULE", "module-name", "string"), after("ACLCAT", "category", "string"), after("PATTERN", "pattern", "pattern"),
			).optional().after("FILTERBY")},
			Run: commandList,
		},
		helpSpec("command", "server", "5.0.0", Loading|Stale, Connection,
			"(no subcommand)", "    What is known of all commands.",
			"COUNT", "    The number of commands.",
			"DOCS [<command> ...]", "    The documentation of commands.",
			"GETKEYS <command> [<arg> ...]", "    The keys among the arguments.",
			"GETKEYSANDFLAGS <command> [<arg> ...]", "    The keys among the arguments, and what is done to them.",
			"INFO [<command> ...]", "    What is known of commands.",
			"LIST [FILTERBY (MODULE <name> | ACLCAT <category> | PATTERN <pattern>)]", "    The names of the commands."),
	},
}}

func commandAll(c *Call) {
	c.W.Array(len(c.Env.Table.specs))
	for i := range c.Env.Table.specs {
		c.replySpec(&c.Env.Table.specs[i])
	}
}

func commandInfo(c *Call) {
	if len(c.Args) == 2 {
		commandAll(c)
		return
	}
	c.W.Array(len(c.Args) - 2)
	for _, name := range c.Args[2:] {
		if s := c.Env.Table.lookupFull(string(name)); s != nil {
			c.replySpec(s)
		} else {
			c.W.Null()
		}
	}
}

// replySpec answers the ten elements of a command in COMMAND INFO.
func (c *Call) replySpec(s *Spec) {
	w := c.W
	w.Array(10)
	w.BulkString(s.Name)
	w.Int(int64(s.Arity))
	flags := s.flags()
	w.Set(len(flags))
	for _, name := range flags {
		w.Simple(name)
	}
	places := s.Keys.and(s.Routes)
	first, last, step := places.span()
	w.Int(int64(first))
	w.Int(int64(last))
	w.Int(int64(step))
	categories := s.categories()
	w.Set(len(categories))
	for _, category := range categories {
		w.Simple(category)
	}
	w.Set(len(s.Tips))
	for _, tip := range s.Tips {
		w.BulkString(tip)
	}
	w.Set(len(places))
	for i := range places {
		c.replyKeyPart(&places[i])
	}
	w.Array(len(s.Subs))
	for i := range s.Subs {
		c.replySpec(&s.Subs[i])
	}
}

// replyKeyPart answers where some of the keys are, in the form that names how
// to find the first and then the others.
func (c *Call) replyKeyPart(p *KeyPart) {
	w := c.W
	w.Map(3)
	w.BulkString("flags")
	c.replyUse(p.Access, p.Use)
	number := func(name string, n int) {
		w.BulkString(name)
		w.Int(int64(n))
	}
	way := func(name, kind string, fields int) {
		w.BulkString(name)
		w.Map(2)
		w.BulkString("type")
		w.BulkString(kind)
		w.BulkString("spec")
		w.Map(fields)
	}
	switch {
	case p.Word != "":
		way("begin_search", "keyword", 2)
		w.BulkString("keyword")
		w.BulkString(p.Word)
		number("startfrom", p.First)
	case p.Count != 0:
		way("begin_search", "index", 1)
		number("index", p.Count)
	default:
		way("begin_search", "index", 1)
		number("index", p.First)
	}
	if p.Count != 0 {
		way("find_keys", "keynum", 3)
		number("keynumidx", 0)
		number("firstkey", 1)
		number("keystep", p.Step)
		return
	}
	last := p.Last
	switch {
	case p.Word != "":
		last = 0
	case last > 0:
		last -= p.First // counted from the first key
	}
	way("find_keys", "range", 3)
	number("lastkey", last)
	number("keystep", p.Step)
	number("limit", 0)
}

func commandList(c *Call) {
	shown := func(*Spec) bool { return true }
	switch {
	case len(c.Args) == 2:
	case len(c.Args) == 5 && is(c.Args[2], "FILTERBY") && is(c.Args[3], "MODULE"):
		shown = func(*Spec) bool { return false } // there are no modules
	case len(c.Args) == 5 && is(c.Args[2], "FILTERBY") && is(c.Args[3], "ACLCAT"):
		category := "@" + strings.ToLower(string(c.Args[4]))
		shown = func(s *Spec) bool {
			for _, has := range s.categories() {
				if has == category {
					return true
				}
			}
			return false
		}
	case len(c.Args) == 5 && is(c.Args[2], "FILTERBY") && is(c.Args[3], "PATTERN"):
		pattern := []byte(strings.ToLower(string(c.Args[4])))
		shown = func(s *Spec) bool { return glob.Match(pattern, []byte(s.Name)) }
	default:
		c.W.Error(errSyntax)
		return
	}
	var names []string
	add := func(s *Spec) {
		if shown(s) {
			names = append(names, s.Name)
		}
	}
	for i := range c.Env.Table.specs {
		s := &c.Env.Table.specs[i]
		add(s)
		for j := range s.Subs {
			add(&s.Subs[j])
		}
	}
	c.replyNames(names)
}
