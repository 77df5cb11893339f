package script

import (
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/resp"
)

// fcall calls a function and returns its encoded reply, or its error.
func fcall(t *testing.T, e *Engine, h *fakeHost, name string, keys, args []string) string {
	t.Helper()
	f := e.Libraries.Function(name)
	if f == nil {
		t.Fatalf("there is no function %q", name)
	}
	words := func(texts []string) (all [][]byte) {
		for _, text := range texts {
			all = append(all, []byte(text))
		}
		return all
	}
	var w resp.Writer
	if err := e.Run(f, Run{Host: h, Control: &Control{}, Keys: words(keys), Args: words(args), W: &w, Now: time.Now}); err != nil {
		return err.Error()
	}
	return string(w.Bytes())
}

func load(e *Engine, source string, replace bool) string {
	name, err := e.Libraries.Load(source, replace, nil, time.Now)
	if err != nil {
		return err.Error()
	}
	return name
}

func TestFunctions(t *testing.T) {
	e := NewEngine()
	if got := load(e, `#!lua name=lib
local calls = 0
local function twice(n) return 2 * n end
redis.register_function('Twice', function(keys, args) return {twice(args[1]), keys[1]} end)
server.register_function{function_name='count', callback=function() calls = calls + 1 return calls end, description='calls so far', flags={'no-writes', 'allow-oom'}}
redis.register_function('words', function() return KEYS end)
redis.register_function('register', function() return redis.register_function('x', error) end)
redis.register_function('fail', function()
  error('no')
end)
redis.register_function('ask', function(keys) return redis.call('ZCARD', keys[1]) end)`, false); got != "lib" {
		t.Fatal(got)
	}
	h := &fakeHost{replies: map[string]string{"ZCARD k": ":7\r\n"}}
	for _, c := range []struct{ name, want string }{
		{"twice", "*2\r\n:42\r\n" + bulk("k")},
		{"TWICE", "*2\r\n:42\r\n" + bulk("k")},
		{"ask", ":7\r\n"},
		{"count", ":1\r\n"}, {"count", ":2\r\n"}, // one after another, calls share the library's variables
		{"words", "ERR user_function:6: Script attempted to access nonexistent global variable 'KEYS' script: words, on @user_function:6."},
		{"register", "ERR user_function:7: attempt to call field 'register_function' (a nil value) script: register, on @user_function:7."},
		{"fail", "ERR user_function:9: no script: fail, on @user_function:9."},
	} {
		if got := fcall(t, e, h, c.name, []string{"k"}, []string{"21"}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	f := e.Libraries.Function("count")
	if got := strings.Join(f.Flags.Names(), " "); got != "no-writes allow-oom" || f.Description != "calls so far" || !f.Flags.Given {
		t.Errorf("count has flags %q, description %q", got, f.Description)
	}
	if libraries, functions := e.Libraries.Count(); libraries != 1 || functions != 6 {
		t.Errorf("%d libraries, %d functions", libraries, functions)
	}
}

func TestLibrariesRefused(t *testing.T) {
	const registers = "\nredis.register_function('f', function() end)"
	const raised = "ERR Error registering functions: @user_function:2: "
	e := NewEngine()
	load(e, "#!lua name=there"+registers, false)
	load(e, "#!lua name=second\nredis.register_function('g', function() end)", false)
	for source, want := range map[string]string{
		"return 1":                        "ERR Missing library metadata",
		"#!lua name=x":                    "ERR Invalid library metadata",
		"#!lua name=\"x" + registers:      "ERR Invalid library metadata",
		"#!lua" + registers:               "ERR Library name was not given",
		"#!lua name=a name=b" + registers: "ERR Invalid metadata value, name argument was given multiple times",
		"#!lua name=a b=c" + registers:    "ERR Invalid metadata value given: b=c",
		"#!js name=a" + registers:         "ERR Engine 'js' not found",
		"#! name=a" + registers:           "ERR Engine '' not found",
		"#!lua name=a-b" + registers:      "ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long",
		"#!lua name=there" + registers:    "ERR Library 'there' already exists",
		"#!lua name=other" + registers:    "ERR Function f already exists",
		"#!lua name=a\nreturn 1":          "ERR No functions registered",
		"#!lua name=a\n)":                 "ERR Error compiling function: user_function:2: syntax error near ')'",
		"#!lua name=a\nx = 1":             "ERR Error registering functions: user_function:2: Attempt to modify a readonly table",
		"#!lua name=a\nreturn math.pi":    "ERR Error registering functions: user_function:2: Script attempted to access nonexistent global variable 'math'",
		"#!lua name=a\nredis.call('x')":   "ERR Error registering functions: user_function:2: Script attempted to access nonexistent global variable 'call'",
		"#!lua name=a\nwhile true do end": "ERR Error registering functions: FUNCTION LOAD timeout",

		"#!lua name=a\nredis.register_function()":                                    raised + "wrong number of arguments to server.register_function",
		"#!lua name=a\nredis.register_function('f')":                                 raised + "calling server.register_function with a single argument is only applicable to Lua table (representing named arguments).",
		"#!lua name=a\nredis.register_function(nil, nil)":                            raised + "first argument to server.register_function must be a string",
		"#!lua name=a\nredis.register_function('f', 'g')":                            raised + "second argument to server.register_function must be a function",
		"#!lua name=a\nredis.register_function('', function()end)":                   raised + "Function names can only contain letters, numbers, or underscores(_) and must be at least one character long",
		"#!lua name=a\nfor i=1,2 do redis.register_function('z', function()end) end": raised + "Function already exists in the library",
		"#!lua name=a\nredis.register_function{callback=function()end}":              raised + "server.register_function must get a function name argument",
		"#!lua name=a\nredis.register_function{function_name='f'}":                   raised + "server.register_function must get a callback argument",
		"#!lua name=a\nredis.register_function{flags='x'}":                           raised + "flags argument to server.register_function must be a table representing function flags",
		"#!lua name=a\nredis.register_function{flags={'x'}}":                         raised + "unknown flag given",
		"#!lua name=a\nredis.register_function{other=1}":                             raised + "unknown argument given to server.register_function",
	} {
		if got := load(e, source, false); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
	if got := load(e, "#!lua name=second"+registers, true); got != "ERR Function f already exists" {
		t.Errorf("a replacement took a function of another library: %q", got)
	}
	if libraries, functions := e.Libraries.Count(); libraries != 2 || functions != 2 || e.Libraries.Function("g") == nil {
		t.Errorf("after failures there are %d libraries with %d functions", libraries, functions)
	}
}

func TestLibrariesReplaced(t *testing.T) {
	source := func(lib, function, result string) string {
		return "#!lua name=" + lib + "\nredis.register_function('" + function + "', function() return " + result + " end)"
	}
	e := NewEngine()
	load(e, source("a", "f", "1"), false)
	load(e, source("b", "g", "1"), false)
	if got := load(e, source("a", "h", "2"), true); got != "a" || e.Libraries.Function("f") != nil {
		t.Errorf("%q, the old function is there: %v", got, e.Libraries.Function("f") != nil)
	}
	for _, c := range []struct {
		policy Policy
		want   string
		count  int
	}{
		{Append, "ERR Library a already exists", 2},
		{Replace, "ERR Function g already exists", 2},
		{Flush, "", 2},
	} {
		err := e.Libraries.Restore([]string{source("c", "i", "3"), source("a", "g", "3")}, c.policy, nil, time.Now)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if n, _ := e.Libraries.Count(); got != c.want || n != c.count {
			t.Errorf("policy %d: %q, %d libraries", c.policy, got, n)
		}
	}
	if got := fcall(t, e, &fakeHost{}, "g", nil, nil); got != ":3\r\n" {
		t.Errorf("g returned %q", got)
	}
	if !e.Libraries.Delete("a") || e.Libraries.Delete("a") || e.Libraries.Function("g") != nil {
		t.Error("a deleted library is there")
	}
	e.Libraries.Flush()
	if libraries, functions := e.Libraries.Count(); libraries+functions != 0 {
		t.Errorf("%d libraries, %d functions after a flush", libraries, functions)
	}
}

func TestWhatIsNoFunction(t *testing.T) {
	runCases(t, []scriptCase{
		{"a field", `os.execute('ls')`, "ERR user_script:1: attempt to call field 'execute' (a nil value) script: SHA, on @user_script:1."},
		{"behind one that is there", `redis.log(3, 'x') return math.pi()`, "ERR user_script:1: attempt to call field 'pi' (a number value) script: SHA, on @user_script:1."},
		{"bytecode", `return loadstring(string.dump(function() return 1 end))()`, "ERR user_script:1: attempt to call a nil value script: SHA, on @user_script:1."},
		{"a local", `local x = 1 x()`, "ERR user_script:1: attempt to call a non-function object script: SHA, on @user_script:1."},
	})
}
