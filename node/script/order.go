package script

import lua "github.com/yuin/gopher-lua"

// each calls yield with the fields of a table in the order pairs shows them:
// that in which they were set. The table's own ForEach has no order.
func each(t *lua.LTable, yield func(k, v lua.LValue)) {
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		yield(k, v)
	}
}
