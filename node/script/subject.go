package script

import (
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"
)

// Runnable is what an Engine runs: a script or a function of a library.
type Runnable interface {
	// About is what is known of it without running it.
	About() *Subject

	// text is the source.
	text() string

	// push puts on the stack of m what to call and with which arguments, and
	// returns how many these are.
	push(m *machine, r *Run) int
}

// Subject is what is known of a script or function.
type Subject struct {
	Name  string // a script's SHA-1, 40 hex digits; a function's name
	Flags Flags

	// Scope is what runs have shown of the keys it uses; package command keeps
	// it here.
	Scope atomic.Int32
}

// About implements Runnable.
func (s *Subject) About() *Subject { return s }

// Flags are what a script's first line, or a function's registration, says of
// it.
type Flags struct {
	Given           bool // it says something, if only that nothing special holds
	NoWrites        bool
	AllowOOM        bool
	AllowStale      bool
	NoCluster       bool
	AllowCrossSlots bool
}

// flagNames are in the order FUNCTION LIST prints them.
var flagNames = []struct {
	name string
	flag func(*Flags) *bool
}{
	{"no-writes", func(f *Flags) *bool { return &f.NoWrites }},
	{"allow-oom", func(f *Flags) *bool { return &f.AllowOOM }},
	{"allow-stale", func(f *Flags) *bool { return &f.AllowStale }},
	{"no-cluster", func(f *Flags) *bool { return &f.NoCluster }},
	{"allow-cross-slot-keys", func(f *Flags) *bool { return &f.AllowCrossSlots }},
}

// set sets the flag of that name, and reports whether there is one.
func (f *Flags) set(name string) bool {
	for _, known := range flagNames {
		if known.name == name {
			*known.flag(f) = true
			return true
		}
	}
	return false
}

// Names are the flags that are set.
func (f Flags) Names() []string {
	var names []string
	for _, known := range flagNames {
		if *known.flag(&f) {
			names = append(names, known.name)
		}
	}
	return names
}

// compiledBytes is about what a compiled chunk takes.
func compiledBytes(p *lua.FunctionProto) int64 {
	n := int64(200 + 4*len(p.Code) + 16*len(p.Constants) + 8*len(p.DbgSourcePositions) + 40*(len(p.DbgLocals)+len(p.DbgCalls)))
	for _, inner := range p.FunctionPrototypes {
		n += compiledBytes(inner)
	}
	return n
}
