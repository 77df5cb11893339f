package command

import (
	"time"

	"zset.dev/operator/node/acl"
	"zset.dev/operator/node/client"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/resp"
)

// waiting is what a client waits for before it gets a reply: that a pause
// ends, after which its command runs, that one of some keys holds a set, or that
// others confirm what it wrote.
// Its goroutine owns it. Meanwhile what else the client sends is read, within
// the limit of its query buffer, and not run.
type waiting struct {
	// Both are nil when a pause is what it waits for.
	pop        *pop
	confirming *confirming

	args    [][]byte  // the command's, with memory of their own; nil when nothing is waited for
	size    int64     // what they take
	timeout time.Time // by the system's clock; zero is never
}

// pop is a blocking pop that waits.
type pop struct {
	keyspace.Waiter
	pops
	spec   *Spec
	args   [][]byte // the command's, as waiting has them
	client *client.Client

	// Written by whoever took the waiter and read by the client's goroutine
	// after it left the queues: a partition's lock, or that of the client in
	// CLIENT UNBLOCK, is between.
	outcome outcome
	reply   []byte
	term    int64 // the gate's, before its members were taken
}

// outcome is how a wait ended.
type outcome uint8

const (
	timedOut outcome = iota
	served
	unblocked // with an error
	forbidden // the user may not do it any more
)

const errUnblocked = "UNBLOCKED client unblocked via CLIENT UNBLOCK"

// Waiting reports whether the last command has no reply yet. Then Table.Resume
// is to be called when the client is woken, or at Timeout.
func (c *Call) Waiting() bool { return c.waiting.args != nil }

// Timeout is when what the client waits for ends by itself, by the system's
// clock; zero when nothing does.
func (c *Call) Timeout() time.Time { return c.waiting.timeout }

// await lets the client wait for its keys, whose partitions are held, for at
// most a time; 0 is for ever. Nested commands cannot: they are told at once
// that there is nothing.
func (c *Call) await(keys [][]byte, p pops, limit time.Duration) {
	if c.Nested {
		c.W.NullArray()
		return
	}
	args, size := cloneArgs(c.Args)
	w := &pop{pops: p, spec: c.spec, args: args, client: c.Client}
	w.Owner = w
	w.Keys, _ = cloneArgs(keys)
	c.waiting = waiting{pop: w, args: args, size: 2 * size}
	if limit > 0 {
		c.waiting.timeout = time.Now().Add(limit)
	}
	c.Client.Kept.Add(c.waiting.size)
	c.Held.Await(&w.Waiter)
	c.Client.SetBlocked(func(asError bool) bool {
		if !w.Take() {
			return false
		}
		if asError {
			w.outcome = unblocked
		}
		c.Client.Wake()
		return true
	})
}

// serve answers a waiter with members of e, on behalf of the command that made
// the key. It is called once that command or transaction is done, while the
// partition is still held, so nobody sees the key in between.
func (c *Call) serve(w *keyspace.Waiter, e *keyspace.Entry) {
	p := w.Owner.(*pop)
	if refused := permit(c.Env.userOf(p.client), p.spec, p.args); refused.Reason != acl.Allowed {
		p.outcome = forbidden // and the next one in the queue gets it
		p.client.Wake()
		return
	}
	var reply resp.Writer
	reply.SetProto(p.client.Proto())
	c.popFrom(&reply, e, p.pops)
	c.invalidate(p.client)
	p.reply, p.outcome, p.term = reply.Bytes(), served, c.Term
	p.client.Wake()
}

// postpone lets the command run when the pause is over.
func (c *Call) postpone(until time.Time) {
	args, size := cloneArgs(c.Args)
	c.waiting = waiting{args: args, size: size, timeout: until}
	c.Client.Kept.Add(size)
	c.Client.Enter(client.Postponed)
}

// over forgets what the client waited for.
func (c *Call) over() waiting {
	w := c.waiting
	c.waiting = waiting{}
	c.Client.Kept.Add(-w.size)
	switch {
	case w.pop != nil:
		c.Client.SetBlocked(nil)
		c.Env.Keyspace.Leave(&w.pop.Waiter)
	case w.confirming != nil:
		c.Client.SetBlocked(nil)
		c.confirmations().Cancel(&w.confirming.Wait)
	default:
		c.Client.Exit(client.Postponed)
	}
	return w
}

// Resume answers a client that waits, if it need not wait any longer.
func (t *Table) Resume(c *Call) {
	c.Logged = 0
	now := time.Now()
	late := !c.waiting.timeout.IsZero() && !now.Before(c.waiting.timeout)
	if c.Client.Is(client.Displaced) && c.Env.Pause.handingOver() {
		// Its wait is over, as this node is no primary any more. It hears of that once there is another one to ask.
		c.Client.Enter(client.Postponed)
		return
	}
	if c.waiting.confirming != nil {
		c.resumeConfirming(late)
		return
	}
	if c.waiting.pop == nil {
		if until, holds := c.Env.Pause.Holds(now, c.waiting.args != nil && t.mayWrite(c, c.waiting.args)); holds {
			c.waiting.timeout = until
			return
		}
		c.Args = c.over().args
		t.Execute(c)
		return
	}
	p := c.waiting.pop
	if !p.Taken() && !(late && p.Take()) {
		return
	}
	c.Args = c.over().args
	start := c.W.Len()
	if p.outcome == forbidden {
		refused := c.permitted(p.spec, c.Args, atTopLevel)
		c.reject(p.spec, "NOPERM "+refused.text(false))
		c.hush(start)
		return
	}
	switch p.outcome {
	case served:
		c.W.Raw(p.reply)
		c.logged(p.Wrote)
		c.Term = min(c.Term, p.term)
	case unblocked:
		c.W.Error(c.unblockedText())
	default:
		c.W.NullArray()
	}
	c.spec = p.spec
	c.count(p.spec, start)
	c.hush(start)
}

// End takes the client out of everything it takes part in: its connection has
// ended.
func (c *Call) End() {
	c.Report()
	if c.waiting.pop != nil {
		c.waiting.pop.Take()
	}
	if c.Waiting() {
		c.over()
	}
	c.leave()
}

// leave ends all that RESET ends, too.
func (c *Call) leave() {
	c.discard()
	c.unwatch()
	c.Env.Hub.End(c.Client)
	c.Env.Tracking.Off(c.Client)
	c.Env.Monitors.remove(c.Client)
	c.replies, c.caching = replies{}, caching{}
}
