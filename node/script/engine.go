package script

import (
	"container/list"
	"crypto/sha1"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"
)

const (
	evalMost     = 500   // scripts kept that only EVAL brought, as in real servers
	machinesMost = 8     // states kept for the next run
	machineRuns  = 10000 // runs after which a state is made anew, whatever it may have gathered
)

func init() {
	// An array is filled up to the highest index assigned; beyond this an
	// index goes into the hash part.
	lua.MaxArrayIndex = 1 << 22
}

// Engine keeps scripts and libraries, and the states they run on. It may be used from any
// goroutine.
type Engine struct {
	mu       sync.Mutex
	programs map[string]*entry // by SHA-1, lower case; guarded by mu
	evals    list.List         // of SHA-1: scripts that only EVAL brought, last used last; guarded by mu
	evicted  int64             // scripts that made room for others since the last reset; guarded by mu

	idleMu sync.Mutex
	idle   []*machine // used last, last; guarded by idleMu

	Libraries *Libraries
}

type entry struct {
	program *Program
	element *list.Element // in evals; nil for a script that was loaded
}

// NewEngine makes one without scripts.
func NewEngine() *Engine {
	e := &Engine{programs: map[string]*entry{}}
	e.Libraries = &Libraries{engine: e, set: newLibrarySet()}
	return e
}

// Eval is the compiled script of EVAL. It is kept for a while.
func (e *Engine) Eval(source string) (*Program, error) { return e.get(source, false) }

// Load is the compiled script of SCRIPT LOAD. It is kept until Flush.
func (e *Engine) Load(source string) (*Program, error) { return e.get(source, true) }

func (e *Engine) get(source string, keep bool) (*Program, error) {
	sha := SHA(source)
	if p := e.use(sha, keep); p != nil {
		return p, nil
	}
	p, err := Compile(source)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if known := e.programs[sha]; known != nil {
		return known.program, nil
	}
	added := &entry{program: p}
	if !keep {
		added.element = e.evals.PushBack(sha)
	}
	e.programs[sha] = added
	for e.evals.Len() > evalMost {
		oldest := e.evals.Front()
		e.remove(oldest.Value.(string))
		e.evicted++
	}
	return p, nil
}

func (e *Engine) use(sha string, keep bool) *Program {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.touch(e.programs[sha], keep)
}

// touch notes the use of a script, if there is one; mu is held.
func (e *Engine) touch(known *entry, keep bool) *Program {
	if known == nil {
		return nil
	}
	if known.element != nil {
		if keep {
			e.evals.Remove(known.element)
			known.element = nil
		} else {
			e.evals.MoveToBack(known.element)
		}
	}
	return known.program
}

// remove forgets a script; mu is held.
func (e *Engine) remove(sha string) {
	known := e.programs[sha]
	if known.element != nil {
		e.evals.Remove(known.element)
	}
	delete(e.programs, sha)
}

// Get is the script of that SHA-1, in hexadecimal of either case; nil when it
// is not kept.
func (e *Engine) Get(sha []byte) *Program {
	var lower [2 * sha1.Size]byte
	if len(sha) != len(lower) {
		return nil
	}
	for i, b := range sha {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		lower[i] = b
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.touch(e.programs[string(lower[:])], false)
}

// Has reports whether a script is kept, without using it.
func (e *Engine) Has(sha string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.programs[sha] != nil
}

// Flush forgets all scripts. Those that run go on.
func (e *Engine) Flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.programs)
	e.evals.Init()
}

// Sizes are what is kept. Compiled is about what the code made of the texts
// takes.
type Sizes struct {
	Scripts, Libraries, Functions int
	ScriptText, ScriptCompiled    int64
	LibraryText, LibraryCompiled  int64
	Evicted                       int64 // scripts that made room for others since the last reset
}

// ResetEvicted sets the count of scripts that made room back.
func (e *Engine) ResetEvicted() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.evicted = 0
}

// Sizes is what is kept at present.
func (e *Engine) Sizes() (s Sizes) {
	s.Libraries, s.Functions = e.Libraries.Count()
	for _, lib := range e.Libraries.All() {
		s.LibraryText += int64(len(lib.Source))
		s.LibraryCompiled += lib.compiled
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s.Scripts, s.Evicted = len(e.programs), e.evicted
	for _, kept := range e.programs {
		s.ScriptText += int64(len(kept.program.Source))
		s.ScriptCompiled += kept.program.compiled
	}
	return s
}

// Run runs a script or function and writes its reply. When it fails, nothing is
// written, and the error is the reply's text; it is what Host.Call returned if
// that ended the script.
func (e *Engine) Run(what Runnable, r Run) error {
	m := e.machine()
	defer e.release(m)
	return m.run(what, r)
}

// loadLibrary compiles a library and finds its functions.
func (e *Engine) loadLibrary(source string, log func(level int, text string), now func() time.Time) (*Library, error) {
	m := e.machine()
	defer e.release(m)
	return m.loadLibrary(source, log, now)
}

// machine is the state that was used last of those that are idle, or a new one.
func (e *Engine) machine() *machine {
	e.idleMu.Lock()
	n := len(e.idle)
	if n == 0 {
		e.idleMu.Unlock()
		return newMachine()
	}
	m := e.idle[n-1]
	e.idle[n-1] = nil
	e.idle = e.idle[:n-1]
	e.idleMu.Unlock()
	return m
}

func (e *Engine) release(m *machine) {
	if !m.reusable() {
		return
	}
	e.idleMu.Lock()
	defer e.idleMu.Unlock()
	if len(e.idle) < machinesMost {
		e.idle = append(e.idle, m)
	}
}

// dropMachines gives up the states that are idle.
func (e *Engine) dropMachines() {
	e.idleMu.Lock()
	defer e.idleMu.Unlock()
	e.idle = nil
}
