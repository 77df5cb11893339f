package command

import (
	"strings"
	"time"

	"zset.dev/operator/node/acl"
	"zset.dev/operator/node/client"
	"zset.dev/operator/node/keyspace"
)

// Execute runs the command in c.Args, of which there is at least one, and
// appends its reply to c.W, unless it has to wait (Call.Waiting). It moves c.At
// on to its end, or leaves that to Call.Report.
func (t *Table) Execute(c *Call) {
	start := c.W.Len()
	c.Logged = 0
	spec, refusal, at := t.foreseen(c)
	if spec == nil || spec != c.tally.spec {
		c.begin(spec)
	}
	if spec != nil {
		refusal = c.refuse(spec)
	} else if c.needsAuth() {
		refusal = errNoAuth // a stranger learns nothing of what is known here
	}
	if refusal == "" && c.Env.Pause.on.Load() {
		if until, holds := c.Env.Pause.Holds(time.Now(), c.mayWrite(spec)); holds {
			c.postpone(until)
			return
		}
	}
	if refusal == "" && c.Env.Scripts.active.Load() > 0 {
		refusal = c.admit(spec)
	}
	if refusal == "" && c.Env.restraints.Load() != 0 {
		refusal = c.restrained(spec)
	}
	if refusal == "" && c.outOfMemory(spec) {
		refusal = errOOM
	}
	if refusal == "" && c.Env.replica() {
		refusal = c.refuseAsReplica(spec)
	}
	if refusal == "" && c.anyFlag(spec, Write) {
		refusal = c.refuseWrite()
	}
	c.tally.executed++
	switch {
	case refusal != "":
		c.reject(spec, refusal)
		if c.Env.Shard != nil && strings.HasPrefix(refusal, "READONLY") {
			// Who keeps the connection would be refused for ever: whoever connects again finds the primary.
			c.Client.CloseAfterReply = true
		}
	case c.tx.open && !spec.AtOnce:
		c.enqueue(spec)
	default:
		t.run(c, spec, at)
		if c.Waiting() {
			return
		}
	}
	c.hush(start)
	// What CLIENT CACHING said holds for the next command that is no CLIENT.
	if !c.tx.open && c.caching != (caching{}) && (spec == nil || !strings.HasPrefix(spec.Name, "client|")) {
		c.caching = caching{}
	}
}

// begin is for a command that is not the one executed before.
func (c *Call) begin(spec *Spec) {
	c.Report()
	c.now = c.At.UnixMilli()
	if spec != nil {
		c.Client.Ran(&spec.Name)
	}
}

// run runs a command that may run now. at is the place of its one key, nil
// when that is not known yet.
func (t *Table) run(c *Call, spec *Spec, at *keyspace.Place) {
	c.spec = spec
	start := c.W.Len()
	keys := spec.Keys.of(c.Args)
	reads := spec.Flags&ReadOnly != 0
	holds := !c.Nested && !spec.HoldsItself && (keys != nil || spec.Whole && !reads)
	if holds {
		switch {
		case at != nil:
			c.Env.Keyspace.HoldOne(&c.Held, c.now, reads, keys[0], *at)
		case keys == nil:
			c.Env.Keyspace.HoldAll(&c.Held, c.now)
		case reads:
			c.Env.Keyspace.HoldShared(&c.Held, c.now, keys...)
		default:
			c.Env.Keyspace.Hold(&c.Held, c.now, keys...)
		}
	}
	if holds && spec.Flags&Write != 0 && c.stopped(spec) {
		return
	}
	c.Held.Quiet = spec.Quiet || c.Client.NoTouch.Load() && spec.Name != "touch"
	spec.Run(c)
	if keys != nil && c.Client.Is(client.Tracking) {
		c.remember(spec, keys)
	}
	if holds {
		c.finish()
		c.release()
	} else if c.Nested {
		c.Held.Forget()
	}
	if reads && keys != nil {
		c.countLookups()
	}
	if c.Env.Monitors.Any() {
		c.monitored(spec)
	}
	if !c.Waiting() {
		c.count(spec, start)
	}
}

// finish does what is due at the end of a command or transaction, while its
// keys are still held.
func (c *Call) finish() {
	c.invalidate(c.Client)
	c.Held.Ready(c.clock, c.serve)
}

// clock is the time in Unix milliseconds, whatever At says.
func (c *Call) clock() int64 { return c.Env.Now().UnixMilli() }

// reject answers a command that may not run; spec is nil when there is none
// such.
func (c *Call) reject(spec *Spec, refusal string) {
	if spec != nil {
		c.Env.Stats.Command(spec.number).Rejected.Add(1)
	}
	if c.tx.open {
		c.tx.refused = true
		if spec != nil && spec.Name == "exec" {
			refusal = abortText(refusal)
			c.discard()
			c.unwatch()
		}
	}
	c.W.Error(refusal)
	c.Env.Stats.Error([]byte(refusal), false)
	c.Report()
	c.At = c.Env.Now()
}

// refuse is why the command may not run, or be queued; empty when it may.
func (c *Call) refuse(spec *Spec) string {
	if spec.Flags&NoAuth == 0 && c.needsAuth() {
		return errNoAuth
	}
	if !spec.accepts(len(c.Args)) || spec.Run == nil {
		return "ERR wrong number of arguments for '" + spec.Name + "' command"
	}
	if c.tx.open && spec.Flags&NoMulti != 0 {
		return "ERR Command '" + spec.Name + "' not allowed inside a transaction"
	}
	if c.limited() {
		context := atTopLevel
		if c.tx.open {
			context = inTransaction
		}
		if refused := c.permitted(spec, c.Args, context); refused.Reason != acl.Allowed {
			return "NOPERM " + refused.text(false)
		}
	}
	if !spec.WhileSubscribed && c.Client.Subscriptions() > 0 && c.W.Proto() == 2 {
		return "ERR Can't execute '" + spec.Name + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
	}
	return ""
}

// anyFlag reports whether a command has one of the flags, or, if it is EXEC,
// one of those queued has.
func (c *Call) anyFlag(spec *Spec, flags Flags) bool {
	if spec.Flags&flags != 0 {
		return true
	}
	if c.tx.open && spec.Name == "exec" {
		for _, q := range c.tx.queue {
			if q.spec.Flags&flags != 0 {
				return true
			}
		}
	}
	return false
}

// mayWrite reports whether a pause for writes holds the command.
func (c *Call) mayWrite(spec *Spec) bool { return c.anyFlag(spec, Write|MayReplicate) }

// mayWrite is the same for a command that was put off.
func (t *Table) mayWrite(c *Call, args [][]byte) bool {
	spec, _ := t.resolve(args)
	return spec != nil && c.mayWrite(spec)
}

// NeedsAuth reports whether the client still has to authenticate.
func (c *Call) NeedsAuth() bool { return c.needsAuth() }

// needsAuth reports whether the client still has to authenticate.
func (c *Call) needsAuth() bool {
	return !c.Client.Authenticated && !c.Env.Accounts.Open()
}
