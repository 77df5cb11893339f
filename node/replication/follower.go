package replication

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/replog"
)

// Stage is what becomes of a follower at present.
type Stage int32

// The stages, in order.
const (
	Waiting Stage = iota // for its turn to get all data
	Sending              // it gets all data, or loads what it got
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
	NoKeys      bool // without keys
	NoFunctions bool // without functions

	Epoch int64  // of a node as this one: the last that it knows of
	RunID string // likewise, the name of its process; empty for others
}

// Request is what a follower asks for.
type Request struct {
	Introduction
	Addr   string // the address it connects from, host:port
	ID     string // of the history it has
	Offset int64  // of the next byte it wants
	Old    bool   // by SYNC: it is told neither name nor offset, and need not confirm
	Close  func() // ends its connection at once
}

// Follower is somebody who follows this node over a connection. Two goroutines have to do with it: the one that reads from the
// connection, which calls Heard and Confirm, and one in Serve, which writes to it. Drop and what reads may be called by
// any.
type Follower struct {
	Request
	state  *State
	number uint64 // in the order in which they came; set before it is listed
	ctx    context.Context
	cancel context.CancelCauseFunc

	stage     atomic.Int32
	reader    atomic.Pointer[replog.Reader] // from when it is known where it goes on
	keys      atomic.Int64                  // so far, of all data
	bytes     atomic.Int64                  // likewise
	sent      atomic.Int64                  // the offset behind what was handed to the socket
	acked     atomic.Int64                  // the next byte it wants, by its own word
	confirmed atomic.Pointer[replog.Follower]
	heardAt   atomic.Int64  // when something last came from it, or went to it as it got all data; milliseconds since the epoch
	softSince atomic.Int64  // since when it is above the soft limit, likewise; 0 when it is not. Written by Tend
	first     chan struct{} // has a token once it has confirmed for the first time
}

// Attach begins to serve a follower. Its caller then lets a goroutine run Serve, and ends with Drop, after which Serve returns.
func (s *State) Attach(r Request) *Follower {
	f := &Follower{Request: r, state: s, first: make(chan struct{}, 1)}
	f.ctx, f.cancel = context.WithCancelCause(context.Background())
	f.Heard()
	s.followers.add(f)
	return f
}

// Stage is what becomes of it at present.
func (f *Follower) Stage() Stage { return Stage(f.stage.Load()) }

// Heard notes that something came from the follower.
func (f *Follower) Heard() { f.heardAt.Store(f.state.options.Now().UnixMilli()) }

// Confirm notes that the follower has everything before the offset next, and on its own disk everything before saved, 0 when it does not
// say.
func (f *Follower) Confirm(next, saved int64) {
	// What was not sent cannot be there, whatever it says.
	next = min(next, f.sent.Load())
	saved = min(saved, next)
	f.acked.Store(next)
	if c := f.confirmed.Load(); c != nil {
		c.ConfirmSaved(next, saved)
	}
	select {
	case f.first <- struct{}{}:
	default:
	}
}

// Drop closes the follower's connection, for that reason. It does not wait.
func (f *Follower) Drop(why string) {
	f.cancel(errors.New(why))
	f.Close()
}

// FollowerInfo is what INFO, ROLE and others want to know of a follower.
type FollowerInfo struct {
	Introduction // Host and Port as clients reach it
	Stage        Stage
	Offset       int64         // of the next byte it wants, by its own word; 0 before it was heard
	Behind       int64         // bytes of the log that it has not confirmed
	Lag          time.Duration // since something came from it, once it gets the log
}

func (f *Follower) info(end int64, now time.Time) FollowerInfo {
	i := FollowerInfo{Introduction: f.Introduction, Stage: f.Stage(), Offset: f.acked.Load()}
	host, port, _ := net.SplitHostPort(f.Addr)
	if i.Host == "" {
		i.Host = host
	}
	if i.Port == 0 {
		i.Port, _ = strconv.Atoi(port)
	}
	i.Behind = max(0, end-max(i.Offset, FirstOffset))
	if i.Stage == Online {
		i.Lag = max(0, now.Sub(time.UnixMilli(f.heardAt.Load())))
	}
	return i
}
