package command

import (
	"bytes"
	"errors"
	"strings"

	"zset.dev/operator/node/glob"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/resp"
	"zset.dev/operator/node/script"
)

var functionSpecs = []Spec{
	evalSpec("fcall", "7.0.0", "Calls a function of a library.", arg("function", "string"), functionCall(false)),
	readOnly(evalSpec("fcall_ro", "7.0.0", "Calls a function of a library that only reads.", arg("function", "string"), functionCall(true))),
	{
		Name: "function", Arity: -2,
		Group: "scripting", Since: "7.0.0", Complexity: "Depends on the subcommand",
		Summary: "A container for commands about functions.",
		Subs: []Spec{
			functionSpec("delete", 3, Write|NoScript, onEveryShard, "Deletes a library and its functions.", functionDelete, arg("library-name", "string")),
			functionSpec("dump", 2, NoScript, nil, "Returns the libraries in a payload for FUNCTION RESTORE.", functionDump),
			functionSpec("flush", -2, Write|NoScript, onEveryShard, "Deletes all libraries.", functionFlush,
				oneOf("flush-type", token("ASYNC", "async"), token("SYNC", "sync")).optional()),
			functionSpec("kill", 2, NoScript|AllowBusy, []string{"request_policy:all_shards", "response_policy:one_succeeded"},
				"Ends functions that run for too long, if they have not written.", functionKill),
			functionSpec("list", -2, NoScript, []string{"nondeterministic_output_order"}, "Returns the libraries and their functions.", functionList,
				after("LIBRARYNAME", "library-name-pattern", "string").optional(), token("WITHCODE", "withcode").optional()),
			functionSpec("load", -3, Write|DenyOOM|NoScript, onEveryShard, "Adds a library.", functionLoad,
				token("REPLACE", "replace").optional(), arg("function-code", "string")),
			functionSpec("restore", -3, Write|DenyOOM|NoScript, onEveryShard, "Adds the libraries of a payload.", functionRestore,
				arg("serialized-value", "string"), oneOf("policy", token("FLUSH", "flush"), token("APPEND", "append"), token("REPLACE", "replace")).optional()),
			functionSpec("stats", 2, NoScript|AllowBusy, []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
				"Returns which function runs, and how many libraries there are.", functionStats),
			helpSpec("function", "scripting", "7.0.0", Loading|Stale, Scripting,
				"DELETE <library-name>", "    Delete a library and its functions.",
				"DUMP", "    All libraries in a payload.",
				"FLUSH [ASYNC|SYNC]", "    Delete all libraries.",
				"KILL", "    End functions that run for too long, if they have not written.",
				"LIST [LIBRARYNAME <pattern>] [WITHCODE]", "    The libraries and their functions.",
				"LOAD [REPLACE] <code>", "    Add a library.",
				"RESTORE <payload> [FLUSH|APPEND|REPLACE]", "    Add the libraries of a payload; by default, if none is there already.",
				"STATS", "    Which function runs, and how many libraries there are."),
		},
	},
}

var onEveryShard = []string{"request_policy:all_shards", "response_policy:all_succeeded"}

// functionSpec is one of FUNCTION's subcommands. Those that write hold all
// partitions, so that what is logged of them stands in order, and who begins to
// save everything finds the libraries as they are there in the log.
func functionSpec(name string, arity int, flags Flags, tips []string, summary string, run func(*Call), args ...Arg) Spec {
	return Spec{
		Name: "function|" + name, Arity: arity, Flags: flags, Whole: flags&Write != 0, Tips: tips, Categories: Scripting,
		Group: "scripting", Since: "7.0.0", Complexity: "O(1)",
		Summary: summary,
		Args:    args,
		Run:     run,
	}
}

// Functions is the code of all libraries.
func (env *Env) Functions() (codes [][]byte) {
	for _, lib := range env.Scripts.engine.Libraries.All() {
		codes = append(codes, []byte(lib.Source))
	}
	return codes
}

// libraries are those the node has.
func (c *Call) libraries() *script.Libraries { return c.Env.Scripts.engine.Libraries }

func functionCall(readOnly bool) func(*Call) {
	return func(c *Call) {
		f := c.libraries().Function(string(c.Args[1]))
		if f == nil {
			c.W.Error("ERR Function not found")
			return
		}
		if _, ok := resp.ParseInt(c.Args[2]); !ok {
			c.W.Error("ERR Bad number of keys provided")
			return
		}
		if keys, ok := c.scriptKeys(); ok {
			c.runScript(f, keys, readOnly)
		}
	}
}

func functionLoad(c *Call) {
	replace := false
	for _, option := range c.Args[2 : len(c.Args)-1] {
		if replace || !is(option, "REPLACE") {
			c.W.Error("ERR Unknown option given: " + string(option))
			return
		}
		replace = true
	}
	name, err := c.libraries().Load(string(c.Args[len(c.Args)-1]), replace, c.logFrom, c.Env.Now)
	if err != nil {
		c.W.Error(err.Error())
		return
	}
	c.propagate([]byte("FUNCTION"), []byte("LOAD"), []byte("REPLACE"), c.Args[len(c.Args)-1])
	c.W.BulkString(name)
}

func functionDelete(c *Call) {
	if !c.libraries().Delete(string(c.Args[2])) {
		c.W.Error("ERR Library not found")
		return
	}
	c.propagate(c.Args...)
	c.ok()
}

func functionFlush(c *Call) {
	switch {
	case len(c.Args) > 3:
		c.wrongCall()
	case len(c.Args) == 3 && !is(c.Args[2], "ASYNC") && !is(c.Args[2], "SYNC"):
		c.W.Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")
	default:
		c.libraries().Flush()
		c.propagate(c.Args...)
		c.ok()
	}
}

func functionKill(c *Call) {
	if refusal := c.Env.Scripts.kill(true, "FUNCTION KILL"); refusal != "" {
		c.W.Error(refusal)
		return
	}
	c.ok()
}

func functionDump(c *Call) {
	var codes []string
	for _, lib := range c.libraries().All() {
		codes = append(codes, lib.Source)
	}
	c.W.Bulk(rdb.AppendFunctions(nil, codes))
}

func functionRestore(c *Call) {
	policy := script.Append
	switch {
	case len(c.Args) > 4:
		c.wrongCall()
		return
	case len(c.Args) == 3 || is(c.Args[3], "APPEND"):
	case is(c.Args[3], "REPLACE"):
		policy = script.Replace
	case is(c.Args[3], "FLUSH"):
		policy = script.Flush
	default:
		c.W.Error("ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.")
		return
	}
	codes, err := rdb.ReadFunctions(c.Args[2])
	switch {
	case errors.Is(err, rdb.ErrFooter):
		c.W.Error("ERR DUMP payload version or checksum are wrong")
		return
	case errors.Is(err, rdb.ErrPreRelease):
		c.W.Error("ERR Pre-GA function format not supported")
		return
	case err != nil:
		c.W.Error("ERR given type is not a function")
		return
	}
	if err := c.libraries().Restore(codes, policy, c.logFrom, c.Env.Now); err != nil {
		c.W.Error(err.Error())
		return
	}
	again := "REPLACE" // APPEND would fail when done again
	if policy == script.Flush {
		again = "FLUSH"
	}
	c.propagate(c.Args[0], c.Args[1], c.Args[2], []byte(again))
	c.ok()
}

func functionList(c *Call) {
	var pattern []byte
	code := false
	for i := 2; i < len(c.Args); i++ {
		switch {
		case !code && is(c.Args[i], "WITHCODE"):
			code = true
		case pattern == nil && is(c.Args[i], "LIBRARYNAME"):
			if i++; i == len(c.Args) {
				c.W.Error("ERR library name argument was not given")
				return
			}
			pattern = c.Args[i]
		default:
			c.W.Error("ERR Unknown argument " + string(c.Args[i]))
			return
		}
	}
	var shown []*script.Library
	for _, lib := range c.libraries().All() {
		if pattern == nil || glob.Match(bytes.ToLower(pattern), []byte(strings.ToLower(lib.Name))) {
			shown = append(shown, lib)
		}
	}
	c.W.Array(len(shown))
	for _, lib := range shown {
		c.replyLibrary(lib, code)
	}
}

// replyLibrary answers one library of FUNCTION LIST.
func (c *Call) replyLibrary(lib *script.Library, code bool) {
	w := c.W
	fields := 3
	if code {
		fields++
	}
	w.Map(fields)
	w.BulkString("library_name")
	w.BulkString(lib.Name)
	w.BulkString("engine")
	w.BulkString("LUA")
	w.BulkString("functions")
	w.Array(len(lib.Functions))
	for _, f := range lib.Functions {
		w.Map(3)
		w.BulkString("name")
		w.BulkString(f.Name)
		w.BulkString("description")
		if f.Description == "" {
			w.Null()
		} else {
			w.BulkString(f.Description)
		}
		w.BulkString("flags")
		flags := f.Flags.Names()
		w.Set(len(flags))
		for _, name := range flags {
			w.Simple(name)
		}
	}
	if code {
		w.BulkString("library_code")
		w.BulkString(lib.Source)
	}
}

func functionStats(c *Call) {
	w := c.W
	running := c.Env.Scripts.function()
	w.Map(2)
	w.BulkString("running_script")
	if running == nil {
		w.Null()
	} else {
		w.Map(3)
		w.BulkString("name")
		w.BulkString(running.what.About().Name)
		w.BulkString("command")
		w.Array(len(running.command))
		for _, word := range running.command {
			w.Bulk(word)
		}
		w.BulkString("duration_ms")
		w.Int(max(0, c.Env.Now().Sub(running.began).Milliseconds()))
	}
	libraries, functions := c.libraries().Count()
	w.BulkString("engines")
	w.Map(1)
	w.BulkString("LUA")
	w.Map(2)
	w.BulkString("libraries_count")
	w.Int(int64(libraries))
	w.BulkString("functions_count")
	w.Int(int64(functions))
}
