package script

import (
	"context"
	"errors"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Bounds of what a script may use.
const (
	maxString   = 64 << 20  // bytes of one string
	maxGrowth   = 256 << 20 // bytes the process may grow by while a script runs
	growthStep  = 32 << 20  // bytes between two looks at the process when strings are made
	tickEvery   = 512       // instructions between two looks at the clock
	heapEvery   = 8         // such looks between two looks at the process
	maxThreads  = 100       // coroutines that resume each other
	threadBytes = 16 << 10  // about what a coroutine takes
)

// Errors that end a script whatever it catches.
var (
	ErrMemory = errors.New("ERR Error running script: not enough memory")

	errKilled  = errors.New("killed")
	errTooLong = errors.New("FUNCTION LOAD timeout")
)

// Control is how others reach a running script. It may be used from any
// goroutine.
type Control struct {
	killed atomic.Pointer[string]
}

// Kill ends the script at its next instruction. by is the command to name in
// the error.
func (c *Control) Kill(by string) { c.killed.Store(&by) }

// reason is the error of a script that was killed.
func (c *Control) reason() string {
	return "ERR Script killed by user with " + *c.killed.Load() + "."
}

// guard watches over a running script. It is the context of the Lua states,
// whose Done the interpreter calls before every instruction: a cheap hook.
// The script's goroutine owns it.
type guard struct {
	control *Control
	now     func() time.Time
	began   time.Time
	busyAt  time.Duration // 0 is never
	limit   time.Duration // the time it may take; 0 is any
	host    Host

	abort   error // why the script has to end; nil while it may go on
	ticks   uint32
	looks   uint32
	threads int

	charged int64  // bytes since the last look at the process
	base    uint64 // the process when the script began to use memory; 0 is not yet
	next    uint64 // the size of the process from which on garbage is told from the rest
	sample  [1]metrics.Sample
}

// stopped is what Done returns when the script has to end.
var stopped = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Done implements context.Context.
func (g *guard) Done() <-chan struct{} {
	if g.ticks++; g.ticks >= tickEvery {
		g.ticks = 0
		g.look()
	}
	if g.abort != nil {
		return stopped
	}
	return nil
}

// Err implements context.Context.
func (g *guard) Err() error {
	if g.abort != nil {
		return g.abort
	}
	return context.Canceled
}

// Deadline implements context.Context.
func (g *guard) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context.
func (g *guard) Value(any) any { return nil }

func (g *guard) look() {
	if g.abort != nil {
		return
	}
	if g.control.killed.Load() != nil {
		g.abort = errKilled
		return
	}
	if g.limit > 0 && g.now().Sub(g.began) >= g.limit {
		g.abort = errTooLong
		return
	}
	if g.busyAt > 0 && g.now().Sub(g.began) >= g.busyAt {
		g.busyAt = 0
		g.host.Busy()
	}
	if g.looks++; g.looks%heapEvery == 0 {
		g.weigh()
	}
}

// weigh compares the process with what it was when the script began.
func (g *guard) weigh() {
	g.charged = 0
	size := g.heap()
	if g.base == 0 {
		g.base = size
		g.next = size + maxGrowth
	}
	if size < g.next {
		return
	}
	runtime.GC() // most of it may be garbage
	live := g.heap()
	if live >= g.base+maxGrowth {
		g.abort = ErrMemory
	}
	g.next = max(g.base+maxGrowth, live+2*growthStep)
}

func (g *guard) heap() uint64 {
	g.sample[0].Name = "/memory/classes/heap/objects:bytes"
	metrics.Read(g.sample[:])
	return g.sample[0].Value.Uint64()
}

// charge accounts for bytes that are about to be made; it raises an error when
// they are too many.
func (g *guard) charge(l *lua.LState, bytes int) {
	if bytes > maxString {
		l.RaiseError("string too long")
	}
	if g.charged += int64(bytes); g.charged > growthStep {
		g.weigh()
	}
	if g.abort != nil {
		l.RaiseError("%s", g.abort.Error())
	}
}

// stop ends the script with err.
func (g *guard) stop(l *lua.LState, err error) {
	g.abort = err
	l.RaiseError("%s", err.Error())
}
