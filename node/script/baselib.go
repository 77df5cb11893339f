package script

import (
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// original is a function of the library's that ours is put around.
func original(from *lua.LTable, name string) lua.LGFunction {
	return from.RawGetString(name).(*lua.LFunction).GFunction
}

func (m *machine) baseFunctions(from *lua.LTable) map[string]lua.LGFunction {
	setMetatable, toString := original(from, "setmetatable"), original(from, "tostring")
	rawSet, rawGet := original(from, "rawset"), original(from, "rawget")
	next, protected := m.l.NewFunction(m.next), original(from, "pcall")
	return map[string]lua.LGFunction{
		"getmetatable": original(from, "getmetatable"),
		"setmetatable": func(l *lua.LState) int {
			m.writable(l, l.CheckTable(1))
			return setMetatable(l)
		},
		"rawset": func(l *lua.LState) int {
			t := l.CheckTable(1)
			m.writable(l, t)
			m.chargeGap(l, t, l.Get(2))
			return rawSet(l)
		},
		"rawget": func(l *lua.LState) int {
			l.Replace(1, m.content(l.CheckTable(1)))
			return rawGet(l)
		},
		"next": m.next,
		// As real servers do: of an error table the text is what is caught.
		"pcall": func(l *lua.LState) int {
			n := protected(l)
			if n == 2 && l.Get(-2) == lua.LFalse {
				if t, ok := l.Get(-1).(*lua.LTable); ok {
					if text, ok := textOf(t.RawGetString("err")); ok {
						l.Pop(1)
						l.Push(lua.LString(text))
					}
				}
			}
			return n
		},
		"pairs": func(l *lua.LState) int {
			t := l.CheckTable(1)
			l.Push(next)
			l.Push(t)
			l.Push(lua.LNil)
			return 3
		},
		"unpack": func(l *lua.LState) int {
			t := m.content(l.CheckTable(1))
			first, last := l.OptInt(2, 1), l.OptInt(3, t.Len())
			if last >= first && last-first >= unpackMost {
				l.RaiseError("too many results to unpack")
			}
			for i := first; i <= last; i++ {
				l.Push(t.RawGetInt(i))
			}
			return max(0, last-first+1)
		},
		"tostring": func(l *lua.LState) int {
			if n, ok := l.Get(1).(lua.LNumber); ok {
				l.Push(lua.LString(numberText(float64(n))))
				return 1
			}
			return toString(l)
		},
		"loadstring": m.loadString,
		"load":       m.loadFunction,
		"collectgarbage": func(l *lua.LState) int {
			l.Push(lua.LNumber(0)) // collection is not the script's business
			return 1
		},
		"gcinfo": func(l *lua.LState) int {
			l.Push(lua.LNumber(0))
			return 1
		},
	}
}

// unpackMost is how many values unpack makes of a table at most; a command
// cannot have many more arguments on the stack.
const unpackMost = registryMost / 2

func (m *machine) next(l *lua.LState) int {
	t := m.content(l.CheckTable(1))
	key := lua.LNil
	if l.GetTop() >= 2 {
		key = l.Get(2)
	}
	k, v := t.Next(key)
	l.Push(k)
	if k == lua.LNil {
		return 1
	}
	l.Push(v)
	return 2
}

func (m *machine) loadString(l *lua.LState) int {
	return m.loadText(l, l.CheckString(1), l.OptString(2, ""))
}

func (m *machine) loadFunction(l *lua.LState) int {
	fn := l.CheckFunction(1)
	var text strings.Builder
	for {
		l.Push(fn)
		l.Call(0, 1)
		part, ok := l.Get(-1).(lua.LString)
		l.Pop(1)
		if !ok || part == "" {
			break
		}
		m.guard.charge(l, text.Len()+len(part))
		text.WriteString(string(part))
	}
	return m.loadText(l, text.String(), l.OptString(2, ""))
}

func (m *machine) loadText(l *lua.LState, text, name string) int {
	if name == "" {
		name = `[string "` + text[:min(len(text), 40)] + `"]`
		if line, _, many := strings.Cut(text, "\n"); many || len(text) > 40 {
			name = `[string "` + line[:min(len(line), 40)] + `..."]`
		}
	}
	m.guard.charge(l, 16*len(text))
	proto, err := compile(text, strings.TrimLeft(name, "@="))
	if err != nil {
		l.Push(lua.LNil)
		l.Push(lua.LString(err.Error()))
		return 2
	}
	l.Push(m.load(l, proto))
	return 1
}

func (m *machine) tableFunctions(from *lua.LTable) map[string]lua.LGFunction {
	functions := map[string]lua.LGFunction{
		"concat": m.tableConcat,
		"foreach": func(l *lua.LState) int {
			t, fn := m.content(l.CheckTable(1)), l.CheckFunction(2)
			for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
				if callForValue(l, fn, k, v) {
					return 1
				}
			}
			return 0
		},
		"foreachi": func(l *lua.LState) int {
			t, fn := l.CheckTable(1), l.CheckFunction(2)
			for i := 1; i <= t.Len(); i++ {
				if callForValue(l, fn, lua.LNumber(i), t.RawGetInt(i)) {
					return 1
				}
			}
			return 0
		},
		"setn": func(l *lua.LState) int {
			l.RaiseError("'setn' is obsolete")
			return 0
		},
	}
	for _, name := range []string{"insert", "remove", "sort"} {
		change := original(from, name)
		functions[name] = func(l *lua.LState) int {
			t := l.CheckTable(1)
			m.writable(l, t)
			if name == "insert" {
				m.chargeGap(l, t, l.Get(2))
				// In the midst of an array all behind it moves.
				m.guard.ticks += uint32(t.Len() / 64)
			}
			return change(l)
		}
	}
	return functions
}

// callForValue calls fn and leaves a result that is not nil on the stack.
func callForValue(l *lua.LState, fn *lua.LFunction, k, v lua.LValue) bool {
	l.Push(fn)
	l.Push(k)
	l.Push(v)
	l.Call(2, 1)
	if l.Get(-1) != lua.LNil {
		return true
	}
	l.Pop(1)
	return false
}

func (m *machine) tableConcat(l *lua.LState) int {
	t, between := l.CheckTable(1), l.OptString(2, "")
	from, to := l.OptInt(3, 1), l.OptInt(4, t.Len())
	size := 0
	each := func(use func(string)) {
		for i := from; i <= to; i++ {
			text, ok := textOf(t.RawGetInt(i))
			if !ok {
				l.RaiseError("invalid value (%s) at index %d in table for 'concat'", t.RawGetInt(i).Type(), i)
			}
			use(text)
			if i < to {
				use(between)
			}
		}
	}
	each(func(s string) {
		if size += len(s); size > maxString {
			m.guard.charge(l, size)
		}
	})
	m.guard.charge(l, size)
	var joined strings.Builder
	joined.Grow(size)
	each(func(s string) { joined.WriteString(s) })
	l.Push(lua.LString(joined.String()))
	return 1
}

func (m *machine) mathFunctions() map[string]lua.LGFunction {
	const most = 1<<31 - 1
	return map[string]lua.LGFunction{
		"random": func(l *lua.LState) int {
			r := float64(m.rng.next()%most) / most
			low, high := 1, 0
			switch l.GetTop() {
			case 0:
				l.Push(lua.LNumber(r))
				return 1
			case 1:
				if high = int(l.CheckNumber(1)); high < 1 {
					l.ArgError(1, "interval is empty")
				}
			case 2:
				if low, high = int(l.CheckNumber(1)), int(l.CheckNumber(2)); low > high {
					l.ArgError(2, "interval is empty")
				}
			default:
				l.RaiseError("wrong number of arguments")
			}
			l.Push(lua.LNumber(int(r*float64(high-low+1)) + low))
			return 1
		},
		"randomseed": func(l *lua.LState) int {
			m.rng = newDrand(int32(int64(l.CheckNumber(1))))
			return 0
		},
	}
}

func (m *machine) osFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"clock": func(l *lua.LState) int {
			l.Push(lua.LNumber(time.Since(started).Seconds()))
			return 1
		},
	}
}

var started = time.Now()

func (m *machine) coroutineFunctions(from *lua.LTable) map[string]lua.LGFunction {
	create, resume := original(from, "create"), original(from, "resume")
	start := func(l *lua.LState) int {
		m.guard.charge(l, threadBytes)
		create(l)
		// The new state's own context would not see the guard.
		l.Get(-1).(*lua.LState).SetContext(m.guard)
		return 1
	}
	carryOn := func(l *lua.LState) int {
		if m.guard.threads >= maxThreads {
			l.RaiseError("C stack overflow")
		}
		m.guard.threads++
		defer func() { m.guard.threads-- }()
		return resume(l)
	}
	return map[string]lua.LGFunction{
		"create": start,
		"resume": carryOn,
		"wrap": func(l *lua.LState) int {
			start(l)
			thread := l.Get(-1)
			l.Push(l.NewFunction(func(l *lua.LState) int {
				l.Insert(thread, 1)
				n := carryOn(l)
				if n > 0 && l.Get(-n) == lua.LFalse {
					l.Error(l.Get(-n+1), 0)
				}
				return n - 1
			}))
			return 1
		},
	}
}
