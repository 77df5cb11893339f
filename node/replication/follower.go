package replication

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/replog"
)

// Stage is what becomes of a follower at present.
type Stage int32

// The stages, in order.
const (
	Waiting Stage = iota // for its turn to get all the data
	Sending              // it gets all the data, or loads what it got
	Online               // it gets the log
)

// String is the stage as INFO and ROLE call it.
func (s Stage) String() string {
	return [...]string{"wait_bgsave", "send_bulk", "online"}[s]
}

// Introduction is what a follower says of itself (REPLCONF) before it asks for the log.
type Introduction struct {
	Host    string // under which clients reach it; empty is the address it connects from
	Port    int    // likewise
	Version string // of its server

	Marked      bool // it can take a file whose length is not known before
	Renames     bool // it can take a new name of the history with CONTINUE
	RDBOnly     bool // it wants the data and no log
	NoData      bool // without keys
	NoFunctions bool // without functions

	Ours  bool // it is a node as this one, of that epoch and run
	Epoch int64
	RunID string
}

// Request is what a follower asks for.
type Request struct {
	Introduction
	Addr   string // the address it connects from, host:port
	ID     string // of the history it has
	Offset int64  // of the next byte it wants
	Old    bool   // by SYNC: it is told neither name nor offset, and confirms nothing
	Close  func() // ends its connection at once
}

// Follower is somebody who follows this node over a connection.
type Follower struct {
	Request
	state  *State
	number uint64

	ctx    context.Context
	cancel context.CancelCauseFunc

	stage     atomic.Int32
	sent      atomic.Int64 // the offset behind what was handed to the socket
	confirmed atomic.Pointer[replog.Follower]
	heardAt   atomic.Int64 // when something last came from it, in milliseconds since the epoch
	ackedAt   atomic.Int64 // when it last confirmed, likewise
}

// FollowerInfo is what INFO, ROLE and who waits for followers want to know of one.
type FollowerInfo struct {
	Introduction // Host and Port as clients reach it
	Stage        Stage
	Offset       int64            // the next byte it wants, by its own word
	Behind       int64            // bytes of the log that it has not confirmed
	Lag          time.Duration    // since its last word, while it is online
	Confirmed    *replog.Follower // its place among Confirmations; nil before it is online
}

// Stage is what becomes of it at present.
func (f *Follower) Stage() Stage { return Stage(f.stage.Load()) }

// Drop closes the follower's connection, for that reason. It does not wait.
func (f *Follower) Drop(why string) {
	f.cancel(errors.New(why))
	f.Close()
}
