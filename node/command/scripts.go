package command

import (
	"slices"
	"sync"
	"sync/atomic"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/script"
)

// Scripts is the scripts kept, and those that run. It may be used from any
// goroutine.
type Scripts struct {
	engine *script.Engine
	slow   atomic.Int64 // scripts that have run for more than a moment

	mu      sync.Mutex
	running map[*runningScript]bool // guarded by mu
	ended   bool                    // the node stops: nothing may run any longer; guarded by mu
}

// runningScript is a script under way.
type runningScript struct {
	control script.Control
	done    chan struct{} // closed when it has ended
	busy    chan struct{} // closed when it has run for too long
	wrote   atomic.Bool

	slow       bool  // guarded by Scripts.mu
	tooLong    bool  // guarded by Scripts.mu
	whole      bool  // holds every partition; guarded by Scripts.mu
	partitions []int // which it holds otherwise; guarded by Scripts.mu
}

func newScripts() *Scripts {
	return &Scripts{engine: script.NewEngine(), running: map[*runningScript]bool{}}
}

const (
	errBusy       = "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."
	errUnkillable = "UNKILLABLE Sorry the script already executed write commands against the dataset. " +
		"You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command."
	errNotBusy = "NOTBUSY No scripts in execution right now."
)

func (s *Scripts) begin() *runningScript {
	r := &runningScript{done: make(chan struct{}), busy: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[r] = true
	if s.ended {
		r.control.Kill()
	}
	return r
}

func (s *Scripts) end(r *runningScript) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, r)
	if r.slow {
		s.slow.Add(-1)
	}
	close(r.done)
}

// holds records what a script holds.
func (s *Scripts) holds(r *runningScript, whole bool, keys [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.whole, r.partitions = whole, r.partitions[:0]
	for _, key := range keys {
		r.partitions = append(r.partitions, keyspace.Partition(key))
	}
}

func (s *Scripts) markSlow(r *runningScript) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.slow = true
	s.slow.Add(1)
}

func (s *Scripts) markBusy(r *runningScript) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.tooLong = true
	close(r.busy)
}

// admit waits until no slow script holds what a command needs, or reports
// false when one has run for too long.
func (s *Scripts) admit(whole bool, keys [][]byte) bool {
	for s.slow.Load() > 0 {
		r := s.inTheWay(whole, keys)
		if r == nil {
			return true
		}
		select {
		case <-r.busy:
			return false
		case <-r.done:
		}
	}
	return true
}

// admit waits until no slow script is in the command's way, or reports false
// when one has run for too long.
func (c *Call) admit(spec *Spec) bool {
	switch {
	case spec.Flags&AllowBusy != 0, c.tx.open && !spec.AtOnce:
		return true
	case spec.Name == "exec":
		return c.Env.Scripts.admit(len(c.tx.queue) > 0, nil)
	}
	return c.Env.Scripts.admit(spec.Whole && !spec.HoldsItself, spec.Keys.of(c.Args))
}

// inTheWay is a slow script that holds what a command needs, one that has run
// for too long if there is one.
func (s *Scripts) inTheWay(whole bool, keys [][]byte) (found *runningScript) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.running {
		if !r.slow || !(whole && (r.whole || len(r.partitions) > 0) || len(keys) > 0 && r.whole ||
			slices.ContainsFunc(keys, func(key []byte) bool { return slices.Contains(r.partitions, keyspace.Partition(key)) })) {
			continue
		}
		if found = r; r.tooLong {
			return r
		}
	}
	return found
}

// kill ends the scripts that run for too long; refusal is why it ended none.
func (s *Scripts) kill() (refusal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refusal = errNotBusy
	killed := false
	for r := range s.running {
		switch {
		case !r.tooLong:
		case r.wrote.Load():
			refusal = errUnkillable
		default:
			r.control.Kill()
			killed = true
		}
	}
	if killed {
		return ""
	}
	return refusal
}

// End ends all scripts, also those that have written, because the node stops.
func (s *Scripts) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for r := range s.running {
		r.control.Kill()
	}
}
