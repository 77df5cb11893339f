package script

import (
	"errors"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/resp"
)

// fakeHost answers commands from a table.
type fakeHost struct {
	replies map[string]string
	called  []string
	logged  []string
	proto   int
	err     error
}

func (h *fakeHost) Call(args [][]byte) ([]byte, error) {
	var line []string
	for _, a := range args {
		line = append(line, string(a))
	}
	name := strings.Join(line, " ")
	h.called = append(h.called, name)
	if h.err != nil {
		return nil, h.err
	}
	if reply, ok := h.replies[name]; ok {
		return []byte(reply), nil
	}
	return []byte("+OK\r\n"), nil
}

func (h *fakeHost) Permitted(args [][]byte) (allowed, known bool) {
	return string(args[0]) == "GET", string(args[0]) != "NOSUCH"
}

func (h *fakeHost) SetProto(version int)   { h.proto = version }
func (h *fakeHost) Log(_ int, text string) { h.logged = append(h.logged, text) }
func (h *fakeHost) Busy()                  {}

// eval runs a script and returns its encoded reply, or its error.
func eval(t testing.TB, e *Engine, proto int, h *fakeHost, source string, words ...string) string {
	t.Helper()
	p, err := e.Eval(source)
	if err != nil {
		return err.Error()
	}
	var w resp.Writer
	w.SetProto(proto)
	var args [][]byte
	for _, word := range words {
		args = append(args, []byte(word))
	}
	control := &Control{}
	stop := time.AfterFunc(30*time.Second, func() { control.Kill("TEST") })
	defer stop.Stop()
	err = e.Run(p, Run{Host: h, Control: control, Keys: args, Args: args, W: &w, Now: time.Now})
	if err != nil {
		return strings.Replace(err.Error(), p.Name, "SHA", 1)
	}
	return string(w.Bytes())
}

type scriptCase struct{ name, source, want string }

func runCases(t *testing.T, cases []scriptCase) {
	e := NewEngine()
	for _, c := range cases {
		if got := eval(t, e, 2, &fakeHost{}, c.source); got != c.want {
			t.Errorf("%s: %s\n got %q\nwant %q", c.name, c.source, got, c.want)
		}
	}
}

func bulk(s string) string {
	var w resp.Writer
	w.BulkString(s)
	return string(w.Bytes())
}

func TestLanguage(t *testing.T) {
	runCases(t, []scriptCase{
		{"numbers", `return 3.99`, ":3\r\n"},
		{"negative", `return -3.99`, ":-3\r\n"},
		{"number as text", `return tostring(0.1+0.2)..' '..1e15 ..' '..2^53 ..' '..(1e14-1)`, "$43\r\n0.3 1e+15 9.007199254741e+15 99999999999999\r\n"},
		{"booleans", `return {true, false, 'x'}`, "*3\r\n:1\r\n$-1\r\n$1\r\nx\r\n"},
		{"nil ends arrays", `return {1, nil, 3}`, "*1\r\n:1\r\n"},
		{"nil", `return nil`, "$-1\r\n"},
		{"status", `return redis.status_reply('FINE')`, "+FINE\r\n"},
		{"error", `return redis.error_reply('MY fault')`, "-MY fault\r\n"},
		{"error without code", `return redis.error_reply('fault')`, "-ERR fault\r\n"},
		{"error line", "local a = 1\nerror('boom')", "ERR user_script:2: boom script: SHA, on @user_script:2."},
		{"error table", `error({err='MY fault'})`, "MY fault script: SHA, on @user_script:1."},
		{"double", `return {double=3.5}`, bulk("3.5")},
		{"swap", `local t = {1,2} local i, j = 1, 2 t[i], t[j] = t[j], t[i] return t`, "*2\r\n:2\r\n:1\r\n"},
		{"many values", `local t = {} t[1], t[2], t[3] = (function() return 7, 8, 9 end)() return t`, "*3\r\n:7\r\n:8\r\n:9\r\n"},
		{"assignment takes keys first", `local i, a = 1, {} i, a[i] = i + 1, 20 return {i, a[1]}`, "*2\r\n:2\r\n:20\r\n"},
		{"computed fields", `local k = 'x' local t = {[k]=1, [2]='b', 'a'} return {t.x, t[1], t[2]}`, "*3\r\n:1\r\n$1\r\na\r\n$1\r\nb\r\n"},
		{"calls in constructors", `local f = function() return 1, 2 end return {f(), f()}`, "*3\r\n:1\r\n:1\r\n:2\r\n"},
		{"concat metamethod", `local t = setmetatable({}, {__concat=function(a, b) return 'c' end}) return 'a'..'b'..t..'d'`, bulk("abc")},
		{"concat of nil", `return 'a'..nil`, "ERR user_script:1: attempt to concatenate a nil value script: SHA, on @user_script:1."},
		{"methods of strings", `return ('abc'):upper():rep(2)`, bulk("ABCABC")},
		{"gsub", `return {string.gsub('hello world', '(o)', '<%1>')}`, "*2\r\n$15\r\nhell<o> w<o>rld\r\n:2\r\n"},
		{"gsub with function", `return (string.gsub('abc', '%w', function(c) if c == 'b' then return 'X' end end))`, bulk("aXc")},
		{"gsub of empty matches", `return (string.gsub('abc', '', '-'))`, bulk("-a-b-c-")},
		{"gmatch", `local r = {} for k, v in string.gmatch('a=1,b=2', '(%w+)=(%w+)') do r[#r+1] = k..v end return r`, "*2\r\n$2\r\na1\r\n$2\r\nb2\r\n"},
		{"find", `return {string.find('a.b', '.', 1, true)}`, "*2\r\n:2\r\n:2\r\n"},
		{"match", `return string.match('key:123', ':(%d+)')`, bulk("123")},
		{"format", `return string.format('%5.2f|%-5s|%05d|%x|%s|%g', 3.14159, 'ab', 42, 255, 0.1, 1e20)`, bulk(" 3.14|ab   |00042|ff|0.1|1e+20")},
		{"fields keep their order", `local t = {z=1, y=2, x=3} t.a = 4 return {cjson.encode(t), cmsgpack.pack(t)}`, "*2\r\n" + bulk(`{"z":1,"y":2,"x":3,"a":4}`) + bulk("\x84\xa1z\x01\xa1y\x02\xa1x\x03\xa1a\x04")},
		{"unpack", `return {#{unpack({}, 1, -1)}, #{unpack({1}, -1, -2)}, unpack({1, 2, 3}, 2)}`, "*4\r\n:0\r\n:0\r\n:2\r\n:3\r\n"},
		{"unpack too much", `return {unpack({}, -2147483648, -2)}`, "ERR user_script:1: too many results to unpack script: SHA, on @user_script:1."},
		{"loadstring", `return loadstring('return 1 + 1')()`, ":2\r\n"},
		{"coroutines", `local co = coroutine.wrap(function() coroutine.yield(1) coroutine.yield(2) end) return {co(), co()}`, "*2\r\n:1\r\n:2\r\n"},
		{"coroutine errors", `local co = coroutine.create(function() error('x', 0) end) local ok, e = coroutine.resume(co) return {tostring(ok), e}`, "*2\r\n$5\r\nfalse\r\n$1\r\nx\r\n"},
		{"random is the same in every run", `return tostring(math.random())..' '..tostring(math.random())`, bulk("0.17082803611217 0.74990198051087")},
	})
}

func TestSandbox(t *testing.T) {
	readonly := "ERR user_script:1: Attempt to modify a readonly table script: SHA, on @user_script:1."
	raised := "ERR Attempt to modify a readonly table script: SHA, on @user_script:1."
	runCases(t, []scriptCase{
		{"a missing global", `return x`, "ERR user_script:1: Script attempted to access nonexistent global variable 'x' script: SHA, on @user_script:1."},
		{"a new global", `x = 1`, readonly},
		{"a global function", `function f() end`, readonly},
		{"a known global", `redis = 1`, readonly},
		{"through _G", `_G.redis = 1`, readonly},
		{"a library", `string.len = 1`, readonly},
		{"rawset", `rawset(redis, 'call', 1)`, raised},
		{"setmetatable", `setmetatable(_G, {})`, raised},
		{"insert", `table.insert(redis, 1)`, raised},
		{"methods of strings", `getmetatable('').__index = 1`, readonly},
		{"a metatable", `local g = getmetatable(_G) g.__index = {}`, readonly},
		{"of a type without", `getmetatable(1).__index = 1`, "ERR user_script:1: attempt to index a nil value script: SHA, on @user_script:1."},
		{"their table", `getmetatable('').__index.len = 1`, readonly},
		{"what metatables show", `rawset(getmetatable(_G), '__index', {})`, raised},
		{"bytecode", `return loadstring('\27Lua')`, "$-1\r\n"},
		{"KEYS of another run", `return #KEYS`, ":0\r\n"},
	})
	for _, name := range []string{"io", "require", "dofile", "loadfile", "print", "debug", "package", "module", "newproxy", "setfenv", "getfenv", "channel"} {
		want := "ERR user_script:1: Script attempted to access nonexistent global variable '" + name + "' script: SHA, on @user_script:1."
		if got := eval(t, NewEngine(), 2, &fakeHost{}, "return "+name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestConversions(t *testing.T) {
	h := &fakeHost{replies: map[string]string{
		"null": "$-1\r\n", "null3": "_\r\n", "array": "*3\r\n:1\r\n$-1\r\n$1\r\nx\r\n", "error": "-MY fault\r\n",
		"double": ",1.5\r\n", "map": "%1\r\n+k\r\n:1\r\n", "bool": "#t\r\n", "big": "(123456789012345678901\r\n", "verbatim": "=7\r\ntxt:abc\r\n",
		"set": "~1\r\n$1\r\nm\r\n",
	}}
	e := NewEngine()
	for _, c := range []struct{ source, want2, want3 string }{
		{`return redis.call('null') == false`, ":1\r\n", ":1\r\n"},
		{`return redis.call('null3') == nil`, ":1\r\n", ":1\r\n"},
		{`return redis.call('array')`, "*3\r\n:1\r\n$-1\r\n$1\r\nx\r\n", "*3\r\n:1\r\n_\r\n$1\r\nx\r\n"},
		{`return redis.call('ok').ok`, bulk("OK"), bulk("OK")},
		{`return redis.pcall('error').err`, bulk("MY fault"), bulk("MY fault")},
		{`return redis.call('error')`, "MY fault script: SHA, on @user_script:1.", "MY fault script: SHA, on @user_script:1."},
		{`local ok, e = pcall(redis.call, 'error') return {type(e), e}`, "*2\r\n$6\r\nstring\r\n$8\r\nMY fault\r\n", "*2\r\n$6\r\nstring\r\n$8\r\nMY fault\r\n"},
		{`redis.setresp(3) return redis.call('double')`, bulk("1.5"), ",1.5\r\n"},
		{`redis.setresp(3) return redis.call('map').map.k`, "", ""},
		{`redis.setresp(3) return redis.call('bool')`, ":1\r\n", "#t\r\n"},
		{`redis.setresp(3) return redis.call('big')`, bulk("123456789012345678901"), "(123456789012345678901\r\n"},
		{`redis.setresp(3) return redis.call('verbatim')`, bulk("abc"), "=7\r\ntxt:abc\r\n"},
		{`redis.setresp(3) return redis.call('set')`, "*1\r\n$1\r\nm\r\n", "~1\r\n$1\r\nm\r\n"},
		{`redis.setresp(3) return {map={a=1}}`, "*2\r\n$1\r\na\r\n:1\r\n", "%1\r\n$1\r\na\r\n:1\r\n"},
		{`redis.setresp(3) return true`, ":1\r\n", "#t\r\n"},
		{`return false`, "$-1\r\n", "_\r\n"},
	} {
		for proto, want := range map[int]string{2: c.want2, 3: c.want3} {
			if want == "" {
				continue
			}
			if got := eval(t, e, proto, h, c.source); got != want {
				t.Errorf("RESP%d %s:\n got %q\nwant %q", proto, c.source, got, want)
			}
		}
	}
	h.called = nil
	eval(t, e, 2, h, `redis.call('zadd', KEYS[1], 1.5, 3, 1e15, 0.1, -7)`, "k")
	if got := strings.Join(h.called, ","); got != "zadd k 1.5 3 1000000000000000 0.10000000000000001 -7" {
		t.Errorf("called %q", got)
	}
}

// Whatever a script does, it ends, and says why.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"recursion":            {`local function f() return f() + 1 end return f()`, "stack overflow"},
		"coroutines":           {`local function f() coroutine.wrap(f)() end f()`, "C stack overflow"},
		"doubling":             {`local s = 'x' while true do s = s .. s end`, "string too long"},
		"repetition":           {`return ('x'):rep(1e9)`, "string too long"},
		"many strings":         {`local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1e6) .. i end`, "not enough memory"},
		"many tables":          {`local t = {} local i = 1 while true do t[i] = {} i = i + 1 end`, "not enough memory"},
		"sparse arrays":        {`local t = {} for i = 1, 1e6 do t[i] = {} t[i][4000000] = 1 end`, "not enough memory"},
		"memory despite pcall": {`while true do pcall(function() local t = {} local i = 1 while true do t[i] = {} i = i + 1 end end) end`, "not enough memory"},
		"gsub":                 {`return (('x'):rep(1e6)):gsub('x', ('y'):rep(1e6))`, "string too long"},
		"concat":               {`local t = {} local s = ('x'):rep(1e6) for i = 1, 1000 do t[i] = s end return table.concat(t)`, "string too long"},
		"unpacking":            {`local t = {} for i = 1, 1e6 do t[i] = i end return {unpack(t)}`, "too many results to unpack"},
		"json":                 {`local t = {} local s = ('x'):rep(1e6) for i = 1, 1000 do t[i] = s end return cjson.encode(t)`, "string too long"},
		"nested syntax":        {"return " + strings.Repeat("(", 1e5) + "1" + strings.Repeat(")", 1e5), ":1"},
		"nested negation":      {"return " + strings.Repeat("not ", 1e5) + "1", "too many syntax levels"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := eval(t, NewEngine(), 2, &fakeHost{}, c.source); !strings.Contains(got, c.want) {
				t.Errorf("%q", got[:min(len(got), 300)])
			}
		})
	}
}

func TestKill(t *testing.T) {
	for _, source := range []string{
		`while true do end`,
		`while true do pcall(function() while true do end end) end`,
		`local co = coroutine.wrap(function() while true do end end) co()`,
		`while true do redis.call('ping') end`,
		`return (('x'):rep(1e6)):gsub('x', function() while true do end end)`,
	} {
		e := NewEngine()
		p, err := e.Eval(source)
		if err != nil {
			t.Fatal(err)
		}
		var w resp.Writer
		control := &Control{}
		time.AfterFunc(20*time.Millisecond, func() { control.Kill("SCRIPT KILL") })
		if err := e.Run(p, Run{Host: &fakeHost{}, Control: control, W: &w, Now: time.Now}); err == nil || !strings.HasPrefix(err.Error(), "ERR Script killed by user with SCRIPT KILL. script: "+p.Name) {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestHostEndsScript(t *testing.T) {
	enough := errors.New("enough")
	h := &fakeHost{err: enough}
	e := NewEngine()
	p, _ := e.Eval(`pcall(redis.call, 'x') redis.pcall('y') return 1`)
	var w resp.Writer
	if err := e.Run(p, Run{Host: h, Control: &Control{}, W: &w, Now: time.Now}); err != enough || len(h.called) != 1 || w.Len() != 0 {
		t.Errorf("%v, called %q, wrote %q", err, h.called, w.Bytes())
	}
}

func TestCache(t *testing.T) {
	e := NewEngine()
	loaded, _ := e.Load("return 'loaded'")
	first, _ := e.Eval("return 'first'")
	for i := range evalMost {
		e.Eval("return " + numberText(float64(i)))
	}
	if e.Get([]byte(first.Name)) != nil || e.Get([]byte(loaded.Name)) != loaded {
		t.Error("not the script used longest ago made room")
	}
	if n := e.Sizes(); n.Scripts != evalMost+1 || n.Evicted != 1 || n.ScriptText < evalMost*8 || n.ScriptCompiled < n.ScriptText {
		t.Errorf("keeps %+v", n)
	}
	e.Flush()
	if n := e.Sizes(); n != (Sizes{Evicted: 1}) {
		t.Errorf("keeps %+v after a flush", n)
	}
}

func TestShebang(t *testing.T) {
	for source, want := range map[string]string{
		"#!lua flags=no-writes,allow-oom\nreturn 1": "",
		"#!lua\nreturn 1":            "",
		"#!lua":                      "ERR Invalid script shebang",
		"#!foo\nreturn 1":            "ERR Unexpected engine in script shebang: #!foo",
		"#!lua name=x\nreturn 1":     "ERR Unknown lua shebang option: name=x",
		"#!lua flags=nope\nreturn 1": "ERR Unexpected flag in script shebang: nope",
	} {
		_, err := Compile(source)
		if got := ""; err != nil {
			got = err.Error()
			if got != want {
				t.Errorf("%q: %q", source, got)
			}
		} else if want != "" {
			t.Errorf("%q compiles", source)
		}
	}
}
