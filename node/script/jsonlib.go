package script

import (
	lua "github.com/yuin/gopher-lua"
)

// jsonNull is cjson.null.
var jsonNull = &lua.LUserData{Metatable: lua.LNil}

// jsonOptions are what a script can set; each run begins with the defaults.
type jsonOptions struct {
	encodeDepth, decodeDepth int
	precision                int
	sparseConvert            bool
	sparseRatio, sparseSafe  int
	encodeInvalid            bool
	encodeInvalidNull        bool
	decodeInvalid            bool
	keepBuffer               bool
}

var defaultJSON = jsonOptions{
	encodeDepth: 1000, decodeDepth: 1000, precision: 14,
	sparseRatio: 2, sparseSafe: 10, decodeInvalid: true, keepBuffer: true,
}

func (m *machine) jsonFunctions() map[string]lua.LGFunction {
	whole := func(option func(*jsonOptions) *int, least, most int) lua.LGFunction {
		return func(l *lua.LState) int {
			value := option(&m.json)
			if l.Get(1) != lua.LNil {
				n := l.CheckInt(1)
				if n < least || n > most {
					l.ArgError(1, "expected integer between "+numberText(float64(least))+" and "+numberText(float64(most)))
				}
				*value = n
			}
			l.Push(lua.LNumber(*value))
			return 1
		}
	}
	flag := func(option func(*jsonOptions) *bool) lua.LGFunction {
		return func(l *lua.LState) int {
			value := option(&m.json)
			if l.Get(1) != lua.LNil {
				*value = lua.LVAsBool(l.Get(1))
			}
			l.Push(lua.LBool(*value))
			return 1
		}
	}
	return map[string]lua.LGFunction{
		"encode": func(l *lua.LState) int {
			if l.GetTop() != 1 {
				l.ArgError(1, "expected 1 argument")
			}
			e := jsonEncoder{m: m, l: l}
			e.value(l.Get(1), 0)
			l.Push(lua.LString(e.buf))
			return 1
		},
		"decode": func(l *lua.LState) int {
			if l.GetTop() != 1 {
				l.ArgError(1, "expected 1 argument")
			}
			text := l.CheckString(1)
			m.guard.charge(l, 16*len(text)) // a digit becomes an element
			v, err := decodeJSON(text, &m.json)
			if err != "" {
				l.RaiseError("%s", err)
			}
			l.Push(v)
			return 1
		},
		"encode_max_depth":        whole(func(o *jsonOptions) *int { return &o.encodeDepth }, 1, maxJSONDepth),
		"decode_max_depth":        whole(func(o *jsonOptions) *int { return &o.decodeDepth }, 1, maxJSONDepth),
		"encode_number_precision": whole(func(o *jsonOptions) *int { return &o.precision }, 1, 17),
		"encode_keep_buffer":      flag(func(o *jsonOptions) *bool { return &o.keepBuffer }),
		"decode_invalid_numbers":  flag(func(o *jsonOptions) *bool { return &o.decodeInvalid }),
		"encode_invalid_numbers": func(l *lua.LState) int {
			switch v := l.Get(1).(type) {
			case lua.LBool:
				m.json.encodeInvalid, m.json.encodeInvalidNull = bool(v), false
			case lua.LString:
				if v != "null" {
					l.ArgError(1, "invalid option '"+string(v)+"'")
				}
				m.json.encodeInvalid, m.json.encodeInvalidNull = false, true
			}
			if m.json.encodeInvalidNull {
				l.Push(lua.LString("null"))
			} else {
				l.Push(lua.LBool(m.json.encodeInvalid))
			}
			return 1
		},
		"encode_sparse_array": func(l *lua.LState) int {
			if l.Get(1) != lua.LNil {
				m.json.sparseConvert = lua.LVAsBool(l.Get(1))
			}
			m.json.sparseRatio = max(0, l.OptInt(2, m.json.sparseRatio))
			m.json.sparseSafe = max(0, l.OptInt(3, m.json.sparseSafe))
			l.Push(lua.LBool(m.json.sparseConvert))
			l.Push(lua.LNumber(m.json.sparseRatio))
			l.Push(lua.LNumber(m.json.sparseSafe))
			return 3
		},
		"new": func(l *lua.LState) int {
			l.Push(m.globals.RawGetString("cjson"))
			return 1
		},
	}
}

// maxJSONDepth is the deepest nesting a script may ask for; each level is a
// level of our own stack.
const maxJSONDepth = 16000
