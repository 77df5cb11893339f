package command

import (
	"sync/atomic"
	"time"

	"zset.dev/operator/node/replog"
	"zset.dev/operator/node/resp"
)

// confirming is what WAIT and WAITAOF wait for: that others have everything the client wrote.
type confirming struct {
	replog.Wait
	spec     *Spec
	offset   int64
	replicas int
	disks    bool // replicas count once it is on their disks
	local    bool // this node's disk, too
	ended    atomic.Uint32
}

// How a wait for confirmations was ended by others.
const (
	notEnded uint32 = iota
	endedAsTimeout
	endedAsError
)

var waitSpecs = []Spec{
	{
		Name: "wait", Arity: 3, Flags: Blocking, Categories: Connection,
		Tips:  []string{"request_policy:all_shards", "response_policy:agg_min"},
		Group: "generic", Since: "3.0.0", Complexity: "O(1)",
		Summary: "Waits until so many replicas have the connection's writes, or for a time. Answers how many have them.",
		Args:    []Arg{arg("numreplicas", "integer"), arg("timeout", "integer")},
		Run: func(c *Call) {
			if c.Env.replica() {
				c.W.Error("ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated.")
				return
			}
			replicas, ok := c.integer(1)
			if !ok {
				return
			}
			if limit, ok := c.timeoutAt(2); ok {
				c.awaitConfirmed(&confirming{replicas: int(min(replicas, mostReplicas))}, limit)
			}
		},
	},
	{
		Name: "waitaof", Arity: 4, Flags: Blocking, Categories: Connection,
		Tips:  []string{"request_policy:all_shards", "response_policy:agg_min"},
		Group: "generic", Since: "7.2.0", Complexity: "O(1)",
		Summary: "Waits until this node's disk and those of so many replicas have the connection's writes, or for a time. Answers how many have them.",
		Args:    []Arg{arg("numlocal", "integer"), arg("numreplicas", "integer"), arg("timeout", "integer")},
		Run:     waitAOF,
	},
}

const (
	mostReplicas   = 1 << 30 // more than any node has
	errNotAppended = "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled."
)

func waitAOF(c *Call) {
	local, ok := c.integer(1)
	if !ok {
		return
	}
	if local < 0 || local > 1 {
		c.W.Error("ERR value is out of range, value must between 0 and 1")
		return
	}
	replicas, ok := resp.ParseInt(c.Args[2])
	if !ok || replicas < 0 {
		c.W.Error(errNotPositive)
		return
	}
	limit, ok := c.timeoutAt(3)
	switch {
	case !ok:
	case c.Env.replica():
		c.W.Error("ERR WAITAOF cannot be used with replica instances. Please also note that writes to replicas are just local and are not propagated.")
	case local > 0 && !c.Env.Config.Values().AppendOnly:
		c.W.Error(errNotAppended)
	default:
		c.awaitConfirmed(&confirming{replicas: int(min(replicas, mostReplicas)), disks: true, local: local > 0}, limit)
	}
}

// confirmations are the node's.
func (c *Call) confirmations() *replog.Confirmations {
	if c.Env.Replication == nil {
		return &replog.Confirmations{} // in tests
	}
	return c.Env.Replication.Confirmations()
}

// awaitConfirmed waits for what w says, for at most a time; 0 is for ever. Nested commands cannot: they are told how
// things are.
func (c *Call) awaitConfirmed(w *confirming, limit time.Duration) {
	w.spec, w.offset = c.spec, c.Wrote
	if state := c.Env.Replication; state != nil {
		// The log may be another one since, which ends before: nobody will have more than all of it.
		w.offset = min(w.offset, state.Offset())
	}
	cl := c.Client
	w.Wake = cl.Wake
	if c.Nested || c.confirmed(w) {
		c.answerConfirmed(w)
		return
	}
	args, size := cloneArgs(c.Args)
	c.waiting = waiting{confirming: w, args: args, size: size}
	if limit > 0 {
		c.waiting.timeout = time.Now().Add(limit)
	}
	cl.Kept.Add(size)
	cl.SetBlocked(func(asError bool) bool {
		how := endedAsTimeout
		if asError {
			how = endedAsError
		}
		if !w.ended.CompareAndSwap(notEnded, how) {
			return false
		}
		cl.Wake()
		return true
	})
	c.Env.Replication.AskConfirmations()
}

// confirmed reports whether there is enough. If not, the client is woken when there is more.
func (c *Call) confirmed(w *confirming) bool {
	of := c.confirmations()
	of.Cancel(&w.Wait)
	if w.local && !of.Await(&w.Wait, w.offset, replog.OfDisk, false) {
		return false
	}
	return w.replicas <= 0 || of.Await(&w.Wait, w.offset, w.replicas, w.disks)
}

// answerConfirmed answers how many have it.
func (c *Call) answerConfirmed(w *confirming) {
	of := c.confirmations()
	of.Cancel(&w.Wait)
	have := int64(of.Count(w.offset, w.disks))
	if !w.disks {
		c.W.Int(have)
		return
	}
	local := int64(0)
	if c.Env.Config.Values().AppendOnly && of.Disk().Offset() >= w.offset {
		local = 1
	}
	c.W.Array(2)
	c.W.Int(local)
	c.W.Int(have)
}

// resumeConfirming answers a client whose wait for confirmations is over.
func (c *Call) resumeConfirming(late bool) {
	w := c.waiting.confirming
	ended := w.ended.Load()
	noFile := w.local && !c.Env.Config.Values().AppendOnly
	if ended == notEnded && !late && !noFile && !c.confirmed(w) {
		return
	}
	c.Args = c.over().args
	start := c.W.Len()
	switch {
	case ended == endedAsError:
		c.W.Error(c.unblockedText())
	case noFile:
		c.W.Error(errNotAppended)
	default:
		c.answerConfirmed(w)
	}
	c.spec = w.spec
	c.count(w.spec, start)
	c.hush(start)
}
