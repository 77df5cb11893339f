package command

import (
	"bytes"

	"zset.dev/operator/node/acl"
	"zset.dev/operator/node/client"
)

var multiSpecs = []Spec{
	{
		Name: "multi", Arity: 1, Flags: whileWaiting | Fast | NoMulti | AllowBusy, Categories: Transaction,
		Group: "transactions", Since: "1.2.0", Complexity: "O(1)",
		Summary: "Starts a transaction: what follows is queued, up to EXEC.",
		Run: func(c *Call) {
			c.tx.open = true
			c.Client.Enter(client.InTransaction)
			c.Client.Queued.Store(0)
			c.ok()
		},
	},
	{
		Name: "exec", Arity: 1, Flags: whileWaiting | SkipSlowlog, Categories: Transaction, AtOnce: true,
		Group: "transactions", Since: "1.2.0", Complexity: "Depends on the commands queued",
		Summary: "Runs the commands of a transaction, with no other in between.",
		Run:     exec,
	},
	{
		Name: "discard", Arity: 1, Flags: whileWaiting | Fast | AllowBusy, Categories: Transaction, AtOnce: true,
		Group: "transactions", Since: "2.0.0", Complexity: "O(N), N commands queued",
		Summary: "Forgets a transaction.",
		Run: func(c *Call) {
			if !c.tx.open {
				c.W.Error("ERR DISCARD without MULTI")
				return
			}
			c.discard()
			c.unwatch()
			c.ok()
		},
	},
	{
		Name: "watch", Arity: -2, Flags: whileWaiting | Fast | NoMulti | AllowBusy, Keys: allKeys("RO"), Categories: Transaction,
		Group: "transactions", Since: "2.2.0", Complexity: "O(1) for every key",
		Summary: "Lets the next transaction run only if these keys have not changed until then.",
		Args:    []Arg{keyArg().many()},
		Run: func(c *Call) {
			for _, key := range c.Args[1:] {
				if c.Held.Watch(&c.watch, key) {
					c.Client.Kept.Add(watchCost(len(key)))
				}
			}
			c.Client.Watching.Store(int64(c.watch.Len()))
			c.ok()
		},
	},
	{
		Name: "unwatch", Arity: 1, Flags: whileWaiting | Fast | AllowBusy, Categories: Transaction,
		Group: "transactions", Since: "2.2.0", Complexity: "O(N), N keys watched",
		Summary: "Watches no keys any more.",
		Run: func(c *Call) {
			c.unwatch()
			c.ok()
		},
	},
}

// transaction is what a client has queued since MULTI. Its goroutine owns it.
type transaction struct {
	open    bool
	refused bool // a command was not queued, so EXEC will refuse all
	queue   []queued
	bytes   int64 // what the queue takes
}

// queued is one command, with words of its own.
type queued struct {
	spec *Spec
	args [][]byte
}

const errExecAbort = "EXECABORT Transaction discarded because of previous errors."

// watchCost is about what a watched key takes.
func watchCost(key int) int64 { return int64(key) + 128 }

// enqueue puts the command off until EXEC. What the queue takes counts as
// waiting input, which is bounded.
func (c *Call) enqueue(spec *Spec) {
	args, size := cloneArgs(c.Args)
	c.tx.queue = append(c.tx.queue, queued{spec, args})
	c.tx.bytes += size
	c.Client.Kept.Add(size)
	c.Client.Queued.Store(int64(len(c.tx.queue)))
	c.W.Simple("QUEUED")
}

// cloneArgs copies words to memory of their own; size is what they take.
func cloneArgs(args [][]byte) (clone [][]byte, size int64) {
	n := 0
	for _, a := range args {
		n += len(a)
	}
	text := make([]byte, 0, n)
	clone = make([][]byte, len(args))
	for i, a := range args {
		from := len(text)
		text = append(text, a...)
		clone[i] = text[from:len(text):len(text)]
	}
	return clone, int64(n) + 24*int64(len(args)) + 64
}

// discard forgets the transaction, but not what is watched.
func (c *Call) discard() {
	if c.tx.open {
		c.Client.Kept.Add(-c.tx.bytes)
		c.tx = transaction{}
		c.Client.Queued.Store(-1)
		c.Client.Exit(client.InTransaction)
	}
}

// unwatch forgets what is watched. The caller may hold the partitions of all
// these keys, or nothing.
func (c *Call) unwatch() {
	if c.watch.Len() == 0 {
		return
	}
	for _, key := range c.watch.Keys() {
		c.Client.Kept.Add(-watchCost(len(key)))
	}
	if c.Nested {
		c.Held.Unwatch(&c.watch)
	} else {
		c.Env.Keyspace.Unwatch(&c.watch)
	}
	c.Client.Watching.Store(0)
}

// exec runs the queue. Everything it will touch is held from before the look
// at what was watched until after the last command.
func exec(c *Call) {
	tx := c.tx
	switch {
	case !tx.open:
		c.W.Error("ERR EXEC without MULTI")
		return
	case tx.refused:
		c.discard()
		c.unwatch()
		c.W.Error(errExecAbort)
		return
	}
	spec, args := c.spec, c.Args
	c.holdQueue(tx.queue)
	if c.mayWrite(spec) && c.stopped(spec) {
		return
	}
	c.Held.Refresh(c.watch.Keys())
	changed := c.watch.Changed()
	c.Nested = true
	c.unwatch()
	c.discard()
	if changed {
		c.W.NullArray()
	} else {
		c.W.Array(len(tx.queue))
		for _, q := range tx.queue {
			c.Args = q.args
			if refused := c.permitted(q.spec, q.args, inTransaction); refused.Reason != acl.Allowed {
				c.reject(q.spec, refused.inExec())
				continue
			}
			c.Env.Table.run(c, q.spec, nil)
		}
	}
	c.Nested = false
	c.spec, c.Args = spec, args
	c.finish()
	c.release()
}

// holdQueue holds what the queued commands and the look at the watched keys
// need.
func (c *Call) holdQueue(queue []queued) {
	var keys [][]byte
	for _, key := range c.watch.Keys() {
		keys = append(keys, []byte(key))
	}
	for _, q := range queue {
		if q.spec.Whole {
			c.Env.Keyspace.HoldAll(&c.Held, c.now)
			return
		}
		keys = append(keys, q.spec.Keys.of(q.args)...)
	}
	c.Env.Keyspace.Hold(&c.Held, c.now, keys...)
}

// abortText is the error of an EXEC that is itself refused.
func abortText(refusal string) string {
	_, text, _ := bytes.Cut([]byte(refusal), []byte("ERR "))
	if len(text) == 0 {
		text = []byte(refusal)
	}
	return "EXECABORT Transaction discarded because of: " + string(text)
}
