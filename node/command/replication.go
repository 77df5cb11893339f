package command

import (
	"math"

	"zset.dev/operator/node/resp"
)

var replicationSpecs = []Spec{
	{
		Name: "role", Arity: 1, Flags: NoScript | Loading | Stale | Fast, Categories: Administrative,
		Group: "server", Since: "2.8.12", Complexity: "O(1)",
		Summary: "Returns the replication role: master, the offset, the replicas.",
		Run:     role,
	},
	{
		Name: "wait", Arity: 3, Flags: Blocking, Categories: Connection,
		Tips:  []string{"request_policy:all_shards", "response_policy:agg_min"},
		Group: "generic", Since: "3.0.0", Complexity: "O(1)",
		Summary: "Waits until replicas have the connection's writes. There are none, so it answers 0 at once.",
		Args:    []Arg{arg("numreplicas", "integer"), arg("timeout", "integer")},
		Run: func(c *Call) {
			if _, ok := c.integer(1); ok && c.timeoutAt(2) {
				c.W.Int(0)
			}
		},
	},
	{
		Name: "waitaof", Arity: 4, Flags: Blocking, Categories: Connection,
		Tips:  []string{"request_policy:all_shards", "response_policy:agg_min"},
		Group: "generic", Since: "7.2.0", Complexity: "O(1)",
		Summary: "Waits until disks have the connection's writes. None has any, so it answers zeros at once.",
		Args:    []Arg{arg("numlocal", "integer"), arg("numreplicas", "integer"), arg("timeout", "integer")},
		Run:     waitAOF,
	},
	replicaOfSpec("replicaof", "5.0.0"),
	replaced(replicaOfSpec("slaveof", "1.0.0"), "5.0.0", "`REPLICAOF`"),
	{
		Name: "failover", Arity: -1, Flags: Admin | NoScript | Stale,
		Group: "server", Since: "6.2.0", Complexity: "O(1)",
		Summary: "Hands over to a replica. There are none.",
		Args: []Arg{
			block("target", arg("host", "string"), arg("port", "integer"), token("FORCE", "force").optional()).after("TO").optional(),
			token("ABORT", "abort").optional(), after("TIMEOUT", "milliseconds", "integer").optional(),
		},
		Run: func(c *Call) {
			if len(c.Args) == 2 && is(c.Args[1], "ABORT") {
				c.W.Error("ERR No failover in progress.")
				return
			}
			c.W.Error("ERR FAILOVER requires connected replicas.")
		},
	},
}

// timeoutAt reports whether argument i is a time to wait in milliseconds; it
// answers the error itself when it is none.
func (c *Call) timeoutAt(i int) bool {
	n, ok := resp.ParseInt(c.Args[i])
	switch {
	case !ok:
		c.W.Error("ERR timeout is not an integer or out of range")
	case n < 0:
		c.W.Error("ERR timeout is negative")
	case n > math.MaxInt64-c.now:
		c.W.Error("ERR timeout is out of range")
	default:
		return true
	}
	return false
}

func waitAOF(c *Call) {
	local, ok := c.integer(1)
	if !ok {
		return
	}
	if local < 0 || local > 1 {
		c.W.Error("ERR value is out of range, value must between 0 and 1")
		return
	}
	if replicas, ok := resp.ParseInt(c.Args[2]); !ok || replicas < 0 {
		c.W.Error(errNotPositive)
		return
	}
	if !c.timeoutAt(3) {
		return
	}
	if local > 0 {
		c.W.Error("ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.")
		return
	}
	c.W.Array(2)
	c.W.Int(0)
	c.W.Int(0)
}

func replicaOfSpec(name, since string) Spec {
	return Spec{
		Name: name, Arity: 3, Flags: Admin | NoScript | Stale | NoAsyncLoading,
		Group: "server", Since: since, Complexity: "O(1)",
		Summary: "Makes the server a replica of another, or with NO ONE a primary. Only the latter in this version.",
		Args: []Arg{oneOf("args",
			block("host-port", arg("host", "string"), arg("port", "integer")),
			block("no-one", token("NO", "no"), token("ONE", "one")),
		)},
		Run: func(c *Call) {
			if is(c.Args[1], "NO") && is(c.Args[2], "ONE") {
				c.ok()
				return
			}
			if port, ok := resp.ParseInt(c.Args[2]); !ok || port < 0 || port > 65535 {
				c.W.Error("ERR Invalid master port")
				return
			}
			c.W.Error("ERR this version of the server cannot be a replica")
		},
	}
}
