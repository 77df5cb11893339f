//go:build linux && faults

package faults

import (
	"fmt"
	"io"
	"testing"
	"time"

	"zset.dev/operator/test/faults/recorder"
)

// TestSlowReplicaIsDropped has a replica stop reading, and looks what becomes of the writers and of the primary's memory until it is
// dropped at its limit.
func TestSlowReplicaIsDropped(t *testing.T) {
	const limit, backlog, spare = 8 << 20, 1 << 20, 64 << 20
	for _, phase := range []string{"transfer", "streaming"} {
		t.Run(phase, func(t *testing.T) {
			random := choices(t)
			primary := run(t, Config{Args: []string{"--repl-backlog-size", fmt.Sprint(backlog),
				"--client-output-buffer-limit", "replica", fmt.Sprint(limit), fmt.Sprint(limit), "0"}})
			filled(t, primary, 50, 10_000) // a file that no socket takes at once
			r := recorder.Start(recorder.Options{Client: primary.Client(), Seed: random.Uint64N(1 << 40), Writers: 4, Members: 1000, Pipeline: 16})
			t.Cleanup(r.Stop)
			began := time.Now()
			must(t, r.Await(limited(t), int64(runs(30_000, 200_000))))
			before, err := primary.Resident()
			must(t, err)
			attached := time.Now()
			sink, err := DialSink(limited(t), primary.Addr, nil)
			must(t, err)
			t.Cleanup(func() { sink.Close() })
			if phase == "streaming" {
				_, err := sink.File()
				must(t, err)
				must(t, sink.Acknowledge(sink.Offset))
			}
			must(t, primary.Until(limited(t), "has a replica", func() (bool, error) {
				n, err := primary.InfoInt(t.Context(), "replication", "connected_slaves")
				return n == 1, err
			}))
			most := before
			must(t, primary.Until(limited(t), "drops its replica", func() (bool, error) {
				now, err := primary.Resident()
				if err != nil {
					return false, err
				}
				most = max(most, now)
				n, err := primary.InfoInt(t.Context(), "replication", "connected_slaves")
				return n == 0, err
			}))
			dropped := time.Now()
			must(t, r.Await(limited(t), 1000))
			r.Stop()
			if n := r.Failed(); n > 0 {
				t.Errorf("%d writes failed: %v", n, r.Errors())
			}
			if grown := most - before; system.Ours() && grown > limit+backlog+spare {
				t.Errorf("the primary's memory grew by %s with a limit of %s and a backlog of %s", mib(grown), mib(limit), mib(backlog))
			}
			if _, err := io.Copy(io.Discard, sink); system.Ours() && err == nil {
				t.Log("the connection was ended in order")
			}
			v := judged(t, r, primary)
			if !v.Faultless() {
				t.Error(v)
			}
			quiet, loaded := r.Latencies(began, attached), r.Latencies(attached, dropped)
			add("a replica that stops reading, "+phase, 1, v, fmt.Sprintf("dropped after %v; p99 of batches of 16 writes %s before, %s meanwhile, longest %s; memory grew by %s",
				dropped.Sub(attached).Round(10*time.Millisecond), ms(recorder.Quantile(quiet, 0.99)), ms(recorder.Quantile(loaded, 0.99)), ms(recorder.Quantile(loaded, 1)), mib(most-before)))
		})
	}
}
