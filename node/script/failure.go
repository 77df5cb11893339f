package script

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// failure is what a script raised and did not catch.
type failure struct {
	text   string // with its code
	source string // as user_script:1 or user_function:1, when known
}

// position is where something happened, in messages and stack traces.
var position = regexp.MustCompile(`(?:` + chunk + `|` + libraryChunk + `):\d+`)

// indexed is how the Lua library says that what is indexed is no table.
var indexed = regexp.MustCompile(`attempt to index a non-table object\((\w+)\)( with key '[^']*')?`)

// failureOf reads the error of a protected call.
func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	var raised *lua.ApiError
	if !errors.As(err, &raised) {
		return &failure{text: "ERR " + err.Error()}
	}
	f := &failure{text: "ERR " + indexed.ReplaceAllString(raised.Object.String(), "attempt to index a $1 value"), source: position.FindString(raised.StackTrace)}
	switch v := raised.Object.(type) {
	case *lua.LTable:
		text, ok := v.RawGetString("err").(lua.LString)
		if !ok {
			text = "ERR unknown error"
		}
		f.text = string(text)
		source, _ := v.RawGetString("source").(lua.LString)
		if line, ok := textOf(v.RawGetString("line")); ok {
			f.source = string(source) + ":" + line
		}
	case lua.LString:
		if found := position.FindString(string(v)); found != "" {
			f.source = found
		}
	}
	return f
}

// reply is the error as clients get it. name is what ran.
func (f *failure) reply(name string) error {
	text := strings.TrimPrefix(f.text, "-")
	if f.source == "" {
		return fmt.Errorf("%s script: %s", text, name)
	}
	//lint:ignore ST1005 a reply, as clients know it
	return fmt.Errorf("%s script: %s, on @%s.", text, name, f.source)
}

// located is the text without its code, and where it happened.
func (f *failure) located() string {
	text := strings.TrimPrefix(strings.TrimPrefix(f.text, "-"), "ERR ")
	if f.source == "" || strings.HasPrefix(text, f.source) {
		return text
	}
	return "@" + f.source + ": " + text
}

// raise raises an error table, as the functions of redis do. The line is that
// of whoever called the function.
func raise(l *lua.LState, text string) {
	t := errorTable(text)
	if source, line, ok := strings.Cut(strings.TrimSuffix(l.Where(1), ":"), ":"); ok {
		t.RawSetString("source", lua.LString(source))
		t.RawSetString("line", lua.LString(strings.TrimSuffix(line, ": ")))
	}
	l.Error(t, 1)
}

func errorTable(text string) *lua.LTable {
	t := &lua.LTable{Metatable: lua.LNil}
	t.RawSetString("err", lua.LString(text))
	return t
}
