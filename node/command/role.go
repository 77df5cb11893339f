package command

import (
	"strconv"

	"zset.dev/operator/node/replication"
)

// role answers what the node is, with those who follow it: their address and the offset of the last byte they confirmed.
func role(c *Call) {
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
