package command

// This version has scripts, not libraries of functions. What asks for
// libraries is told truly that there are none; what needs one is refused.
var functionSpecs = []Spec{
	evalSpec("fcall", "7.0.0", "Calls a function of a library. Not in this version.", arg("function", "string"), refuseFunctions),
	readOnly(evalSpec("fcall_ro", "7.0.0", "Calls a function of a library that only reads. Not in this version.", arg("function", "string"), refuseFunctions)),
	{
		Name: "function", Arity: -2,
		Group: "scripting", Since: "7.0.0", Complexity: "Depends on the subcommand",
		Summary: "A container for commands about functions.",
		Subs: []Spec{
			functionSpec("delete", 3, Write|NoScript, onEveryShard, "Would delete a library; there is none.",
				func(c *Call) { c.W.Error("ERR Library not found") }, arg("library-name", "string")),
			functionSpec("dump", 2, NoScript, nil, "Would return the libraries in a payload. Not in this version.", refuseFunctions),
			functionSpec("flush", -2, Write|NoScript, onEveryShard, "Deletes all libraries: none.", functionFlush,
				oneOf("flush-type", token("ASYNC", "async"), token("SYNC", "sync")).optional()),
			functionSpec("kill", 2, NoScript|AllowBusy, []string{"request_policy:all_shards", "response_policy:one_succeeded"}, "Would end a function that runs; none does.",
				func(c *Call) { c.W.Error(errNotBusy) }),
			functionSpec("list", -2, NoScript, []string{"nondeterministic_output_order"}, "Returns the libraries: none.", functionList,
				after("LIBRARYNAME", "library-name-pattern", "string").optional(), token("WITHCODE", "withcode").optional()),
			functionSpec("load", -3, Write|DenyOOM|NoScript, onEveryShard, "Would add a library. Not in this version.", refuseFunctions,
				token("REPLACE", "replace").optional(), arg("function-code", "string")),
			functionSpec("restore", -3, Write|DenyOOM|NoScript, onEveryShard, "Would add the libraries of a payload. Not in this version.", refuseFunctions,
				arg("serialized-value", "string"), oneOf("policy", token("FLUSH", "flush"), token("APPEND", "append"), token("REPLACE", "replace")).optional()),
			functionSpec("stats", 2, NoScript|AllowBusy, []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
				"Returns what runs and how many libraries there are: nothing, none.", functionStats),
			helpSpec("function", "scripting", "7.0.0", Loading|Stale, Scripting,
				"LIST [LIBRARYNAME <pattern>] [WITHCODE]", "    The libraries: none.",
				"STATS", "    What runs, and how many libraries there are.",
				"LOAD, RESTORE, DUMP", "    Not available."),
		},
	},
}

var onEveryShard = []string{"request_policy:all_shards", "response_policy:all_succeeded"}

const errNoFunctions = "ERR functions are not in this version of the server; use EVAL or EVALSHA"

func refuseFunctions(c *Call) { c.W.Error(errNoFunctions) }

func functionSpec(name string, arity int, flags Flags, tips []string, summary string, run func(*Call), args ...Arg) Spec {
	return Spec{
		Name: "function|" + name, Arity: arity, Flags: flags, Tips: tips, Categories: Scripting,
		Group: "scripting", Since: "7.0.0", Complexity: "O(1)",
		Summary: summary,
		Args:    args,
		Run:     run,
	}
}

func functionFlush(c *Call) {
	if len(c.Args) > 3 || len(c.Args) == 3 && !is(c.Args[2], "ASYNC") && !is(c.Args[2], "SYNC") {
		c.W.Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")
		return
	}
	c.ok()
}

func functionList(c *Call) {
	var pattern, code bool
	for i := 2; i < len(c.Args); i++ {
		switch {
		case !code && is(c.Args[i], "WITHCODE"):
			code = true
		case !pattern && is(c.Args[i], "LIBRARYNAME"):
			pattern = true
			if i++; i == len(c.Args) {
				c.W.Error("ERR library name argument was not given")
				return
			}
		default:
			c.W.Error("ERR Unknown argument " + string(c.Args[i]))
			return
		}
	}
	c.W.Array(0)
}

func functionStats(c *Call) {
	w := c.W
	w.Map(2)
	w.BulkString("running_script")
	w.Null()
	w.BulkString("engines")
	w.Map(1)
	w.BulkString("LUA")
	w.Map(2)
	w.BulkString("libraries_count")
	w.Int(0)
	w.BulkString("functions_count")
	w.Int(0)
}
