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
		Behind: replication.Behind{Hard: limit.Hard, Soft: limit.Soft, SoftFor: limit.SoftFor},
	}
}
