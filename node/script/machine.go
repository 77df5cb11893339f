package script

import (
	"errors"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"zset.dev/operator/node/resp"
)

// Host is what a script reaches outside of Lua. Its methods are called by the
// goroutine that runs the script.
type Host interface {
	// Call runs a command and returns its encoded reply, valid until the next
	// call. args are valid until it returns. An error ends the script at once, and is what Run returns.
	Call(args [][]byte) (reply []byte, err error)

	// Permitted reports whether the client may run a command, and whether
	// there is such a command with as many arguments.
	Permitted(args [][]byte) (allowed, known bool)

	// SetProto chooses the protocol of the replies: 2 or 3.
	SetProto(version int)

	// Log writes to the node's log; level is 0 (debug) to 3 (warning).
	Log(level int, text string)

	// Busy is called once, when the script has run for longer than Run.BusyAfter.
	Busy()
}

// Run is one run of a script.
type Run struct {
	Host       Host
	Control    *Control
	Keys, Args [][]byte
	W          *resp.Writer // gets the reply
	Now        func() time.Time
	BusyAfter  time.Duration // 0 is never
	Seed       int32         // of math.random
}

// machine is a Lua state with its sandbox. One goroutine uses it at a time.
type machine struct {
	l       *lua.LState
	env     *lua.LTable // what scripts see as their globals
	globals *lua.LTable // what is in it
	guarded map[*lua.LTable]*lua.LTable
	hooks   [3]lua.LValue

	// loaded is functions made of programs. They have no state but their
	// hooks, so every run can begin with the same.
	loaded map[*Program]*lua.LFunction
	entry  *lua.LFunction // runs body
	body   func()
	start  func() // answer, as a value

	what    Runnable // what runs
	current Run      // and how

	libraries   map[*Library]map[string]*lua.LFunction // what their code registered here, by name
	loading     *lua.LTable                            // what a library's code sees as globals
	registering *[]registered                          // by the library's code that runs; nil when none does

	guard *guard
	host  Host
	proto int // of replies, as the script chose it
	json  jsonOptions
	rng   drand
	args  [][]byte // of the command being called; kept for its memory
	text  []byte   // what args are parts of; likewise
	runs  int
}

// reusable reports whether the next script may run on the state: not after one
// that was stopped, or left much behind.
func (m *machine) reusable() bool {
	m.runs++
	m.host, m.what, m.current = nil, nil, Run{}
	return m.guard.abort == nil && m.guard.base == 0 && m.guard.charged < growthStep/32 && m.runs < machineRuns
}

const (
	callStack    = 16384   // nested calls
	registryMost = 1 << 17 // values on the stack
)

func newMachine() *machine {
	m := &machine{guarded: map[*lua.LTable]*lua.LTable{}, loaded: map[*Program]*lua.LFunction{}, libraries: map[*Library]map[string]*lua.LFunction{}, guard: &guard{}}
	m.l = lua.NewState(lua.Options{
		CallStackSize: callStack, MinimizeStackMemory: true,
		RegistrySize: 1024, RegistryMaxSize: registryMost, RegistryGrowStep: 1024,
		SkipOpenLibs: true,
	})
	m.hooks = [3]lua.LValue{m.l.NewFunction(m.concat), m.l.NewFunction(m.set), m.l.NewFunction(m.table)}
	m.entry = m.l.NewFunction(func(*lua.LState) int {
		m.body()
		return 0
	})
	m.start = m.answer
	m.open()
	m.l.SetContext(m.guard)
	return m
}

// load makes a function of a compiled chunk, in the sandbox's environment.
func (m *machine) load(l *lua.LState, proto *lua.FunctionProto) *lua.LFunction {
	outer := l.NewFunctionFromProto(proto)
	outer.Env = m.env
	l.Push(outer)
	for _, hook := range m.hooks {
		l.Push(hook)
	}
	l.Call(len(m.hooks), 1)
	fn := l.Get(-1).(*lua.LFunction)
	l.Pop(1)
	return fn
}

// run runs a script or function and writes its reply. failed is the error when it ended
// otherwise than by returning; nothing is written then.
func (m *machine) run(what Runnable, run Run) (failed error) {
	m.what, m.current = what, run
	r := &m.current
	*m.guard = guard{control: r.Control, host: r.Host, now: r.Now, began: r.Now(), busyAt: r.BusyAfter}
	m.host, m.proto, m.json, m.rng = r.Host, 2, defaultJSON, newDrand(r.Seed)
	m.l.SetTop(0)
	for _, w := range r.Args {
		m.guard.charged += int64(len(w)) // the words stay until the next run
	}
	start := r.W.Len()
	failure := m.protect(m.start)
	switch {
	case errors.Is(m.guard.abort, errKilled):
		if failure == nil {
			failure = failureOf(m.guard.abort) // at its very end
		}
		failure.text = r.Control.reason()
	case m.guard.abort != nil:
		r.W.Truncate(start)
		return m.guard.abort
	case failure == nil:
		return nil
	}
	r.W.Truncate(start)
	m.nameCallee(failure, what.text())
	return failure.reply(what.About().Name)
}

// answer runs what is to be run and writes its reply.
func (m *machine) answer() {
	m.l.Call(m.what.push(m, &m.current), 1)
	m.write(m.current.W, m.l.Get(-1), 0)
}

// protect calls f and catches what it raises.
func (m *machine) protect(f func()) (failure *failure) {
	m.body = f
	return failureOf(m.l.CallByParam(lua.P{Fn: m.entry, NRet: 0, Protect: true}))
}

// loadedMost is how many functions of programs a state keeps.
const loadedMost = 64

func (m *machine) function(p *Program) *lua.LFunction {
	fn := m.loaded[p]
	if fn == nil {
		if len(m.loaded) >= loadedMost {
			clear(m.loaded)
		}
		fn = m.load(m.l, p.proto)
		m.loaded[p] = fn
	}
	return fn
}

func (m *machine) words(all [][]byte) *lua.LTable {
	size := 0
	for _, w := range all {
		size += len(w)
	}
	var text strings.Builder // of all, so that they are one allocation
	text.Grow(size)
	for _, w := range all {
		text.Write(w)
	}
	rest := text.String()
	t := m.l.CreateTable(len(all), 0)
	for _, w := range all {
		t.Append(lua.LString(rest[:len(w)]))
		rest = rest[len(w):]
	}
	return t
}

// drand is the generator behind math.random: drand48's, so that after
// math.randomseed a script draws the same numbers as on real servers.
type drand uint64

func newDrand(seed int32) drand { return drand(uint64(uint32(seed))<<16 | 0x330e) }

// next is the next integer, 31 bits.
func (d *drand) next() int32 {
	*d = (*d*0x5deece66d + 0xb) & (1<<48 - 1)
	return int32(*d >> 17)
}
