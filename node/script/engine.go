package script

import (
	"container/list"
	"sync"

	lua "github.com/yuin/gopher-lua"
)

const (
	evalMost     = 500  // scripts kept that only EVAL brought, as in real servers
	machinesMost = 8    // states kept for the next run
	machineRuns  = 1000 // runs after which a state is made anew: its dead keys pile up
)

func init() {
	// An array is filled up to the highest index assigned; beyond this an
	// index goes into the hash part.
	lua.MaxArrayIndex = 1 << 22
}

// Engine keeps scripts and the states they run on. It may be used from any
// goroutine.
type Engine struct {
	mu       sync.Mutex
	programs map[string]*entry // by SHA-1, lower case; guarded by mu
	evals    list.List         // of SHA-1: scripts that only EVAL brought, last used last; guarded by mu
	bytes    int64             // of the sources; guarded by mu

	machines chan *machine // idle
}

type entry struct {
	program *Program
	element *list.Element // in evals; nil for a script that was loaded
}

// NewEngine makes one without scripts.
func NewEngine() *Engine {
	return &Engine{programs: map[string]*entry{}, machines: make(chan *machine, machinesMost)}
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
	e.bytes += int64(len(source))
	for e.evals.Len() > evalMost {
		oldest := e.evals.Front()
		e.remove(oldest.Value.(string))
	}
	return p, nil
}

func (e *Engine) use(sha string, keep bool) *Program {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.programs[sha]
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
	e.bytes -= int64(len(known.program.Source))
}

// Get is the script of that SHA-1, in lower case; nil when it is not kept.
func (e *Engine) Get(sha string) *Program { return e.use(sha, false) }

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
	e.bytes = 0
}

// Size is the number of scripts kept, and the bytes of their text.
func (e *Engine) Size() (n int, bytes int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.programs), e.bytes
}

// Run runs a script and writes its reply. When the script fails, nothing is
// written, and the error is the reply's text; it is what Host.Call returned if
// that ended the script.
func (e *Engine) Run(p *Program, r Run) error {
	var m *machine
	select {
	case m = <-e.machines:
	default:
		m = newMachine()
	}
	err := m.run(p, &r)
	if m.reusable() {
		select {
		case e.machines <- m:
		default:
		}
	}
	return err
}
