package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// What redis.REDIS_VERSION says, which libraries compare: that of the protocol
// INFO names.
const (
	versionText   = "7.2.4"
	versionNumber = 0x00070204
)

func (m *machine) redisConstants(t *lua.LTable) {
	for name, value := range map[string]int{
		"LOG_DEBUG": 0, "LOG_VERBOSE": 1, "LOG_NOTICE": 2, "LOG_WARNING": 3,
		"REPL_NONE": 0, "REPL_AOF": 1, "REPL_SLAVE": 2, "REPL_REPLICA": 2, "REPL_ALL": 3,
		"REDIS_VERSION_NUM": versionNumber,
	} {
		t.RawSetString(name, lua.LNumber(value))
	}
	t.RawSetString("REDIS_VERSION", lua.LString(versionText))
}

func (m *machine) redisFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"call":  func(l *lua.LState) int { return m.call(l, true) },
		"pcall": func(l *lua.LState) int { return m.call(l, false) },
		"log":   m.log,
		"acl_check_cmd": func(l *lua.LState) int {
			if l.GetTop() == 0 {
				raise(l, "ERR Please specify at least one argument for this redis.acl_check_cmd() call")
			}
			if refusal := m.arguments(l); refusal != "" {
				raise(l, refusal)
			}
			allowed, known := m.host.Permitted(m.args)
			m.forgetArguments()
			if !known {
				raise(l, "ERR Invalid command passed to redis.acl_check_cmd()")
			}
			l.Push(lua.LBool(allowed))
			return 1
		},
		"sha1hex": func(l *lua.LState) int {
			if l.GetTop() != 1 {
				raise(l, "ERR wrong number of arguments")
			}
			text, _ := textOf(l.Get(1))
			l.Push(lua.LString(SHA(text)))
			return 1
		},
		"error_reply": func(l *lua.LState) int {
			text, ok := singleText(l)
			if !ok {
				return 1
			}
			text = strings.TrimPrefix(text, "-")
			if !strings.Contains(text, " ") {
				text = "ERR " + text
			}
			l.Push(errorTable(text))
			return 1
		},
		"status_reply": func(l *lua.LState) int {
			text, ok := singleText(l)
			if ok {
				t := &lua.LTable{Metatable: lua.LNil}
				t.RawSetString("ok", lua.LString(text))
				l.Push(t)
			}
			return 1
		},
		"setresp": func(l *lua.LState) int {
			if l.GetTop() != 1 {
				raise(l, "ERR redis.setresp() requires one argument.")
			}
			version, _ := l.Get(1).(lua.LNumber)
			if text, ok := l.Get(1).(lua.LString); ok && len(text) == 1 {
				version = lua.LNumber(text[0] - '0')
			}
			if version != 2 && version != 3 {
				raise(l, "ERR RESP version must be 2 or 3.")
			}
			m.proto = int(version)
			m.host.SetProto(m.proto)
			return 0
		},
		// There is no debugger to stop at it.
		"breakpoint": func(l *lua.LState) int {
			l.Push(lua.LFalse)
			return 1
		},
		"debug": func(*lua.LState) int { return 0 },
		// Effects are what is replicated, always.
		"replicate_commands": func(l *lua.LState) int {
			l.Push(lua.LTrue)
			return 1
		},
		"set_repl": func(l *lua.LState) int {
			if l.GetTop() != 1 {
				raise(l, "ERR redis.set_repl() requires one argument.")
			}
			if n, ok := l.Get(1).(lua.LNumber); !ok || n < 0 || n > 3 {
				raise(l, "ERR Invalid replication flags. Please use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
			}
			return 0
		},
	}
}

// singleText is the one argument of error_reply and status_reply; otherwise
// the error is on the stack.
func singleText(l *lua.LState) (string, bool) {
	if text, ok := l.Get(1).(lua.LString); ok && l.GetTop() == 1 {
		return string(text), true
	}
	l.Push(errorTable("ERR wrong number or type of arguments"))
	return "", false
}

func (m *machine) log(l *lua.LState) int {
	if l.GetTop() < 2 {
		raise(l, "ERR redis.log() requires two arguments or more.")
	}
	level, ok := l.Get(1).(lua.LNumber)
	if !ok {
		raise(l, "ERR First argument must be a number (log level).")
	}
	if level < 0 || level > 3 {
		raise(l, "ERR Invalid log level.")
	}
	var parts []string
	for i := 2; i <= l.GetTop(); i++ {
		if text, ok := textOf(l.Get(i)); ok {
			parts = append(parts, text)
		}
	}
	m.host.Log(int(level), strings.Join(parts, " "))
	return 0
}

// call runs a command. raises is what an error reply does.
func (m *machine) call(l *lua.LState, raises bool) int {
	fail := func(text string) int {
		if raises {
			raise(l, text)
		}
		l.Push(errorTable(text))
		return 1
	}
	if l.GetTop() == 0 {
		return fail("ERR Please specify at least one argument for this redis lib call")
	}
	if refusal := m.arguments(l); refusal != "" {
		return fail(refusal)
	}
	reply, err := m.host.Call(m.args)
	m.forgetArguments()
	if err != nil {
		m.guard.stop(l, err)
	}
	m.guard.charge(l, len(reply))
	if raises && reply[0] == '-' {
		line, _ := replyLine(reply)
		raise(l, string(line))
	}
	value, _ := m.read(reply)
	l.Push(value)
	return 1
}

// arguments puts the words on the stack into m.args; refusal is why they are
// none.
func (m *machine) arguments(l *lua.LState) (refusal string) {
	text := m.text[:0]
	m.args = m.args[:0]
	for i := 1; i <= l.GetTop(); i++ {
		from := len(text)
		switch v := l.Get(i).(type) {
		case lua.LString:
			text = append(text, v...)
		case lua.LNumber:
			text = argumentText(text, float64(v))
		default:
			return "ERR Lua redis lib command arguments must be strings or integers"
		}
		// When text moves to make room, the words before stay where they are.
		m.args = append(m.args, text[from:len(text):len(text)])
	}
	m.text = text
	return ""
}

// forgetArguments keeps the memory for the next call, unless it is much.
func (m *machine) forgetArguments() {
	if cap(m.args) > 1024 || cap(m.text) > 64<<10 {
		m.args, m.text = nil, nil
		return
	}
	clear(m.args)
}
