package command

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/script"
)

// Scripts is the scripts kept, and those that run. It may be used from any
// goroutine.
//
// Scripts that need the same partitions run one after another, in the order
// they came: each waits for those before it that are in its way. Commands wait
// likewise for scripts that run. So whoever waits for a script does it here,
// where it can be told that the script has run for too long, and not for the
// partition's lock.
type Scripts struct {
	engine *script.Engine
	active atomic.Int64 // scripts that run

	mu      sync.Mutex
	running []*runningScript // in the order they came; guarded by mu
	ended   bool             // the node stops: nothing may run any longer; guarded by mu
}

// runningScript is a script under way, or one that waits for others.
type runningScript struct {
	control script.Control
	what    script.Runnable
	command [][]byte // a copy of the first words, for FUNCTION STATS; nil for a script
	began   time.Time
	wrote   atomic.Bool

	// Made when someone waits; guarded by Scripts.mu.
	done chan struct{} // closed when it has ended
	busy chan struct{} // closed when it has run for too long

	active     bool  // it runs; guarded by Scripts.mu
	tooLong    bool  // guarded by Scripts.mu
	reads      bool  // only; guarded by Scripts.mu
	whole      bool  // needs every partition; guarded by Scripts.mu
	partitions []int // which it needs otherwise; guarded by Scripts.mu
	few        [4]int
}

// Kept is how much of scripts and libraries is kept.
func (s *Scripts) Kept() script.Sizes { return s.engine.Sizes() }

func newScripts() *Scripts {
	return &Scripts{engine: script.NewEngine()}
}

// shownArgs is how many words of a call FUNCTION STATS shows at most.
const shownArgs = 128

// byStop is who ends scripts when the node stops.
const byStop = "SHUTDOWN"

// isFunction tells functions of libraries from scripts.
func (r *runningScript) isFunction() bool {
	_, is := r.what.(*script.Function)
	return is
}

// busyText is the error of a command that r is in the way of.
func busyText(r *runningScript) string {
	if r.isFunction() {
		return errBusyFunction
	}
	return errBusy
}

const (
	errBusyFunction = "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE."
	errBusy         = "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."
	errUnkillable   = "UNKILLABLE Sorry the script already executed write commands against the dataset. " +
		"You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command."
	errNotBusy = "NOTBUSY No scripts in execution right now."
)

// begin lets a script run once none before it is in its way. It is refused when
// one of those has run for too long. A nested one need not wait: what it needs
// is held.
func (s *Scripts) begin(c *Call, what script.Runnable, whole, reads, nested bool, keys [][]byte) (r *runningScript, refusal string) {
	r = &runningScript{what: what, began: c.At, whole: whole, reads: reads}
	r.partitions = r.few[:0]
	if r.isFunction() {
		r.command, _ = cloneArgs(c.Args[:min(len(c.Args), shownArgs)])
	}
	for _, key := range keys {
		r.partitions = append(r.partitions, keyspace.Partition(key))
	}
	s.mu.Lock()
	s.running = append(s.running, r)
	if s.ended {
		r.control.Kill(byStop)
	}
	for !nested {
		before := s.inTheWay(r, func(other *runningScript) bool { return other == r })
		if before == nil {
			break
		}
		ok := s.wait(before)
		if !ok {
			s.remove(r)
			s.mu.Unlock()
			return nil, busyText(before)
		}
	}
	r.active = true
	s.active.Add(1)
	s.mu.Unlock()
	return r, ""
}

// wait waits for the script's end, and reports false when it has run for too
// long. mu is held, but not while it waits.
func (s *Scripts) wait(r *runningScript) bool {
	if r.tooLong {
		return false
	}
	if r.done == nil {
		r.done, r.busy = make(chan struct{}), make(chan struct{})
	}
	done, busy := r.done, r.busy
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-busy:
		return false
	case <-done:
		return true
	}
}

func (s *Scripts) end(r *runningScript) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active.Add(-1)
	s.remove(r)
}

// remove takes a script off the list; mu is held.
func (s *Scripts) remove(r *runningScript) {
	i := slices.Index(s.running, r)
	s.running = slices.Delete(s.running, i, i+1)
	if r.done != nil {
		close(r.done)
	}
}

// function is the function that has run for longest; nil when none does.
func (s *Scripts) function() *runningScript {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.running {
		if r.active && r.isFunction() {
			return r
		}
	}
	return nil
}

func (s *Scripts) markBusy(r *runningScript) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.tooLong = true
	if r.busy != nil {
		close(r.busy)
	}
}

// inTheWay is a script that needs what r needs, one that has run for too long
// if there is one, of those up to where last says; mu is held.
func (s *Scripts) inTheWay(r *runningScript, last func(*runningScript) bool) (found *runningScript) {
	for _, other := range s.running {
		if last(other) {
			break
		}
		if other.conflicts(r) {
			if found = other; other.tooLong {
				break
			}
		}
	}
	return found
}

// conflicts reports whether two cannot run beside each other.
func (r *runningScript) conflicts(other *runningScript) bool {
	switch {
	case r.reads && other.reads:
		return false
	case r.whole:
		return other.whole || len(other.partitions) > 0
	case other.whole:
		return len(r.partitions) > 0
	}
	return slices.ContainsFunc(r.partitions, func(p int) bool { return slices.Contains(other.partitions, p) })
}

// admit waits until no script is in the command's way, or refuses it when one
// has run for too long. A script that may use any key is then in the way of
// every command, as on real servers, even of one without keys.
func (c *Call) admit(spec *Spec) (refusal string) {
	if spec.Flags&AllowBusy != 0 || spec.HoldsItself || c.tx.open && !spec.AtOnce {
		return ""
	}
	needs := runningScript{whole: spec.Whole, reads: spec.Flags&ReadOnly != 0 && !spec.Whole}
	if spec.Name == "exec" {
		needs.whole = len(c.tx.queue) > 0
	}
	for _, key := range spec.Keys.of(c.Args) {
		needs.partitions = append(needs.partitions, keyspace.Partition(key))
	}
	s := c.Env.Scripts
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		var found *runningScript
		for _, r := range s.running {
			if r.active && (r.conflicts(&needs) || r.whole && r.tooLong) {
				if found = r; r.tooLong {
					break
				}
			}
		}
		if found == nil {
			return ""
		}
		if !s.wait(found) {
			return busyText(found)
		}
	}
}

// kill ends the scripts that run for too long, or the functions, and names
// itself to them; refusal is why it ended none.
func (s *Scripts) kill(functions bool, by string) (refusal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refusal = errNotBusy
	killed := false
	for _, r := range s.running {
		switch {
		case !r.tooLong:
		case r.isFunction() != functions:
			refusal = busyText(r)
		case r.wrote.Load():
			refusal = errUnkillable
		default:
			r.control.Kill(by)
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
	for _, r := range s.running {
		r.control.Kill(byStop)
	}
}
