package script

import (
	"fmt"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// loadLimit is how long the code of a library may take to register its
// functions.
const loadLimit = 500 * time.Millisecond

// registered is a function that a library's code registered on a state.
type registered struct {
	name, description string
	flags             Flags
	fn                *lua.LFunction
}

// loadLibrary compiles a library and runs its code to see which functions it has. Its
// error is the reply's text.
func (m *machine) loadLibrary(source string, log func(level int, text string), now func() time.Time) (*Library, error) {
	lib, err := compileLibrary(source)
	if err != nil {
		return nil, err
	}
	host := loader{log}
	*m.guard = guard{control: &Control{}, host: host, now: now, began: now(), limit: loadLimit}
	m.host, m.proto, m.json, m.rng = host, 2, defaultJSON, newDrand(0)
	m.l.SetTop(0)
	var all []registered
	failure := m.protect(func() { all = m.registrations(lib) })
	switch {
	case m.guard.abort != nil:
		return nil, fmt.Errorf("ERR Error registering functions: %w", m.guard.abort)
	case failure != nil:
		return nil, fmt.Errorf("ERR Error registering functions: %s", failure.located())
	case len(all) == 0:
		return nil, fmt.Errorf("ERR No functions registered")
	}
	members := map[string]*lua.LFunction{}
	for _, r := range all {
		members[r.name] = r.fn
		lib.Functions = append(lib.Functions, &Function{
			Subject: Subject{Name: r.name, Flags: r.flags}, Description: r.description, library: lib,
		})
	}
	m.libraries[lib] = members
	return lib, nil
}

// loader is the host of a library's code while it registers functions: it can
// write to the log, and nothing else.
type loader struct{ log func(level int, text string) }

func (loader) Call([][]byte) ([]byte, error) {
	return []byte("-ERR not while a library is loaded\r\n"), nil
}
func (loader) Permitted([][]byte) (_, _ bool) { return false, false }
func (loader) SetProto(int)                   {}
func (loader) Busy()                          {}

func (l loader) Log(level int, text string) {
	if l.log != nil {
		l.log(level, text)
	}
}

// registrations runs a library's code. It sees no globals but redis, and of that
// what is needed to register functions; these will see what scripts see.
func (m *machine) registrations(lib *Library) []registered {
	chunk := m.load(m.l, lib.proto)
	meta := m.env.Metatable.(*lua.LTable)
	var all []registered
	m.registering = &all
	meta.RawSetString("__index", m.loading)
	defer func() {
		m.registering = nil
		meta.RawSetString("__index", m.globals)
	}()
	m.l.Push(chunk)
	m.l.Call(0, 0)
	return all
}

// openLoading makes what the code of a library sees while it is loaded.
func (m *machine) openLoading(missing *lua.LTable) {
	api := m.l.NewTable()
	m.register(api, map[string]lua.LGFunction{"register_function": m.registerFunction, "log": m.log})
	m.redisConstants(api)
	api.Metatable = missing
	m.loading = m.l.NewTable()
	m.loading.RawSetString("redis", m.readonly(api))
	m.loading.RawSetString("server", m.loading.RawGetString("redis"))
	m.loading.Metatable = missing
}

// registerFunction is redis.register_function.
func (m *machine) registerFunction(l *lua.LState) int {
	if m.registering == nil {
		raise(l, "ERR server.register_function can only be called on FUNCTION LOAD command")
	}
	r, refusal := readRegistration(l)
	if refusal == "" {
		refusal = refuseName(*m.registering, r.name)
	}
	if refusal != "" {
		raise(l, "ERR "+refusal)
	}
	*m.registering = append(*m.registering, r)
	return 0
}

func refuseName(all []registered, name string) string {
	if !validName(name) {
		return "Function names can only contain letters, numbers, or underscores(_) and must be at least one character long"
	}
	for _, other := range all {
		if strings.EqualFold(other.name, name) {
			return "Function already exists in the library"
		}
	}
	return ""
}

// readRegistration reads the arguments of register_function, in either form.
func readRegistration(l *lua.LState) (r registered, refusal string) {
	r.flags.Given = true
	switch l.GetTop() {
	case 1:
		t, ok := l.Get(1).(*lua.LTable)
		if !ok {
			return r, "calling server.register_function with a single argument is only applicable to Lua table (representing named arguments)."
		}
		return r, r.readNamed(t)
	case 2:
		var ok bool
		if r.name, ok = textOf(l.Get(1)); !ok {
			return r, "first argument to server.register_function must be a string"
		}
		if r.fn, ok = l.Get(2).(*lua.LFunction); !ok {
			return r, "second argument to server.register_function must be a function"
		}
		return r, ""
	}
	return r, "wrong number of arguments to server.register_function"
}

// readNamed reads the form with named arguments.
func (r *registered) readNamed(t *lua.LTable) (refusal string) {
	named := false
	each(t, func(k, v lua.LValue) {
		if refusal != "" {
			return
		}
		key, ok := textOf(k)
		if !ok {
			refusal = "named argument key given to server.register_function is not a string"
			return
		}
		switch strings.ToLower(key) {
		case "function_name":
			if r.name, named = textOf(v); !named {
				refusal = "function_name argument given to server.register_function must be a string"
			}
		case "description":
			if r.description, ok = textOf(v); !ok {
				refusal = "description argument given to server.register_function must be a string"
			}
		case "callback":
			if r.fn, ok = v.(*lua.LFunction); !ok {
				refusal = "callback argument given to server.register_function must be a function"
			}
		case "flags":
			list, ok := v.(*lua.LTable)
			if !ok {
				refusal = "flags argument to server.register_function must be a table representing function flags"
				return
			}
			each(list, func(_, name lua.LValue) {
				if text, ok := name.(lua.LString); !ok || !r.flags.set(string(text)) {
					refusal = "unknown flag given"
				}
			})
		default:
			refusal = "unknown argument given to server.register_function"
		}
	})
	switch {
	case refusal != "":
	case !named:
		refusal = "server.register_function must get a function name argument"
	case r.fn == nil:
		refusal = "server.register_function must get a callback argument"
	}
	return refusal
}
