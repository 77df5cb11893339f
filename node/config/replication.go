package config

import (
	"math"
	"time"
)

// Replication is what the directives about replicas say.
type Replication struct {
	BacklogSize   int64         // bytes of the log kept for replicas that come again
	BacklogTTL    time.Duration // the log ends when nobody has read it for so long; 0 = never
	Timeout       time.Duration // silence after which the other side is given up
	PingEvery     time.Duration // how often a primary lets its replicas hear of it
	DisklessSync  bool
	DisklessDelay time.Duration
	DisklessMost  int
	GatherSmall   bool // repl-disable-tcp-nodelay: the system may wait for more to send with a little

	MinReplicas     int           // fewer good ones and writes are refused; 0 = none need be there
	MaxLag          time.Duration // what makes a replica a good one; 0 = MinReplicas does not count
	MinSyncReplicas int           // as many have every write that was acknowledged; 0 = asynchronous
	SyncTimeout     time.Duration // how long one of them may not confirm
}

var replicating = []directive{
	{
		name: "repl-backlog-size", group: replicated, initial: "10mb", live: true,
		doc: "bytes of the log that are kept for replicas that were away and go on where they were",
		note: "The default is that of Valkey. The log takes memory once a replica connects; while one is behind, it takes as much more as it is behind, up to " +
			"`client-output-buffer-limit replica`.",
		kind: size(func(v *Values) *int64 { return &v.Replication.BacklogSize }, 1),
	},
	{
		name: "repl-backlog-ttl", group: replicated, initial: "3600", live: true,
		doc:  "seconds without any replica after which a primary ends the log; 0 = never",
		note: "A replica that comes later gets all data anew. A node of a shard of more than one keeps its log.",
		kind: seconds(func(v *Values) *time.Duration { return &v.Replication.BacklogTTL }),
	},
	{
		name: "repl-timeout", group: replicated, initial: "60", live: true,
		doc:  "seconds of silence after which a replica, or the primary, is given up",
		note: "Larger than `repl-ping-replica-period`.",
		kind: secondsFrom(1, func(v *Values) *time.Duration { return &v.Replication.Timeout }),
	},
	{
		name: "repl-ping-replica-period", aliases: []string{"repl-ping-slave-period"}, group: replicated, initial: "10", live: true,
		doc:  "seconds between two pings that a primary sends its replicas",
		kind: secondsFrom(1, func(v *Values) *time.Duration { return &v.Replication.PingEvery }),
	},
	{
		name: "repl-diskless-sync", group: replicated, initial: "yes", live: true,
		doc:  "accepted; all data goes to a replica's socket as it is read, whatever this says",
		note: "Only a replica that cannot take a file of unknown length (no `capa eof`) gets one that was written to `dir` first.",
		kind: yesNo(func(v *Values) *bool { return &v.Replication.DisklessSync }),
	},
	{
		name: "repl-diskless-sync-delay", group: replicated, initial: "0", live: true,
		doc:  "accepted; a replica that needs all data gets them at once, each by itself",
		kind: seconds(func(v *Values) *time.Duration { return &v.Replication.DisklessDelay }),
	},
	{
		name: "repl-diskless-sync-max-replicas", group: replicated, initial: "0", live: true,
		doc:  "accepted; see repl-diskless-sync-delay",
		kind: integer(func(v *Values) *int { return &v.Replication.DisklessMost }, 0, math.MaxInt32),
	},
	{
		name: "repl-disable-tcp-nodelay", group: replicated, initial: "no", live: true,
		doc:  "let the system wait for more before it sends a replica a little: fewer packets, later",
		kind: yesNo(func(v *Values) *bool { return &v.Replication.GatherSmall }),
	},
	{
		name: "min-replicas-to-write", aliases: []string{"min-slaves-to-write"}, group: replicated, initial: "0", live: true,
		doc: "replicas that must have been heard of lately for writes to be taken; 0 = none",
		note: "A guess, not a promise: a write is taken when enough replicas were heard of within `min-replicas-max-lag`, whether they get it or not. " +
			"`min-sync-replicas` is the promise.",
		kind: integer(func(v *Values) *int { return &v.Replication.MinReplicas }, 0, math.MaxInt32),
	},
	{
		name: "min-replicas-max-lag", aliases: []string{"min-slaves-max-lag"}, group: replicated, initial: "10", live: true,
		doc:  "seconds within which a replica must have been heard of; 0 = min-replicas-to-write is off",
		kind: seconds(func(v *Values) *time.Duration { return &v.Replication.MaxLag }),
	},
	{
		name: "min-sync-replicas", group: replicated, initial: "0", live: true,
		doc: "replicas that have every write before it is acknowledged; 0 = it is at once",
		note: "At 0 a primary that is lost takes its last writes along. Otherwise the reply of a write leaves once all replicas in sync have confirmed it, and writes are refused (NOREPLICAS) while fewer than this are in sync. " +
			"Only nodes of this kind count. See [What an OK means](replication.md#what-an-ok-means).",
		kind: integer(func(v *Values) *int { return &v.Replication.MinSyncReplicas }, 0, 100),
	},
	{
		name: "sync-replica-timeout", group: replicated, initial: "5000", live: true,
		doc:  "milliseconds without confirmation after which a replica is in sync no longer",
		note: "So long do writers wait for it at most. If fewer than `min-sync-replicas` are left then, those who wait are told that their writes are in doubt (INDOUBT).",
		kind: milliseconds(func(v *Values) *time.Duration { return &v.Replication.SyncTimeout }, 100),
	},
}
