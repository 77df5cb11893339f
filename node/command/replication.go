package command

import (
	"math"
	"time"

	"zset.dev/operator/node/resp"
)

var replicationSpecs = []Spec{
	{
		Name: "role", Arity: 1, Flags: NoScript | Loading | Stale | Fast, Categories: Administrative,
		Group: "server", Since: "2.8.12", Complexity: "O(1)",
		Summary: "Returns the replication role: master, the offset, the replicas.",
		Run:     role,
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

// timeoutAt is argument i, a time to wait in milliseconds; it answers the error itself when it is none.
func (c *Call) timeoutAt(i int) (limit time.Duration, ok bool) {
	n, ok := resp.ParseInt(c.Args[i])
	switch {
	case !ok:
		c.W.Error("ERR timeout is not an integer or out of range")
	case n < 0:
		c.W.Error("ERR timeout is negative")
	case n > math.MaxInt64-c.now:
		c.W.Error("ERR timeout is out of range")
	default:
		return time.Duration(min(n, longestWait/int64(time.Millisecond))) * time.Millisecond, true
	}
	return 0, false
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
