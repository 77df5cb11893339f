package script

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// jsonEncoder writes one value as JSON. It raises errors in l.
type jsonEncoder struct {
	m   *machine
	l   *lua.LState
	buf []byte
}

func (e *jsonEncoder) add(text string) {
	if len(e.buf)+len(text) > cap(e.buf) {
		e.m.guard.charge(e.l, 2*len(e.buf)+len(text))
	}
	e.buf = append(e.buf, text...)
}

func (e *jsonEncoder) refuse(kind, reason string) {
	e.l.RaiseError("Cannot serialise %s: %s", kind, reason)
}

func (e *jsonEncoder) value(v lua.LValue, depth int) {
	switch v := v.(type) {
	case lua.LString:
		e.text(string(v))
	case lua.LNumber:
		e.number(float64(v))
	case lua.LBool:
		e.add(v.String())
	case *lua.LNilType:
		e.add("null")
	case *lua.LTable:
		e.table(e.m.content(v), depth+1)
	default:
		if v == lua.LValue(jsonNull) {
			e.add("null")
			return
		}
		e.refuse(v.Type().String(), "type not supported")
	}
}

func (e *jsonEncoder) number(f float64) {
	if math.IsInf(f, 0) || f != f {
		switch o := &e.m.json; {
		case o.encodeInvalidNull:
			e.add("null")
			return
		case !o.encodeInvalid:
			e.refuse("number", "must not be NaN or Inf")
		}
	}
	e.add(general(f, e.m.json.precision))
}

func (e *jsonEncoder) table(t *lua.LTable, depth int) {
	if depth > e.m.json.encodeDepth {
		e.l.RaiseError("Cannot serialise, excessive nesting (%d)", depth)
	}
	if n := e.arrayLength(t); n > 0 {
		e.add("[")
		for i := 1; i <= n; i++ {
			if i > 1 {
				e.add(",")
			}
			e.value(t.RawGet(lua.LNumber(i)), depth)
		}
		e.add("]")
		return
	}
	e.add("{")
	first := true
	each(t, func(k, v lua.LValue) {
		if !first {
			e.add(",")
		}
		first = false
		switch k := k.(type) {
		case lua.LString:
			e.text(string(k))
		case lua.LNumber:
			e.add(`"`)
			e.number(float64(k))
			e.add(`"`)
		default:
			e.refuse("table", "table key must be a number or string")
		}
		e.add(":")
		e.value(v, depth)
	})
	e.add("}")
}

// arrayLength is the length of a table that is an array, 0 when it is empty or
// no array.
func (e *jsonEncoder) arrayLength(t *lua.LTable) int {
	most, items, array := 0, 0, true
	each(t, func(k, _ lua.LValue) {
		n, ok := k.(lua.LNumber)
		if !ok || n < 1 || n != lua.LNumber(int(n)) {
			array = false
			return
		}
		items++
		most = max(most, int(n))
	})
	if !array {
		return 0
	}
	o := &e.m.json
	if o.sparseRatio > 0 && most > items*o.sparseRatio && most > o.sparseSafe {
		if !o.sparseConvert {
			e.refuse("table", "excessively sparse array")
		}
		return 0
	}
	return most
}

func (e *jsonEncoder) text(s string) {
	e.add(`"`)
	from := 0
	for i := range len(s) {
		var escape string
		switch b := s[i]; b {
		case '"', '\\', '/':
			escape = `\` + string(rune(b))
		case '\b':
			escape = `\b`
		case '\t':
			escape = `\t`
		case '\n':
			escape = `\n`
		case '\f':
			escape = `\f`
		case '\r':
			escape = `\r`
		default:
			if b >= ' ' && b != 0x7f {
				continue
			}
			escape = fmt.Sprintf(`\u%04x`, b)
		}
		e.add(s[from:i])
		e.add(escape)
		from = i + 1
	}
	e.add(s[from:])
	e.add(`"`)
}
