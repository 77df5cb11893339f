package script

import (
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// notCallable is how the Lua library says that what is called is no function.
const notCallable = "attempt to call a non-function object"

var (
	callOfField  = regexp.MustCompile(`\b([A-Za-z_]\w*)\s*\.\s*([A-Za-z_]\w*)\s*[({"']`)
	callOfResult = regexp.MustCompile(`\)\s*\(`)
)

// nameCallee makes f say what it was that could not be called, as Lua does
// elsewhere. The library knows only the line of source, so the first call on
// it that leads to no function is named: that of a field of a global table, or
// else of what a call returned, which mostly is nil.
func (m *machine) nameCallee(f *failure, source string) {
	before, after, found := strings.Cut(f.text, notCallable)
	if !found {
		return
	}
	_, number, _ := strings.Cut(position.FindString(f.text), ":")
	lines := strings.Split(source, "\n")
	line, err := strconv.Atoi(number)
	if err != nil || line < 1 || line > len(lines) {
		return
	}
	text := lines[line-1]
	for _, call := range callOfField.FindAllStringSubmatch(text, -1) {
		library, ok := m.globals.RawGetString(call[1]).(*lua.LTable)
		if !ok {
			continue
		}
		if v := m.content(library).RawGetString(call[2]); v.Type() != lua.LTFunction {
			f.text = before + "attempt to call field '" + call[2] + "' (a " + v.Type().String() + " value)" + after
			return
		}
	}
	if callOfResult.MatchString(text) {
		f.text = before + "attempt to call a nil value" + after
	}
}
