package shard

import (
	"context"
	"log/slog"
	"net"
	"time"

	"zset.dev/operator/node/lease"
)

// Store is where the record is.
type Store interface {
	// Read is the newest record, none with an empty version.
	Read(ctx context.Context) (lease.Record, error)
	// Write makes the record r, if it still has r's version, or creates it if that is empty, and returns its new version.
	// After an error that is not lease.ErrRefused it may have been written, or may still be.
	Write(ctx context.Context, r lease.Record) (version string, err error)
}

// A Sight is what the API says of a pod.
type Sight struct {
	UID     string    // empty when there is no such pod
	Started bool      // a process of it was started, ever
	Ended   time.Time // when, by the clock of the pod's machine, its last process that has ended did; zero for none
}

// Pods tells of the pods of the shard.
type Pods interface {
	// Look returns what is known of each of these pods, or an error.
	Look(ctx context.Context, pods []string) (map[string]Sight, error)
}

// Publisher lets clients and people know who is primary. Its methods are called again, after a while, when they fail.
type Publisher interface {
	// Primary says that this node is the primary of that epoch, and that none of the others is.
	Primary(ctx context.Context, epoch int64, others []string) error
	// Replica says that this node is none.
	Replica(ctx context.Context) error
}

// Node is the node, as a member changes it. Its methods may be called from any goroutine.
type Node interface {
	// Position is how much of the shard's history the node has, and whether that is whole.
	Position() (p lease.Position, whole bool)
	// Allow lets the node acknowledge writes until then. From then on, or at once when it is zero, it refuses them, and says why.
	Allow(until time.Time, why string)
	// Lead makes it the primary of that epoch. It returns once it is.
	Lead(epoch int64) error
	// Follow makes it a replica of the holder of the record, the primary of that epoch.
	Follow(holder lease.Identity, epoch int64) error
	// Stand makes it a replica that follows nobody, unless it is a replica already.
	Stand() error
	// Expel closes clients that may believe that this node is the primary.
	Expel()
}

// Options are what a Member is made of. All must be given.
type Options struct {
	Self      lease.Identity
	Started   time.Time // of this process, by the clock of its machine
	Timing    lease.Timing
	Epoch     int64        // the greatest that the node knows of, from its disk
	Name      string       // of the shard: its pods are <name>-0, <name>-1, …
	Size      func() int   // how many pods there are to be
	Store     Store        //
	Pods      Pods         //
	Publisher Publisher    //
	Node      Node         //
	Dial      Dial         //
	Log       *slog.Logger //
}

// Dial opens a connection to a pod's RESP port, authenticated, ready for commands.
type Dial func(ctx context.Context, pod string) (net.Conn, error)
