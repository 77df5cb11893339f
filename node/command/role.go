package command

import (
	"strconv"

	"zset.dev/operator/node/following"
	"zset.dev/operator/node/replication"
)

// role answers what the node is, with those who follow it: their address and the offset of the last byte they confirmed.
func role(c *Call) {
	if c.Env.Following != nil {
		if status, ok := c.Env.Following.Status(); ok {
			c.replyRole(status)
			return
		}
	}
	offset := c.Env.Replication.Offset()
	var online []replication.FollowerInfo
	for _, f := range c.Env.Replication.Followers() {
		if f.Stage == replication.Online {
			online = append(online, f)
		}
	}
	c.W.Array(3)
	c.W.BulkString("master")
	c.W.Int(offset - 1)
	c.W.Array(len(online))
	for _, f := range online {
		c.W.Array(3)
		c.W.BulkString(f.Host)
		c.W.BulkString(strconv.Itoa(f.Port))
		c.W.BulkString(strconv.FormatInt(max(0, f.Offset-1), 10))
	}
}

// replyRole is ROLE of a replica.
func (c *Call) replyRole(s following.Status) {
	state := "connected"
	switch {
	case s.Up:
	case s.Stage.String() == "connecting" || s.Stage.String() == "handshake":
		state = s.Stage.String()
	default:
		state = "sync"
	}
	c.W.Array(5)
	c.W.BulkString("slave")
	c.W.BulkString(s.Host)
	c.W.Int(int64(s.Port))
	c.W.BulkString(state)
	c.W.Int(s.Next - 1)
}
