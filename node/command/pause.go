package command

import (
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/keyspace"
)

// Pause is what CLIENT PAUSE asked for, or FAILOVER, which pauses writes. While
// it lasts keys do not expire, but are not seen once their time has come. It may
// be used from any goroutine.
type Pause struct {
	clients  *client.Registry
	keyspace *keyspace.Keyspace
	on       atomic.Bool // whether there may be a pause: the rest need not be looked at otherwise

	mu    sync.Mutex
	until time.Time // guarded by mu
	all   bool      // not only what may write; guarded by mu

	handover bool // guarded by mu
}

// handoverLook is when a client held by a hand-over looks again, unless it is
// woken.
const handoverLook = time.Minute

// BeginHandover pauses writes, beside what clients asked for. When it returns
// none is under way.
func (p *Pause) BeginHandover() {
	p.mu.Lock()
	p.handover = true
	p.on.Store(true)
	p.keyspace.SuspendExpiry(keyspace.Paused, true)
	p.mu.Unlock()
	p.Settle()
}

// Settle waits until none of the writes that had begun before the pause is under way: from then on nothing goes to the log. The
// caller holds nothing of the keyspace.
func (p *Pause) Settle() {
	// Who changes keys looks whether there is a pause while it holds them.
	var h keyspace.Held
	p.keyspace.HoldAll(&h, 0)
	h.Release()
}

// EndHandover ends what BeginHandover began, and lets those who were held go on.
func (p *Pause) EndHandover() {
	p.mu.Lock()
	p.handover = false
	p.over(time.Now())
	p.mu.Unlock()
	p.wake()
}

// EndHandoverElsewhere ends it by closing the connections of those who were held: what they want is to be had from another node by
// now.
func (p *Pause) EndHandoverElsewhere() (closed int) {
	p.clients.Each(func(c *client.Client) {
		if c.Is(client.Postponed) {
			c.Close()
			closed++
		}
	})
	p.EndHandover()
	return closed
}

// handingOver reports whether a hand-over pauses writes.
func (p *Pause) handingOver() bool {
	if !p.on.Load() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.handover
}

// over ends the pause if there is no reason for it left; mu is held.
func (p *Pause) over(now time.Time) bool {
	if p.handover || now.Before(p.until) {
		return false
	}
	p.on.Store(false)
	p.keyspace.SuspendExpiry(keyspace.Paused, false)
	return true
}

// Begin pauses clients. A pause under way is only ever made longer or
// stricter by another.
func (p *Pause) Begin(now, until time.Time, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.on.Load() || !now.Before(p.until) {
		p.until, p.all = until, all
	}
	if until.After(p.until) {
		p.until = until
	}
	p.all = p.all || all
	p.on.Store(true)
	p.keyspace.SuspendExpiry(keyspace.Paused, true)
}

// End lets all clients go on.
func (p *Pause) End() {
	p.mu.Lock()
	p.until, p.all = time.Time{}, false
	p.over(time.Now())
	p.mu.Unlock()
	p.wake()
}

// wake lets those who are held look again.
func (p *Pause) wake() {
	p.clients.Each(func(c *client.Client) {
		if c.Is(client.Postponed) {
			c.Wake()
		}
	})
}

// Holds reports whether a command has to wait, and until when: writes says
// that it may write.
func (p *Pause) Holds(now time.Time, writes bool) (until time.Time, holds bool) {
	if !p.on.Load() {
		return time.Time{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !now.Before(p.until) {
		if p.over(now) {
			return time.Time{}, false
		}
		return now.Add(handoverLook), writes
	}
	return p.until, p.all || writes
}

// Left is how long the pause still lasts, 0 when there is none, and whether it
// holds all commands.
func (p *Pause) Left(now time.Time) (left time.Duration, all bool) {
	if until, _ := p.Holds(now, false); until.IsZero() {
		return 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !now.Before(p.until) {
		return 0, false
	}
	return p.until.Sub(now), p.all
}

// Look ends a pause whose time has come, for a node whose clients send
// nothing.
func (p *Pause) Look(now time.Time) { p.Holds(now, false) }
