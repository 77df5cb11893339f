package script

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Library is the code of some functions that belong together. It does not
// change once it is loaded, and may be used from any goroutine.
type Library struct {
	Name      string
	Source    string
	Functions []*Function // in the order they were registered

	proto    *lua.FunctionProto
	compiled int64 // bytes it takes, about
}

// Function is one that a library registered.
type Function struct {
	Subject
	Description string // empty is none
	library     *Library
}

// libraryChunk is the name of a library in messages.
const libraryChunk = "user_function"

// compileLibrary reads a library's first line and compiles the rest. Its error
// is the reply's text. What functions there are shows only when it runs.
func compileLibrary(source string) (*Library, error) {
	name, body, err := libraryHead(source)
	if err != nil {
		return nil, err
	}
	proto, err := compile("\n"+body, libraryChunk) // lines keep their numbers
	if err != nil {
		return nil, fmt.Errorf("ERR Error compiling function: %w", err)
	}
	return &Library{Name: name, Source: source, proto: proto, compiled: compiledBytes(proto)}, nil
}

// libraryHead reads a first line such as "#!lua name=limits".
func libraryHead(source string) (name, body string, err error) {
	if !strings.HasPrefix(source, "#!") {
		return "", "", fmt.Errorf("ERR Missing library metadata")
	}
	line, body, found := strings.Cut(source[2:], "\n")
	words, balanced := headWords(strings.TrimRight(line, "\r"))
	if !found || !balanced {
		return "", "", fmt.Errorf("ERR Invalid library metadata")
	}
	named := false
	for _, word := range words[1:] {
		value, ok := strings.CutPrefix(word, "name=")
		switch {
		case !ok:
			return "", "", fmt.Errorf("ERR Invalid metadata value given: %s", word)
		case named:
			return "", "", fmt.Errorf("ERR Invalid metadata value, name argument was given multiple times")
		}
		name, named = value, true
	}
	switch {
	case !named:
		return "", "", fmt.Errorf("ERR Library name was not given")
	case !validName(name):
		return "", "", fmt.Errorf("ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long")
	case !strings.EqualFold(words[0], "lua"):
		return "", "", fmt.Errorf("ERR Engine '%s' not found", words[0])
	}
	return name, body, nil
}

// headWords splits a first line: the engine, which may be empty, and what
// follows it. Quotes around a part of a word are taken off.
func headWords(line string) (words []string, balanced bool) {
	var word strings.Builder
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case quote != 0 && b == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(b)
		case b == '"' || b == '\'':
			quote = b
		case b == ' ' || b == '\t':
			if word.Len() > 0 || len(words) == 0 {
				words = append(words, word.String())
				word.Reset()
			}
		default:
			word.WriteByte(b)
		}
	}
	if word.Len() > 0 || len(words) == 0 {
		words = append(words, word.String())
	}
	return words, quote == 0
}

// validName reports whether a library or function may be named so.
func validName(name string) bool {
	for i := range len(name) {
		b := name[i]
		if b != '_' && !('0' <= b && b <= '9') && !('a' <= b && b <= 'z') && !('A' <= b && b <= 'Z') {
			return false
		}
	}
	return name != ""
}

func (f *Function) text() string { return f.library.Source }

// push implements Runnable.
func (f *Function) push(m *machine, r *Run) int {
	// A function gets its words as arguments; there are no globals of the name.
	m.globals.RawSetString("KEYS", lua.LNil)
	m.globals.RawSetString("ARGV", lua.LNil)
	m.l.Push(m.member(f))
	m.l.Push(m.words(r.Keys))
	m.l.Push(m.words(r.Args))
	return 2
}

// member is a function as the state has it. The library's code runs for it
// once on every state, so what the library keeps in local variables belongs to
// the state.
func (m *machine) member(f *Function) *lua.LFunction {
	members := m.libraries[f.library]
	if members == nil {
		members = map[string]*lua.LFunction{}
		for _, r := range m.registrations(f.library) {
			members[r.name] = r.fn
		}
		if len(m.libraries) >= loadedMost {
			clear(m.libraries)
		}
		m.libraries[f.library] = members
	}
	return members[f.Name]
}
