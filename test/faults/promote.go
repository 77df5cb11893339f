//go:build linux

package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"time"

	"zset.dev/operator/test/faults/recorder"
)

// Promotion is a primary with one replica that is killed under load, whereupon the replica is promoted.
type Promotion struct {
	Program Program
	Sync    bool // an acknowledgement promises that the replica has the write
	Seed    uint64
}

// Run has the primary killed at a random point and says what the replica has of what was acknowledged. taken is how long it took
// from the kill until the replica took writes.
func (p Promotion) Run(ctx context.Context) (v recorder.Verdict, taken time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	random := rand.New(rand.NewPCG(p.Seed, 1))
	dir, err := os.MkdirTemp("", "faults-promotion-*")
	if err != nil {
		return v, 0, err
	}
	defer os.RemoveAll(dir)
	var args []string
	if p.Sync {
		args = []string{"--min-sync-replicas", "1"}
	}
	primary, err := Start(p.Program, Config{Dir: dir, Args: args})
	if err != nil {
		return v, 0, err
	}
	defer primary.Kill()
	replica, err := Start(p.Program, Config{Dir: dir, Args: args})
	if err != nil {
		return v, 0, err
	}
	defer replica.Kill()
	if err := errors.Join(primary.Ready(ctx), replica.Ready(ctx)); err != nil {
		return v, 0, err
	}
	if err := Follow(ctx, replica, primary.Addr); err != nil {
		return v, 0, err
	}
	r := recorder.Start(recorder.Options{Client: primary.Client(), Seed: p.Seed, Writers: 1 + random.IntN(5), Transactions: random.IntN(3),
		Members: 64 + random.IntN(1000), Pipeline: 1 + random.IntN(24)})
	defer r.Stop()
	if err := r.Await(ctx, 200+random.Int64N(6000)); err != nil {
		return v, 0, err
	}
	began := time.Now()
	primary.Kill()
	if err := replica.Client().Do(ctx, "REPLICAOF", "NO", "ONE").Err(); err != nil {
		return v, 0, fmt.Errorf("promoting: %w\n%s", err, replica.Log())
	}
	if p.Sync { // it has no replica yet, and says so to each write otherwise
		if err := replica.Client().ConfigSet(ctx, "min-sync-replicas", "0").Err(); err != nil {
			return v, 0, err
		}
	}
	err = replica.Until(ctx, "takes writes", func() (bool, error) {
		return replica.Client().Do(ctx, "ZADD", "promoted", "1", "yes").Err() == nil, nil
	})
	if err != nil {
		return v, 0, err
	}
	taken = time.Since(began)
	r.Stop()
	v, err = r.Judge(ctx, replica.Client())
	return v, taken, err
}

// Tell tells a server to follow an address.
func Tell(ctx context.Context, s *Server, primary string) error {
	host, port, err := net.SplitHostPort(primary)
	if err != nil {
		return err
	}
	return s.Client().Do(ctx, "REPLICAOF", host, port).Err()
}

// Follow is Tell, and waits until the server is in step.
func Follow(ctx context.Context, s *Server, primary string) error {
	if err := Tell(ctx, s, primary); err != nil {
		return err
	}
	return Linked(ctx, s)
}

// Linked waits until a replica has all of its primary's data and receives what changes.
func Linked(ctx context.Context, s *Server) error {
	return s.Until(ctx, "follows", func() (bool, error) {
		state, err := s.Info(ctx, "replication", "master_link_status")
		return err == nil && state == "up", nil
	})
}

// Alike waits until a replica has come as far as its primary, which nobody writes to.
func Alike(ctx context.Context, primary, replica *Server) error {
	return replica.Until(ctx, "comes as far as its primary", func() (bool, error) {
		theirs, err := primary.Info(ctx, "replication", "master_repl_offset")
		if err != nil {
			return false, nil // it may be busy, or starting
		}
		up, err := replica.Info(ctx, "replication", "master_link_status")
		if err != nil || up != "up" {
			return false, nil
		}
		mine, err := replica.Info(ctx, "replication", "slave_repl_offset")
		return err == nil && mine == theirs, nil
	})
}
