package command

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"zset.dev/operator/node/acl"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/resp"
	"zset.dev/operator/node/script"
)

// What runs of a script have shown of its keys (script.Subject.Scope).
//
// A script holds the partitions of the keys it declares, from its beginning to
// its end. Scripts may build names of keys themselves, though, and then what
// is held would not do. So a script's first run holds all partitions, as does
// every run once one has touched a key it did not declare. Should a script
// that never did so do it after all, its run begins anew with all held, if it
// has had no effect yet. Otherwise the partition is locked then, which can be
// done without waiting in a circle unless others use it; if they do, the
// script ends with an error as from any of its commands.
const (
	scopeUnknown int32 = iota
	scopeDeclared
	scopeAll
)

var errAgain = errors.New("the script needs all partitions")

const errUndeclared = "ERR Script used a key that it did not declare in KEYS, which others use at the moment. Run it again, and declare the keys a script uses"

// scriptHost is a script's way to the commands. It belongs to the goroutine
// that runs the script.
type scriptHost struct {
	c        *Call
	running  *runningScript
	keys     [][]byte // declared
	readOnly bool
	whole    bool // all partitions are held
	beyond   bool // a key was used that is not declared
	out      *resp.Writer
	w        resp.Writer // gets the replies of its commands
	oom      bool        // refuse commands that need memory
}

// hosts are those that no script needs at present, with the memory of their
// replies.
var hosts = sync.Pool{New: func() any { return new(scriptHost) }}

func (h *scriptHost) free() {
	h.w.Reset(replyKept)
	*h = scriptHost{w: h.w}
	hosts.Put(h)
}

// runScript runs a script or function and answers with its result.
func (c *Call) runScript(what script.Runnable, keys [][]byte, readOnly bool) {
	p := what.About()
	if refusal := c.refuseScript(p, readOnly); refusal != "" {
		c.W.Error(refusal)
		return
	}
	scripts := c.Env.Scripts
	h := hosts.Get().(*scriptHost)
	defer h.free()
	*h = scriptHost{w: h.w, c: c, keys: keys, readOnly: readOnly || p.Flags.NoWrites, out: c.W}
	h.oom = c.short && !p.Flags.AllowOOM
	spec, args, at, outer := c.spec, c.Args, c.At, c.Nested
	if c.frozen.IsZero() {
		c.frozen = at
		defer func() { c.frozen = time.Time{} }()
	}
	h.whole = outer || p.Scope.Load() != scopeDeclared
	var err error
	for {
		var refusal string
		if h.running, refusal = scripts.begin(c, what, h.whole, h.readOnly, outer, keys); refusal != "" {
			c.W.Error(refusal)
			return
		}
		h.hold(outer)
		if !outer && !h.readOnly && c.heldBack() {
			scripts.end(h.running)
			return
		}
		h.w.SetProto(2)
		c.Nested = true
		err = scripts.engine.Run(what, script.Run{
			Host: h, Control: &h.running.control, Keys: keys, Args: args[3+len(keys):], W: h.out,
			Now: c.Env.Now, Seed: c.Rng.Int32(), BusyAfter: time.Duration(c.Env.Config.Values().BusyReplyThreshold) * time.Millisecond,
		})
		c.Nested = outer
		c.W, c.spec, c.Args, c.At = h.out, spec, args, at
		if !outer {
			c.finish()
			c.release()
			c.countLookups()
		}
		scripts.end(h.running)
		if !errors.Is(err, errAgain) {
			break
		}
		h.whole, h.beyond = true, true
	}
	switch {
	case h.beyond:
		p.Scope.Store(scopeAll)
	case p.Scope.Load() == scopeUnknown:
		p.Scope.Store(scopeDeclared)
	}
	if err != nil {
		c.W.Error(err.Error())
	}
}

// hold holds what the script may use, unless a transaction does.
func (h *scriptHost) hold(outer bool) {
	switch c := h.c; {
	case outer:
	case h.whole:
		c.Env.Keyspace.HoldAll(&c.Held, c.now)
	case h.readOnly:
		c.Env.Keyspace.HoldShared(&c.Held, c.now, h.keys...)
	default:
		c.Env.Keyspace.Hold(&c.Held, c.now, h.keys...)
	}
}

// refuseScript is why a script may not begin; empty when it may.
func (c *Call) refuseScript(p *script.Subject, readOnly bool) string {
	if c.Env.stale() && !c.Held.Timeless && !(p.Flags.Given && p.Flags.AllowStale) {
		return errMasterDown
	}
	if !p.Flags.Given {
		return "" // nothing is known of it but what it does
	}
	if readOnly && !p.Flags.NoWrites {
		return "ERR Can not execute a script with write flag using *_ro command."
	}
	if c.short && !p.Flags.NoWrites && !p.Flags.AllowOOM {
		return errOOM
	}
	if c.Env.readOnly() && !p.Flags.NoWrites && !c.Held.Timeless {
		return errReadOnly
	}
	if !p.Flags.NoWrites {
		return c.refuseWrite()
	}
	return ""
}

// Call implements script.Host.
func (h *scriptHost) Call(args [][]byte) (reply []byte, err error) {
	c := h.c
	h.w.Reset(replyKept)
	spec, refusal := c.Env.Table.resolve(args)
	c.Args = args
	if refusal = h.refuse(spec, refusal); refusal != "" {
		h.w.Error(refusal)
		c.Env.Stats.Error([]byte(refusal), false)
		return h.w.Bytes(), nil
	}
	if err := h.reach(spec, args); err != nil {
		return nil, err
	}
	if spec.Flags&(Write|MayReplicate) != 0 {
		h.running.wrote.Store(true)
	}
	c.W = &h.w
	c.Env.Stats.CommandsProcessed.Add(1)
	c.Env.Table.run(c, spec, nil)
	c.W = h.out
	if h.w.Len() == 0 {
		h.w.Null() // a command without a reply
	}
	return h.w.Bytes(), nil
}

// Permitted implements script.Host.
func (h *scriptHost) Permitted(args [][]byte) (allowed, known bool) {
	c := h.c
	spec, _ := c.Env.Table.resolve(args)
	if spec == nil || spec.Run == nil || !spec.accepts(len(args)) {
		return false, false
	}
	return c.user().Unlimited() || permit(c.user(), spec, args).Reason == acl.Allowed, true
}

// replyKept is the buffer kept between the replies of a script's commands.
const replyKept = 64 << 10

// refuse is why a script may not run a command; empty when it may.
func (h *scriptHost) refuse(spec *Spec, unknown string) string {
	c := h.c
	switch {
	case spec == nil && ofOtherType(c.Args[0]):
		return unknown
	case spec == nil:
		return "ERR Unknown Redis command called from script"
	case spec.Run == nil || !spec.accepts(len(c.Args)):
		return "ERR Wrong number of args calling Redis command from script"
	case spec.Flags&NoScript != 0 && !(spec.Name == "debug" && c.Env.DebugInScripts.Load()):
		return "ERR This Redis command is not allowed from script"
	}
	if refused := c.permitted(spec, c.Args, inScript); refused.Reason != acl.Allowed {
		return "ERR ACL failure in script: " + refused.text(false)
	}
	switch {
	case spec.Flags&Stale == 0 && c.Env.stale() && !c.Held.Timeless:
		return "ERR Can not execute the command on a stale replica"
	case spec.Flags&(Write|MayReplicate) != 0 && h.readOnly:
		return "ERR Write commands are not allowed from read-only scripts."
	case spec.Flags&DenyOOM != 0 && h.oom && !h.running.wrote.Load():
		return errOOM
	case spec.Flags&Write != 0 && !h.running.wrote.Load(): // what has begun ends: half of it would help nobody
		if c.Env.readOnly() && !c.Held.Timeless {
			return errReadOnly
		}
		return c.refuseWrite()
	}
	return ""
}

// reach makes sure that what a command needs is held.
func (h *scriptHost) reach(spec *Spec, args [][]byte) error {
	keys := spec.Keys.of(args)
	for _, key := range keys {
		if !h.beyond && !h.declared(key) {
			h.beyond = true
		}
	}
	if h.whole {
		h.beyond = h.beyond || spec.Whole
		return nil
	}
	if !spec.Whole && h.c.Held.Covers(keys...) {
		return nil
	}
	h.beyond = true
	if !h.running.wrote.Load() {
		return errAgain
	}
	if spec.Whole || !h.c.Held.Extend(keys...) {
		return errors.New(errUndeclared)
	}
	return nil
}

// declared reports whether a key's partition is held on account of KEYS.
func (h *scriptHost) declared(key []byte) bool {
	return slices.ContainsFunc(h.keys, func(k []byte) bool { return keyspace.Partition(k) == keyspace.Partition(key) })
}

// SetProto implements script.Host.
func (h *scriptHost) SetProto(version int) { h.w.SetProto(version) }

// Log implements script.Host.
func (h *scriptHost) Log(level int, text string) { h.c.logFrom(level, text) }

// logFrom writes what a script or library logs.
func (c *Call) logFrom(level int, text string) {
	if log := c.Env.Log; log != nil {
		log.Log(context.Background(), []slog.Level{slog.LevelDebug, slog.LevelDebug, slog.LevelInfo, slog.LevelWarn}[level], text)
	}
}

// Busy implements script.Host.
func (h *scriptHost) Busy() { h.c.Env.Scripts.markBusy(h.running) }
