package replication

import (
	"context"
	"log/slog"
	"math"
	"time"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/node/telemetry"
)

// Options are what a State is made of. All must be given.
type Options struct {
	RunID    string
	Keyspace *keyspace.Keyspace
	Log      *slog.Logger
	Now      func() time.Time
	Settings func() Settings

	// Turning is called before the node becomes a primary or a replica, or gets other data: what was executed until then cannot be
	// confirmed any more. It must not change the State.
	Turning func()

	// Journal lets the keyspace append to a log what changes, from before it returns on; nil ends that.
	Journal func(*replog.Log)

	// Unlist has a follower taken off the list of those that may take this node's place, if it may be on it: it is about to give up
	// what it has. name is the run id it gave, not empty. An error says that it may be on it still.
	Unlist func(ctx context.Context, name string) error

	Stats     *telemetry.Stats
	Version   string          // of the commands served, for files
	Functions func() [][]byte // the code of the libraries
}

// Settings are what may change while the node runs.
type Settings struct {
	BacklogSize int64         // bytes of the log that are kept for those who come again
	BacklogTTL  time.Duration // how long the log goes on without anybody who reads it; 0 is for ever
	Timeout     time.Duration // silence after which the other side is given up
	PingEvery   time.Duration // how often a primary lets its replicas hear of it
	Behind      Behind
	Dir         string // where files are written for those who cannot take a stream
}

// Behind is how far a follower may be behind the log's end before it is closed. 0 is no such limit.
type Behind struct {
	Hard, Soft int64 // bytes
	SoftFor    time.Duration
}

// hard is what a reader of the log may be behind.
func (b Behind) hard() int64 {
	if b.Hard == 0 {
		return math.MaxInt64
	}
	return b.Hard
}
