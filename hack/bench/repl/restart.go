//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/test/faults"
)

// What is measured of a restart.
const (
	fromLog  = "restart from the log of commands"
	fromBase = "restart from the base"
	seconds  = "s"
)

// restarts measures how long a server takes from its start until it serves its data.
func (b *bench) restarts(ctx context.Context, p faults.Program) error {
	for _, s := range b.shapes {
		if err := b.restart(ctx, p, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

func (b *bench) restart(ctx context.Context, p faults.Program, s shape) (err error) {
	server, err := b.start(ctx, p, "--appendonly", "yes", "--appendfsync", "everysec", "--auto-aof-rewrite-percentage", "0")
	defer func() { drop(server) }()
	if err != nil {
		return err
	}
	b.tell("restart, %s, %s: loading", p.Name, s)
	if err := s.loaded(ctx, server.Addr, b.seed); err != nil {
		return err
	}
	again := func(what string) error {
		server.Stop() // in order: what it has is on disk then
		return b.take(max(1, b.rounds-1), func(round int) ([]report.Value, error) {
			b.tell("%s, %s, %s, %d", what, p.Name, s, round+1)
			began := time.Now()
			next, err := server.Again()
			if err != nil {
				return nil, err
			}
			server = next
			if err := ready(ctx, server); err != nil {
				return nil, err
			}
			took := time.Since(began)
			if n, err := server.Client().DBSize(ctx).Result(); err != nil || n != int64(s.sets) {
				return nil, fmt.Errorf("it has %d keys instead of %d, %v", n, s.sets, err)
			}
			if round < max(1, b.rounds-1)-1 {
				server.Stop()
			}
			return []report.Value{value(p.Name, s, what, seconds, took.Seconds())}, nil
		})
	}
	if err := again(fromLog); err != nil {
		return err
	}
	if err := rewrite(ctx, server); err != nil {
		return err
	}
	return again(fromBase)
}

// rewrite has all data in the base.
func rewrite(ctx context.Context, s *faults.Server) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	before, err := s.InfoInt(ctx, "persistence", "aof_rewrites")
	if err != nil {
		return err
	}
	if err := s.Client().BgRewriteAOF(ctx).Err(); err != nil {
		return err
	}
	return s.Until(ctx, "has rewritten its file", func() (bool, error) {
		now, err := s.InfoInt(ctx, "persistence", "aof_rewrites")
		if err != nil {
			return false, err
		}
		busy, err := s.Info(ctx, "persistence", "aof_rewrite_in_progress")
		return now > before && busy == "0", err
	})
}
