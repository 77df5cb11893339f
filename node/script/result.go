package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"zset.dev/operator/node/resp"
)

// maxReplyNesting bounds the tables in tables of a reply.
const maxReplyNesting = 1000

// write answers with what a script returned.
func (m *machine) write(w *resp.Writer, v lua.LValue, depth int) {
	switch v := v.(type) {
	case lua.LString:
		w.BulkString(string(v))
	case lua.LNumber:
		w.Int(truncated(float64(v)))
	case lua.LBool:
		switch {
		case m.proto == 3:
			w.Bool(bool(v))
		case bool(v):
			w.Int(1)
		default:
			w.Null()
		}
	case *lua.LTable:
		if depth >= maxReplyNesting {
			w.Error("ERR reached lua stack limit")
			return
		}
		m.writeTable(w, v, depth+1)
	default:
		w.Null()
	}
}

// truncated is a C cast to an integer, which for what does not fit gives the
// least one.
func truncated(f float64) int64 {
	if f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return -1 << 63
}

func (m *machine) writeTable(w *resp.Writer, t *lua.LTable, depth int) {
	if text, ok := t.RawGetString("err").(lua.LString); ok {
		w.Error(strings.TrimPrefix(string(text), "-"))
		return
	}
	if text, ok := t.RawGetString("ok").(lua.LString); ok {
		w.Simple(string(text))
		return
	}
	if f, ok := t.RawGetString("double").(lua.LNumber); ok {
		w.Double(float64(f))
		return
	}
	if pairs, ok := t.RawGetString("map").(*lua.LTable); ok {
		n := 0
		each(pairs, func(lua.LValue, lua.LValue) { n++ })
		w.Map(n)
		each(pairs, func(k, v lua.LValue) {
			m.write(w, k, depth)
			m.write(w, v, depth)
		})
		return
	}
	if members, ok := t.RawGetString("set").(*lua.LTable); ok {
		n := 0
		each(members, func(lua.LValue, lua.LValue) { n++ })
		w.Set(n)
		each(members, func(k, _ lua.LValue) { m.write(w, k, depth) })
		return
	}
	if text, ok := t.RawGetString("big_number").(lua.LString); ok {
		writeBigNumber(w, strings.Map(func(r rune) rune {
			if r == '\r' || r == '\n' {
				return ' '
			}
			return r
		}, string(text)))
		return
	}
	if verbatim, ok := t.RawGetString("verbatim_string").(*lua.LTable); ok {
		format, named := verbatim.RawGetString("format").(lua.LString)
		text, there := verbatim.RawGetString("string").(lua.LString)
		if named && there {
			w.Verbatim((string(format) + "   ")[:3], string(text))
			return
		}
	}
	n := 0
	for t.RawGetInt(n+1) != lua.LNil {
		n++
	}
	w.Array(n)
	for i := range n {
		m.write(w, t.RawGetInt(i+1), depth)
	}
}

func writeBigNumber(w *resp.Writer, digits string) {
	if w.Proto() == 3 {
		w.Raw([]byte("(" + digits + "\r\n"))
		return
	}
	w.BulkString(digits)
}
