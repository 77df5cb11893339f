//go:build linux

package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"zset.dev/operator/hack/bench/node/load"
	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/test/faults"
)

// What is measured of a full sync, after "sink: " or "own replica: ".
const (
	p99Before   = "p99 of writes before"
	p99During   = "p99 of writes during"
	maxDuring   = "longest write during"
	rateDuring  = "writes during"
	bytesPer    = "bytes/s"
	fileBytes   = "bytes of the file"
	usedExtra   = "extra used memory of the primary"
	rssExtra    = "extra resident memory of the primary"
	toSink      = "full sync to a sink"
	toReplica   = "full sync to the own server"
	backlogArg  = "16mb" // repl-backlog-size
	backlogSize = 16 << 20
)

// syncArgs are those of servers that sync. The limit for what waits for a replica is the default's, 256 MB.
func syncArgs(p faults.Program) []string {
	args := []string{"--repl-backlog-size", backlogArg}
	if !p.Ours() {
		args = append(args, "--repl-diskless-load", "on-empty-db") // the faster way to load
	}
	return args
}

// fullSyncs measures syncs of each shape: to a sink that reads and keeps nothing, which compares senders, and to the primary's own
// kind of server.
func (b *bench) fullSyncs(ctx context.Context, p faults.Program) error {
	for _, s := range b.shapes {
		if err := b.fullSync(ctx, p, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

func (b *bench) fullSync(ctx context.Context, p faults.Program, s shape) error {
	primary, err := b.start(ctx, p, syncArgs(p)...)
	defer func() { drop(primary) }()
	if err != nil {
		return err
	}
	b.tell("sync, %s, %s: loading", p.Name, s)
	if err := s.loaded(ctx, primary.Addr, b.seed); err != nil {
		return err
	}
	var file float64
	err = b.take(b.rounds, func(round int) ([]report.Value, error) {
		b.tell("sync, %s, %s: to a sink, %d of %d", p.Name, s, round+1, b.rounds)
		var bytes int64
		values, took, err := b.underLoad(ctx, primary, s, toSink, func(ctx context.Context) (func(), error) {
			sink, err := faults.DialSink(ctx, primary.Addr, nil)
			if err != nil {
				return nil, err
			}
			done := context.AfterFunc(ctx, func() { sink.Close() })
			bytes, err = sink.File()
			return func() { done(); sink.Close() }, err
		})
		if err != nil {
			return nil, err
		}
		file = float64(bytes)
		return append(values, value(p.Name, s, toSink+": "+bytesPer, "B/s", file/took.Seconds()), value(p.Name, s, toSink+": "+fileBytes, "B", file)), nil
	})
	if err != nil {
		return err
	}
	return b.take(max(1, b.rounds-1), func(round int) ([]report.Value, error) {
		b.tell("sync, %s, %s: to its own kind, %d", p.Name, s, round+1)
		replica, err := b.start(ctx, p, syncArgs(p)...)
		defer func() { drop(replica) }()
		if err != nil {
			return nil, err
		}
		values, took, err := b.underLoad(ctx, primary, s, toReplica, func(ctx context.Context) (func(), error) {
			return func() {}, faults.Follow(ctx, replica, primary.Addr)
		})
		return append(values, value(p.Name, s, toReplica+": "+bytesPer, "B/s", file/took.Seconds())), err
	})
}

// underLoad measures writes at a rate, before and while something syncs. sync returns when that is done, with what ends the replica.
func (b *bench) underLoad(ctx context.Context, primary *faults.Server, s shape, how string, sync func(context.Context) (func(), error)) (values []report.Value, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Minute)
	defer cancel()
	conns, err := load.Dial(primary.Addr, 50)
	if err != nil {
		return nil, 0, err
	}
	defer conns.Close()
	work := s.update(b.seed)
	// Once without measuring, so that nothing is new to the server.
	if _, err := conns.Bursts(ctx, work, b.rate, 2*time.Millisecond, load.Limit{For: b.calm / 4}, func(time.Time) *load.Histogram { return nil }); err != nil {
		return nil, 0, err
	}
	var before, during load.Histogram
	var from, to atomic.Int64 // when the sync began and ended, as nanoseconds since the epoch
	type outcome struct {
		used, rss int64
		err       error
	}
	result := make(chan outcome, 1)
	writing, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // ends with the sync, whose end it waits for, or with ctx
		defer stop()
		var o outcome
		select {
		case <-ctx.Done():
			o.err = ctx.Err()
		case <-time.After(b.calm):
			o.used, o.rss, o.err = grown(ctx, primary, func(ctx context.Context) error {
				from.Store(time.Now().UnixNano())
				end, err := sync(ctx)
				to.Store(time.Now().UnixNano())
				if end != nil {
					end()
				}
				return err
			})
		}
		result <- o
	}()
	_, err = conns.Bursts(writing, work, b.rate, 2*time.Millisecond, load.Limit{For: time.Hour}, func(at time.Time) *load.Histogram {
		began, ended := from.Load(), to.Load()
		switch {
		case began == 0:
			return &before
		case ended == 0 || at.UnixNano() < ended:
			return &during
		}
		return nil
	})
	stop()
	if err != nil {
		cancel() // so that the other ends
	}
	o := <-result
	if err == nil {
		err = o.err
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%w\n%s", err, primary.Log())
	}
	took = time.Duration(to.Load() - from.Load())
	put := func(what, unit string, v float64) {
		values = append(values, value(primary.Name, s, how+": "+what, unit, v))
	}
	millis := func(h *load.Histogram, q float64) float64 {
		return float64(h.Quantile(q)) / float64(time.Millisecond)
	}
	put(p99Before, "ms", millis(&before, 0.99))
	put(p99During, "ms", millis(&during, 0.99))
	put(maxDuring, "ms", millis(&during, 1))
	put(rateDuring, "1/s", float64(during.Total())/took.Seconds())
	put(usedExtra, "B", float64(o.used))
	put(rssExtra, "B", float64(o.rss))
	return values, took, nil
}

// grown is by how much the memory of a server was greater at its peak, while something was done, than before.
func grown(ctx context.Context, s *faults.Server, do func(context.Context) error) (used, rss int64, err error) {
	before, err := usedMemory(ctx, s)
	if err != nil {
		return 0, 0, err
	}
	resident, err := s.Resident()
	if err != nil {
		return 0, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- do(ctx) }() // ends with what is done, which is waited for
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case err := <-ended:
			return used, rss, err
		case <-tick.C:
		}
		if now, err := s.Resident(); err == nil {
			rss = max(rss, now-resident)
		}
		if n%5 == 0 { // it costs the server a little
			if now, err := usedMemory(ctx, s); err == nil {
				used = max(used, now-before)
			}
		}
	}
}

func usedMemory(ctx context.Context, s *faults.Server) (int64, error) {
	text, err := s.Info(ctx, "memory", "used_memory")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(text), 10, 64)
}
