package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// concat is the operator "..".
func (m *machine) concat(l *lua.LState) int {
	n := l.GetTop()
	acc := l.Get(n)
	for i := n - 1; i >= 1; {
		right, ok := textOf(acc)
		if ok {
			// Join as many as are plain text at once.
			parts, size := []string{right}, len(right)
			for ; i >= 1; i-- {
				left, ok := textOf(l.Get(i))
				if !ok {
					break
				}
				parts = append(parts, left)
				size += len(left)
			}
			if len(parts) > 1 {
				m.guard.charge(l, size)
				var joined strings.Builder
				joined.Grow(size)
				for j := len(parts) - 1; j >= 0; j-- {
					joined.WriteString(parts[j])
				}
				acc = lua.LString(joined.String())
			}
			if i < 1 {
				break
			}
		}
		left := l.Get(i)
		meta := l.GetMetaField(left, "__concat")
		if meta == lua.LNil {
			meta = l.GetMetaField(acc, "__concat")
		}
		if meta == lua.LNil {
			culprit := acc
			if ok {
				culprit = left
			}
			l.RaiseError("attempt to concatenate a %s value", culprit.Type())
		}
		l.Push(meta)
		l.Push(left)
		l.Push(acc)
		l.Call(2, 1)
		acc = l.Get(-1)
		l.Pop(1)
		i--
	}
	l.Push(acc)
	return 1
}

// textOf is a string, or a number as text.
func textOf(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return numberText(float64(v)), true
	}
	return "", false
}

// set is the assignment to an element by a computed key.
func (m *machine) set(l *lua.LState) int {
	object, key, value := l.Get(1), l.Get(2), l.Get(3)
	if t, ok := object.(*lua.LTable); ok {
		m.chargeGap(l, t, key)
		if n, ok := key.(lua.LNumber); ok && n != n {
			l.RaiseError("table index is NaN")
		}
		if key == lua.LNil {
			l.RaiseError("table index is nil")
		}
	}
	l.SetTable(object, key, value)
	return 0
}

// chargeGap accounts for the elements an array gets up to key: they are filled
// with nils.
func (m *machine) chargeGap(l *lua.LState, t *lua.LTable, key lua.LValue) {
	if n, ok := key.(lua.LNumber); ok && n > 64 && n < lua.LNumber(lua.MaxArrayIndex) {
		if gap := int(n) - t.MaxN(); gap > 64 {
			m.guard.charge(l, 16*gap)
		}
	}
}

// table puts fields with computed keys into a table.
func (m *machine) table(l *lua.LState) int {
	t := l.CheckTable(1)
	for i := 2; i+1 <= l.GetTop(); i += 2 {
		key := l.Get(i)
		if key == lua.LNil {
			l.RaiseError("table index is nil")
		}
		m.chargeGap(l, t, key)
		t.RawSet(key, l.Get(i+1))
	}
	l.Push(t)
	return 1
}
