package command

import (
	"strings"
	"time"

	"zset.dev/operator/node/config"
	"zset.dev/operator/node/following"
	"zset.dev/operator/node/resp"
)

// What makes a node a replica, a primary again, or lets it hand over.
var followingSpecs = []Spec{
	replicaOfSpec("replicaof", "5.0.0"),
	replaced(replicaOfSpec("slaveof", "1.0.0"), "5.0.0", "`REPLICAOF`"),
	{
		Name: "failover", Arity: -1, Flags: Admin | NoScript | Stale,
		Group: "server", Since: "6.2.0", Complexity: "O(1)",
		Summary: "Hands over to a replica: stops writes, waits until it has everything, and becomes its replica.",
		Args: []Arg{
			block("target", arg("host", "string"), arg("port", "integer"), token("FORCE", "force").optional()).after("TO").optional(),
			token("ABORT", "abort").optional(), after("TIMEOUT", "milliseconds", "integer").optional(),
		},
		Run: failover,
	},
}

func replicaOfSpec(name, since string) Spec {
	return Spec{
		Name: name, Arity: 3, Flags: Admin | NoScript | Stale | NoAsyncLoading,
		Group: "server", Since: since, Complexity: "O(1)",
		Summary: "Makes the server a replica of another, or with NO ONE a primary.",
		Differs: "Refused in a transaction.",
		Args: []Arg{oneOf("args",
			block("host-port", arg("host", "string"), arg("port", "integer")),
			block("no-one", token("NO", "no"), token("ONE", "one")),
		)},
		Run: replicaOf,
	}
}

// errShardDecides is for who would change by hand what is elected.
const errShardDecides = "ERR REPLICAOF not allowed in a shard: its Lease says who is primary. To choose one, set spec.failover.preferredPrimary of the ZSetCluster, or send FAILOVER to the primary."

const errNotNested = "ERR not in a transaction: this waits for all keys"

func replicaOf(c *Call) {
	if c.Nested || c.Env.Following == nil {
		c.W.Error(errNotNested)
		return
	}
	if c.Env.Shard != nil {
		c.W.Error(errShardDecides)
		return
	}
	if is(c.Args[1], "NO") && is(c.Args[2], "ONE") {
		changed, err := c.Env.Following.Promote(0)
		if err != nil {
			c.W.Error("ERR REPLICAOF not allowed while failing over.")
			return
		}
		if changed {
			c.Env.Log.Info("REPLICAOF NO ONE", "client", c.Client.Addr)
		}
		c.ok()
		return
	}
	port, ok := resp.ParseInt(c.Args[2])
	if !ok || port < 0 || port > 65535 {
		c.W.Error("ERR Invalid master port")
		return
	}
	changed, err := c.Env.Following.Follow(following.Target{Host: string(c.Args[1]), Port: int(port)})
	switch {
	case err != nil:
		c.W.Error("ERR REPLICAOF not allowed while failing over.")
	case !changed:
		c.W.Simple("OK Already connected to specified master")
	default:
		c.ok()
	}
}

// failover reads the options, in any order.
func failover(c *Call) {
	if c.Nested || c.Env.Following == nil {
		c.W.Error(errNotNested)
		return
	}
	var h following.Handover
	abort, timed := false, false
	for i := 1; i < len(c.Args); i++ {
		left := len(c.Args) - i - 1
		switch word := c.Args[i]; {
		case is(word, "TIMEOUT") && left >= 1 && !timed:
			n, ok := c.integer(i + 1)
			if !ok {
				return
			}
			if n <= 0 {
				c.W.Error("ERR FAILOVER timeout must be greater than 0")
				return
			}
			timed, h.Timeout = true, time.Duration(min(n, int64(longestWait/int64(time.Millisecond))))*time.Millisecond
			i++
		case is(word, "ABORT") && !abort:
			abort = true
		case is(word, "TO") && left >= 2 && h.To == nil:
			port, ok := c.integer(i + 2)
			if !ok {
				return
			}
			h.To = &following.Target{Host: string(c.Args[i+1]), Port: int(port)}
			i += 2
		case is(word, "FORCE") && !h.Force:
			h.Force = true
		default:
			c.W.Error(errSyntax)
			return
		}
	}
	var err error
	switch {
	case abort && (h != following.Handover{}):
		c.W.Error(errSyntax)
		return
	case abort && !c.abortHandover():
		err = following.Reply("No failover in progress.")
	case !abort && c.Env.Shard != nil:
		err = c.Env.Shard.HandOver(h)
	case !abort:
		err = c.Env.Following.Begin(h)
	}
	if err != nil {
		c.W.Error("ERR " + err.Error())
		return
	}
	c.ok()
}

// abortHandover reports whether there was a hand-over to end.
func (c *Call) abortHandover() bool {
	if c.Env.Shard != nil {
		return c.Env.Shard.Abort()
	}
	return c.Env.Following.Abort()
}

// RecordPrimary lets CONFIG say whom the node follows.
func (env *Env) RecordPrimary(t following.Target) {
	env.Config.Record(func(v *config.Values) { v.Following.Host, v.Following.Port = strings.TrimSpace(t.Host), t.Port })
}
