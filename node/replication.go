package node

import (
	"time"

	"zset.dev/operator/node/config"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/telemetry"
)

// replicationSettings are those of the directives that package replication follows.
func replicationSettings(v *config.Values) replication.Settings {
	limit := v.ClientOutputBufferLimit.Replica
	ttl := v.Replication.BacklogTTL
	if v.Shard.Name != "" && v.Shard.Size > 1 {
		ttl = 0 // positions are compared, so nothing may change that is not in the log
	}
	return replication.Settings{
		BacklogSize: v.Replication.BacklogSize, BacklogTTL: ttl,
		Timeout: v.Replication.Timeout, PingEvery: v.Replication.PingEvery,
		Dir:    v.Dir,
		Behind: replication.Behind{Hard: limit.Hard, Soft: limit.Soft, SoftFor: limit.SoftFor},
	}
}

// serveFollower lets a goroutine write to the client what a follower gets, from now on. It reports whether the connection
// goes on.
func (c *connection) serveFollower() bool {
	c.settle() // no reply may come into the log's midst
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

// replicationFacts is what INFO and the metrics tell of replication.
func (s *Server) replicationFacts() telemetry.Replication {
	state := s.env.Replication
	role, history, log, offset := state.At()
	r := telemetry.Replication{
		Role: "master", ID: history.ID, PreviousID: history.Previous, PreviousEnd: -1, Offset: offset - 1,
		BacklogSize: s.config.Values().Replication.BacklogSize,
	}
	if role == replication.Replica {
		r.Role = "slave"
	}
	if history.Previous != "" {
		r.PreviousEnd = history.Until
	}
	if log != nil {
		start, end := log.Range()
		r.Backlog, r.BacklogFirst, r.BacklogBytes, r.BacklogTakes = true, start, end-start, log.Bytes()
	}
	directives := s.config.Values().Replication
	if directives.MinReplicas > 0 && directives.MaxLag > 0 {
		r.MinReplicas, r.GoodReplicas = directives.MinReplicas, goodReplicas(state.Followers(), directives.MaxLag)
	}
	r.MinSyncReplicas, r.InSync = directives.MinSyncReplicas, s.inSync.InSync()
	for _, f := range state.Followers() {
		r.Replicas = append(r.Replicas, telemetry.Replica{
			Host: f.Host, Port: f.Port, State: f.Stage.String(), Offset: max(0, f.Offset-1), Behind: f.Behind, Lag: int64(f.Lag / time.Second),
		})
	}
	r.Waiting, r.Sending, r.SentKeys, r.SentByte = state.Syncing()
	return r
}
