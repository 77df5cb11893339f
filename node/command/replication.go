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
