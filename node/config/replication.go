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
		note: "A replica that comes later gets all data anew.",
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
}
