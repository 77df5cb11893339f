package command

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/acl"
	"zset.dev/operator/node/client"
	"zset.dev/operator/node/config"
	"zset.dev/operator/node/following"
	"zset.dev/operator/node/gate"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/persist"
	"zset.dev/operator/node/pubsub"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/node/telemetry"
	"zset.dev/operator/node/tracking"
	"zset.dev/operator/zset"
)

// Env is what commands need from the node. All of it may be used from any
// goroutine. Complete it before its first use.
type Env struct {
	Table    *Table
	Keyspace *keyspace.Keyspace
	Config   *config.Config
	Clients  *client.Registry
	Stats    *telemetry.Stats

	Replication *replication.State   // nil in tests without
	Gate        *gate.Gate           // nil is one that requires nothing
	Persistence *persist.Store       // nil in tests without
	Following   *following.Following // likewise
	Shard       Shard                // nil for a node that is none of a shard

	Log        *slog.Logger // what scripts log; nil discards
	Now        func() time.Time
	Tuning     func() *zset.Tuning                // what the next write to a set follows
	UsedMemory func() int64                       // bytes compared with maxmemory, the keyspace's included
	Lasting    func() int64                       // those of them that keys may have to go for
	Facts      func() telemetry.Facts             // what INFO prints
	Shutdown   func(how Shutdown) (stopping bool) // begins to stop the node

	// Made by Complete.
	Hub      *pubsub.Hub
	Tracking *tracking.Table
	Monitors *Monitors
	Pause    *Pause
	Scripts  *Scripts
	Accounts *acl.Accounts
	Denials  *acl.Log
	Eviction *Eviction

	restraints atomic.Uint32 // of Restraint

	rewriting sync.Mutex // held by who writes the configuration file

	ExpiryPaused   atomic.Bool // by DEBUG: the sweep leaves expired keys alone
	SweepPaused    atomic.Bool // by DEBUG: the sweep does nothing
	DebugInScripts atomic.Bool // by DEBUG: scripts may use it, too
}

// Shutdown is how the node is to stop.
type Shutdown struct {
	Now    bool // without waiting for clients
	Save   bool // dump.rdb, at the very end
	NoSave bool // not even if save says so
}

// Changes is how many write commands were ever executed.
func (env *Env) Changes() int64 { return env.Stats.Changes.Load() }

// Complete makes what commands share and the node has no say in.
func (env *Env) Complete() {
	if env.Gate == nil {
		env.Gate = gate.New(&replog.Confirmations{})
	}
	env.Hub = pubsub.NewHub()
	env.Tracking = tracking.New(env.Clients, func() int { return env.Config.Values().TrackingTableMaxKeys })
	env.Monitors = &Monitors{}
	env.Scripts = newScripts()
	env.Pause = &Pause{clients: env.Clients, keyspace: env.Keyspace}
	env.Keyspace.Observe(keyObserver{env})
	env.Eviction = newEviction(env)
	env.followPolicy()
	env.openAccounts()
}
