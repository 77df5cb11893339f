package node

import (
	"zset.dev/operator/node/config"
	"zset.dev/operator/node/replication"
)

// replicationSettings are those of the directives that package replication follows.
func replicationSettings(v *config.Values) replication.Settings {
	limit := v.ClientOutputBufferLimit.Replica
	return replication.Settings{
		BacklogSize: v.Replication.BacklogSize, BacklogTTL: v.Replication.BacklogTTL,
		Timeout: v.Replication.Timeout, PingEvery: v.Replication.PingEvery,
		Dir:    v.Dir,
		Behind: replication.Behind{Hard: limit.Hard, Soft: limit.Soft, SoftFor: limit.SoftFor},
	}
}

// serveFollower lets a goroutine write to the client what a follower gets, from now on. It reports whether the connection
// goes on.
func (c *connection) serveFollower() bool {
	alive := c.flush()
	c.follower = c.call.Follower()
	if !alive {
		c.follower.Drop("its connection ended")
	}
	if tcp, ok := c.socket.(interface{ SetNoDelay(bool) error }); ok && c.server.config.Values().Replication.GatherSmall {
		tcp.SetNoDelay(false)
	}
	c.serving.Go(func() {
		if c.follower.Serve(c.socket) {
			c.served.Store(true)
			c.client.Wake()
		}
	})
	return alive
}
