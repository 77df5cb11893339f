package script

import (
	"bytes"
	"strconv"

	lua "github.com/yuin/gopher-lua"
)

// replyLine is the text of the reply's first line, and what follows it.
func replyLine(reply []byte) (line, rest []byte) {
	end := bytes.IndexByte(reply, '\r')
	return reply[1:end], reply[end+2:]
}

// read makes a value of the reply at the start of encoded, which the node
// itself has written. In RESP2 a null is false, in RESP3 it is nil.
func (m *machine) read(encoded []byte) (v lua.LValue, rest []byte) {
	kind := encoded[0]
	line, rest := replyLine(encoded)
	switch kind {
	case '+', '-':
		name := "ok"
		if kind == '-' {
			name = "err"
		}
		return tagged(name, lua.LString(line)), rest
	case ':':
		return lua.LNumber(parseNumber(line)), rest
	case '_':
		return lua.LNil, rest
	case '#':
		return lua.LBool(line[0] == 't'), rest
	case ',':
		return tagged("double", lua.LNumber(parseNumber(line))), rest
	case '(':
		return tagged("big_number", lua.LString(line)), rest
	}
	n := int(parseNumber(line))
	if n < 0 {
		return lua.LFalse, rest
	}
	switch kind {
	case '$':
		return lua.LString(rest[:n]), rest[n+2:]
	case '=':
		t := &lua.LTable{Metatable: lua.LNil}
		t.RawSetString("format", lua.LString(rest[:3]))
		t.RawSetString("string", lua.LString(rest[4:n]))
		return tagged("verbatim_string", t), rest[n+2:]
	case '|': // attributes are passed over: scripts do not see them
		for range 2 * n {
			_, rest = m.read(rest)
		}
		return m.read(rest)
	case '%':
		t := &lua.LTable{Metatable: lua.LNil}
		for range n {
			var key, value lua.LValue
			key, rest = m.read(rest)
			value, rest = m.read(rest)
			if key != lua.LNil {
				t.RawSet(key, value)
			}
		}
		return tagged("map", t), rest
	case '~':
		t := &lua.LTable{Metatable: lua.LNil}
		for range n {
			var member lua.LValue
			if member, rest = m.read(rest); member != lua.LNil {
				t.RawSet(member, lua.LTrue)
			}
		}
		return tagged("set", t), rest
	}
	t := &lua.LTable{Metatable: lua.LNil}
	for i := range n {
		var element lua.LValue
		element, rest = m.read(rest)
		t.RawSetInt(i+1, element)
	}
	return t, rest
}

func tagged(name string, v lua.LValue) *lua.LTable {
	t := &lua.LTable{Metatable: lua.LNil}
	t.RawSetString(name, v)
	return t
}

// parseNumber reads what the node's own writer wrote.
func parseNumber(text []byte) float64 {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return float64(n)
	}
	f, _ := strconv.ParseFloat(string(text), 64)
	return f
}
