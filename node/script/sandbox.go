package script

import (
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

const errReadonly = "Attempt to modify a readonly table"

// The functions of Lua's own libraries that scripts get as they are.
var (
	plainBase   = []string{"assert", "error", "ipairs", "rawequal", "select", "tonumber", "type", "xpcall"}
	plainString = []string{"byte", "char", "len", "lower", "reverse", "sub", "upper"}
	plainTable  = []string{"getn", "maxn"}
	plainMath   = []string{
		"abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "deg", "exp", "floor", "fmod", "frexp", "huge",
		"ldexp", "log", "log10", "max", "min", "mod", "modf", "pi", "pow", "rad", "sin", "sinh", "sqrt", "tan", "tanh",
	}
)

// open fills the state with all a script may use.
//
// A readonly table is an empty one whose metatable refers to the real one:
// then every assignment is seen, since no field is ever there.
func (m *machine) open() {
	l := m.l
	lua.OpenBase(l)
	lua.OpenString(l)
	lua.OpenTable(l)
	lua.OpenMath(l)
	lua.OpenCoroutine(l)
	from := l.G.Global

	m.globals = l.NewTable()
	pick(m.globals, from, plainBase)
	library := func(name string, plain []string, own map[string]lua.LGFunction) *lua.LTable {
		t := l.NewTable()
		if source, ok := from.RawGetString(name).(*lua.LTable); ok {
			pick(t, source, plain)
		}
		m.register(t, own)
		m.globals.RawSetString(name, m.readonly(t))
		return t
	}
	m.register(m.globals, m.baseFunctions(from))
	text := library("string", plainString, m.stringFunctions())
	library("table", plainTable, m.tableFunctions(from.RawGetString("table").(*lua.LTable)))
	library("math", plainMath, m.mathFunctions())
	library("coroutine", []string{"running", "status", "yield"}, m.coroutineFunctions(from.RawGetString("coroutine").(*lua.LTable)))
	library("os", nil, m.osFunctions())
	library("bit", nil, bitFunctions)
	library("struct", nil, m.structFunctions())
	m.names(library("cjson", nil, m.jsonFunctions()), "cjson", "2.1.0").RawSetString("null", jsonNull)
	m.names(library("cmsgpack", nil, m.packFunctions()), "cmsgpack", "lua-cmsgpack 0.4.0")
	redis := library("redis", nil, m.redisFunctions())
	m.redisConstants(redis)
	m.globals.RawSetString("server", m.globals.RawGetString("redis"))
	m.globals.RawSetString("_VERSION", lua.LString("Lua 5.1"))

	missing := l.NewTable()
	missing.RawSetString("__index", l.NewFunction(func(l *lua.LState) int {
		l.RaiseError("Script attempted to access nonexistent global variable '%s'", l.Get(2).String())
		return 0
	}))
	m.globals.Metatable = missing
	m.openLoading(missing)
	m.env = m.readonly(m.globals)
	m.globals.RawSetString("_G", m.env)
	l.G.Global, l.Env = m.env, m.env

	// Methods of strings, without a way to change them.
	ofStrings := l.NewTable()
	ofStrings.RawSetString("__index", text)
	shown := l.NewTable()
	shown.RawSetString("__index", m.globals.RawGetString("string"))
	ofStrings.RawSetString("__metatable", m.readonly(shown))
	l.SetMetatable(lua.LString(""), ofStrings)
}

func pick(to, from *lua.LTable, names []string) {
	for _, name := range names {
		if v := from.RawGetString(name); v != lua.LNil {
			to.RawSetString(name, v)
		}
	}
}

// register adds functions in the order of their names, so that pairs shows
// them in the same order everywhere.
func (m *machine) register(t *lua.LTable, functions map[string]lua.LGFunction) {
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		t.RawSetString(name, m.l.NewFunction(functions[name]))
	}
}

func (m *machine) names(t *lua.LTable, name, version string) *lua.LTable {
	t.RawSetString("_NAME", lua.LString(name))
	t.RawSetString("_VERSION", lua.LString(version))
	return t
}

// readonly is a table that reads as t and cannot be changed.
func (m *machine) readonly(t *lua.LTable) *lua.LTable {
	shell, meta, shown := m.l.NewTable(), m.l.NewTable(), m.l.NewTable()
	refuse := m.l.NewFunction(func(l *lua.LState) int {
		l.RaiseError(errReadonly)
		return 0
	})
	meta.RawSetString("__index", t)
	meta.RawSetString("__newindex", refuse)
	meta.RawSetString("__metatable", shown)
	guard := m.l.NewTable()
	guard.RawSetString("__newindex", refuse)
	shell.Metatable, shown.Metatable = meta, guard
	m.guarded[shell] = t
	m.guarded[shown] = shown
	return shell
}

// writable checks that a function may change a table.
func (m *machine) writable(l *lua.LState, t *lua.LTable) {
	if m.guarded[t] != nil {
		raise(l, "ERR "+errReadonly)
	}
}

// content is the table whose fields one sees in t.
func (m *machine) content(t *lua.LTable) *lua.LTable {
	if real := m.guarded[t]; real != nil {
		return real
	}
	return t
}
