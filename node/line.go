package node

import (
	"net"
	"sync"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/config"
)

// line is a connection as others reach it: to push messages to it, to wake
// its goroutine, to end it.
//
// The goroutine mostly sits in a read. What wakes it there is the read's
// deadline, set into the past; a blocking pop's timeout and the node's stop
// are deadlines of their own. A socket has one deadline, so it is always the
// earliest of what is due, set under mu.
type line struct {
	server *Server
	socket net.Conn
	client *client.Client

	mu      sync.Mutex
	nudged  chan struct{} // has a token when there is something to look at; made by await; guarded by mu
	closed  bool          // guarded by mu
	woken   bool          // since the last rearm; guarded by mu
	hurry   time.Time     // the stop's deadline, zero before; guarded by mu
	timeout time.Time     // that of what the client waits for; guarded by mu
}

// longAgo as a deadline makes a read return at once.
var longAgo = time.Unix(1, 0)

// Close implements client.Wire. It does not wait, over TLS neither: there it
// skips the farewell.
func (l *line) Close() {
	l.mu.Lock()
	l.closed = true
	l.nudge()
	l.mu.Unlock()
	l.socket.Close()
}

// Hurry implements client.Wire.
func (l *line) Hurry() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hurry = time.Now().Add(stopGrace)
	l.arm()
	l.nudge()
}

// Wake implements client.Wire.
func (l *line) Wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.woken {
		l.woken = true
		l.arm()
		l.nudge()
	}
}

// nudge wakes the goroutine where it does not read; mu is held.
func (l *line) nudge() {
	select {
	case l.nudged <- struct{}{}: // nil when it never waits so
	default:
	}
}

// await is for the connection's goroutine when it is to read nothing: it waits until it is woken, as in a read, and
// reports whether the connection is still open.
func (l *line) await(timeout time.Time) (open bool) {
	l.mu.Lock()
	if l.nudged == nil {
		l.nudged = make(chan struct{}, 1)
	}
	nudged, done := l.nudged, l.woken || l.closed
	l.mu.Unlock()
	if !done {
		<-nudged
	}
	l.rearm(timeout)
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.closed
}

// rearm is for the connection's goroutine: it takes note of having been woken,
// and sets when it next is by itself, never when timeout is zero. What was
// pushed is to be looked at after this, never before.
func (l *line) rearm(timeout time.Time) (woken bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	woken = l.woken
	l.woken, l.timeout = false, timeout
	l.arm()
	return woken
}

// arm sets the deadline; mu is held.
func (l *line) arm() {
	at := l.hurry
	if at.IsZero() || !l.timeout.IsZero() && l.timeout.Before(at) {
		at = l.timeout
	}
	if l.woken {
		at = longAgo
	}
	l.socket.SetReadDeadline(at)
}

// Pushed implements client.Wire.
func (l *line) Pushed(delta, waiting int64) (ok bool) {
	s := l.server
	s.buffers.Add(delta)
	if delta <= 0 {
		return true
	}
	limit := outputLimit(s.config.Values(), l.client.Class())
	waiting += l.client.ReplyUsed.Load()
	switch {
	case limit.Hard > 0 && waiting > limit.Hard:
		s.stats.OutputLimitClosed.Add(1)
		s.log.Warn("closed a client that does not take its messages", "client", l.client.Addr, "bytes", waiting)
		return false
	case limit.Soft > 0 && waiting > limit.Soft:
		l.client.OverSoftSince.CompareAndSwap(0, s.now().UnixMilli())
	}
	s.boundClients()
	return !l.client.Is(client.Evicted)
}

// outputLimit is how much may wait for a client of that class.
func outputLimit(v *config.Values, class client.Class) config.OutputBufferLimit {
	switch class {
	case client.PubSub:
		return v.ClientOutputBufferLimit.PubSub
	case client.Replica:
		return v.ClientOutputBufferLimit.Replica
	}
	return v.ClientOutputBufferLimit.Normal
}
