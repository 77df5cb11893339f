package gate

import (
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/replog"
)

// Verdict is what is to become of a write's reply.
type Verdict uint8

// The verdicts.
const (
	Wait  Verdict = iota
	Leave         // it may be sent
	Doubt         // it may not be sent, ever
)

// Gate is a node's. Make it with New.
type Gate struct {
	confirmations *replog.Confirmations
	began         time.Time // what deadlines are counted from

	on       atomic.Bool
	term     atomic.Int64
	unsynced atomic.Pointer[string] // why no writes are welcome; nil while they are
	few      atomic.Pointer[string] // likewise
	deadline atomic.Pointer[deadline]
	settled  atomic.Pointer[settled]

	mu          sync.Mutex
	disk        bool // guarded by mu, as are the others
	replicas    bool
	synchronous bool
}

// deadline is until when the node may acknowledge.
type deadline struct {
	at      time.Duration // since the gate began, by the clock that runs evenly
	refusal string        // why not, once it has passed
}

// settled is up to where the writes of a term are kept for good, whatever becomes of the node.
type settled struct{ term, offset int64 }

// New makes a gate at which nothing is required.
func New(c *replog.Confirmations) *Gate {
	return &Gate{confirmations: c, began: time.Now()}
}

// On reports whether there is anything to ask the gate for.
func (g *Gate) On() bool { return g.on.Load() }

// Term is the present one.
func (g *Gate) Term() int64 { return g.term.Load() }

// Refusal is why no write may be executed now; empty when one may.
func (g *Gate) Refusal() string {
	if d := g.deadline.Load(); d != nil && d.passed(g) {
		return d.refusal // first, as it sends clients elsewhere
	}
	for _, why := range []*atomic.Pointer[string]{&g.unsynced, &g.few} {
		if text := why.Load(); text != nil {
			return *text
		}
	}
	return ""
}

func (d *deadline) passed(g *Gate) bool { return time.Since(g.began) >= d.at }

// Judge says what is to become of the replies of writes up to offset, executed in that term.
func (g *Gate) Judge(term, offset int64) Verdict {
	if s := g.settled.Load(); s != nil && s.term == term && offset <= s.offset {
		return Leave
	}
	if d := g.deadline.Load(); d != nil && d.passed(g) {
		return Doubt
	}
	kept := g.confirmations.Kept()
	switch {
	case term != g.term.Load(): // to be looked at after what is kept
		return Doubt
	case offset <= kept:
		return Leave
	}
	return Wait
}

// Await has w.Wake called when offset, of that term, is to be judged again. It reports whether that is now.
func (g *Gate) Await(w *replog.Wait, term, offset int64) (now bool) {
	if g.confirmations.Await(w, offset, replog.OfRequired, false) {
		return true
	}
	if term != g.term.Load() { // it ended before there was anybody to wake
		g.confirmations.Cancel(w)
		return true
	}
	return false
}

// Cancel ends a wait that may be over already.
func (g *Gate) Cancel(w *replog.Wait) { g.confirmations.Cancel(w) }

// Settle is for a node that hands over to one which has everything before end, that of the log while nothing is written: what was executed
// in this term and is kept by all who have to keep it may be acknowledged whatever comes, so that nobody is in doubt who had only
// not been answered yet.
func (g *Gate) Settle(end int64) {
	g.settled.Store(&settled{g.term.Load(), min(end, g.confirmations.Kept())})
}

// Interrupt ends the term.
func (g *Gate) Interrupt() {
	g.term.Add(1)
	g.confirmations.WakeAll()
}

// RequireDisk says whether replies wait for the node's own disk.
func (g *Gate) RequireDisk(required bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.disk = required
	g.confirmations.Disk().Require(required)
	g.decide()
}

// Synchronize says whether replies wait for replicas, those of these names, and why no writes are taken at present, if
// refusal is not empty. With interrupt the term ends before any reply waits for less than it did.
func (g *Gate) Synchronize(on bool, names []string, refusal string, interrupt bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.synchronous = on
	say(&g.unsynced, refusal)
	if on {
		g.decide()
	}
	if interrupt {
		g.Interrupt()
	}
	g.confirmations.RequireOnly(names)
	g.decide()
}

// RequireReplicas says whether it matters how many replicas there are at all, and why no writes are taken since there are too few,
// if refusal is not empty. No reply waits for that.
func (g *Gate) RequireReplicas(on bool, refusal string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.replicas = on
	say(&g.few, refusal)
	g.decide()
}

// say stores a reason that has changed.
func say(to *atomic.Pointer[string], text string) {
	switch was := to.Load(); {
	case text == "":
		to.Store(nil)
	case was == nil || *was != text:
		to.Store(&text)
	}
}

// Until says until when the node may acknowledge, by the clock that runs evenly, and what is answered from then on: a
// deadline that moves on as long as somebody vouches for the node. Zero is without end.
func (g *Gate) Until(at time.Time, refusal string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at.IsZero() {
		g.deadline.Store(nil)
	} else {
		g.deadline.Store(&deadline{at.Sub(g.began), refusal})
	}
	g.decide()
}

// decide sets on; mu is held.
func (g *Gate) decide() {
	g.on.Store(g.disk || g.replicas || g.synchronous || g.deadline.Load() != nil)
}
