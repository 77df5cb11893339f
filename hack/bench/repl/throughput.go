//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/node/load"
	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/test/faults"
)

// mode is what a server does with writes beside doing them.
type mode struct {
	name    string
	args    []string
	sinks   int  // replicas that read and confirm, beside the client
	replica bool // one that is a server
	ours    bool // others cannot
}

const (
	alone       = "neither"
	pipeline    = 16
	throughput  = "writes"
	serverShare = "server CPU"
)

var modes = []mode{
	{name: alone},
	{name: "async replica", sinks: 1},
	{name: "everysec AOF", args: []string{"--appendonly", "yes", "--appendfsync", "everysec", "--auto-aof-rewrite-percentage", "0"}},
	{name: "sync replica", args: []string{"--min-sync-replicas", "1"}, sinks: 1, ours: true},
	{name: "async replica, a server", replica: true},
	{name: "sync replica, a server", args: []string{"--min-sync-replicas", "1"}, replica: true, ours: true},
}

// written is what the writes are to.
var written = shape{sets: 5000, members: perCommand}

// throughput measures writes in a closed loop of pipelines in each mode, in turn and again in each round: the server on one CPU, all
// others on another.
func (b *bench) throughput(ctx context.Context, p faults.Program) error {
	if len(b.cpus) < 2 {
		return fmt.Errorf("needs two CPUs")
	}
	client, serving := b.cpus[0], b.cpus[1]
	all, err := measure.CPUs()
	if err != nil {
		return err
	}
	defer func() { _ = measure.PinProcess(os.Getpid(), all...) }()
	return b.figures.Take(b.quick, len(modes), b.commit, func(round, i int) ([]report.Value, error) {
		m := modes[i]
		if m.ours && !p.Ours() {
			return nil, nil
		}
		b.tell("throughput, %s, %s, %d of %d", p.Name, m.name, round+1, b.quick)
		values, err := b.writes(ctx, p, m, client, serving)
		if err != nil && b.goOn && ctx.Err() == nil {
			fmt.Fprintf(os.Stderr, "LEFT OUT: %s, %s: %v\n", p.Name, m.name, err)
			return nil, nil
		}
		return values, err
	})
}

func (b *bench) writes(ctx context.Context, p faults.Program, m mode, client, serving int) (values []report.Value, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	server, err := b.start(ctx, p, append(syncArgs(p), m.args...)...)
	defer func() { drop(server) }()
	if err != nil {
		return nil, err
	}
	if err := measure.PinProcess(os.Getpid(), client); err != nil {
		return nil, err
	}
	if err := measure.PinProcess(server.PID(), serving); err != nil {
		return nil, err
	}
	var draining sync.WaitGroup
	defer draining.Wait()
	for range m.sinks {
		end, err := confirming(ctx, server, m.ours, &draining)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	if m.replica {
		replica, err := b.start(ctx, p, syncArgs(p)...)
		defer func() { drop(replica) }()
		if err != nil {
			return nil, err
		}
		if err := measure.PinProcess(replica.PID(), client); err != nil {
			return nil, err
		}
		if err := faults.Follow(ctx, replica, server.Addr); err != nil {
			return nil, err
		}
	}
	if m.ours { // until a replica is in step, writes are refused
		if err := server.Until(ctx, "takes writes", func() (bool, error) {
			return server.Client().Do(ctx, "ZADD", "first", "1", "member").Err() == nil, nil
		}); err != nil {
			return nil, err
		}
	}
	if err := written.loaded(ctx, server.Addr, b.seed); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, server.Log())
	}
	conns, err := load.Dial(server.Addr, 50)
	if err != nil {
		return nil, err
	}
	defer conns.Close()
	work := written.update(b.seed)
	// Go looks once a second, while there is work, how many CPUs it may use.
	if _, err := conns.Closed(ctx, work, pipeline, load.Limit{For: max(1200*time.Millisecond, b.budget)}); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, server.Log())
	}
	cpu, err := measure.ProcessTime(server.PID())
	if err != nil {
		return nil, err
	}
	r, err := conns.Closed(ctx, work, pipeline, load.Limit{For: b.budget})
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, server.Log())
	}
	after, err := measure.ProcessTime(server.PID())
	if err != nil {
		return nil, err
	}
	return []report.Value{
		value(p.Name, written, m.name+": "+throughput, "1/s", float64(r.Commands)/r.Elapsed.Seconds()),
		value(p.Name, written, m.name+": "+serverShare, "cores", (after-cpu).Seconds()/r.Elapsed.Seconds()),
		value(p.Name, written, m.name+": p99", "ms", float64(r.Latency.Quantile(0.99))/float64(time.Millisecond)),
	}, nil
}

// confirming attaches a replica that reads all, and confirms what it has read: at once, or now and then as replicas do that nobody waits for,
// and then it also reads in larger pieces. end ends it.
func confirming(ctx context.Context, server *faults.Server, atOnce bool, draining *sync.WaitGroup) (end func(), err error) {
	name := ""
	if atOnce {
		name = "sink"
	}
	sink, err := faults.DialSinkAs(ctx, server.Addr, name, nil)
	if err != nil {
		return nil, err
	}
	end = func() { _ = sink.Close() }
	if _, err := sink.File(); err != nil {
		end()
		return nil, err
	}
	if err := sink.Acknowledge(sink.Offset); err != nil {
		end()
		return nil, err
	}
	draining.Go(func() { // until end
		at, b, said := sink.Offset, make([]byte, 256<<10), time.Time{}
		for {
			n, err := sink.Read(b)
			if err != nil {
				return
			}
			at += int64(n)
			if now := time.Now(); atOnce || now.Sub(said) > time.Second {
				if said = now; sink.Acknowledge(at) != nil {
					return
				}
			}
			if !atOnce {
				time.Sleep(2 * time.Millisecond) // it is the client's CPU too
			}
		}
	})
	return end, nil
}
