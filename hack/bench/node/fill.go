//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/node/load"
	"zset.dev/operator/hack/bench/report"
)

// held is the memory of a server in bytes: by its own account, and by the system's.
type held struct{ used, resident int }

// fill loads all servers at a time, the node on its core and the peers on any, and takes the figures of memory.
func (b *bench) fill(ctx context.Context, p part, subjects []*subject) error {
	if p.shape.kind == nothing {
		return nil
	}
	if err := measure.PinProcess(os.Getpid(), b.cpus...); err != nil {
		return err
	}
	type loaded struct {
		values []report.Value
		err    error
	}
	results := make(chan loaded, len(subjects))
	for _, s := range subjects {
		if !s.Node {
			if err := s.Pin(b.cpus...); err != nil {
				return err
			}
		}
		go func() { // ends with the load or with the context
			before, err := memoryOf(ctx, s)
			if err == nil {
				err = p.shape.load(ctx, s.bulk, func(done float64) {
					b.progress.tell("%s: loading %s, %.0f %%", p.shape.name(), s.Name, 100*done)
				})
			}
			var after held
			if err == nil && p.memory {
				after, err = memoryOf(ctx, s)
			}
			if err != nil {
				err = b.explain(s, err)
			}
			results <- loaded{memoryValues(p.shape, s.Name, before, after), err}
		}()
	}
	var all []report.Value
	var failed error
	for range subjects {
		r := <-results
		all = append(all, r.values...)
		if failed == nil {
			failed = r.err
		}
	}
	if failed != nil || !p.memory {
		return failed
	}
	return b.figures.Take(1, 1, b.commit, func(int, int) ([]report.Value, error) { return all, nil })
}

// memoryOf waits until the system's account of the server's memory rests.
func memoryOf(ctx context.Context, s *subject) (h held, err error) {
	for since := time.Now(); ; {
		resident, err := s.Resident()
		if err != nil {
			return h, err
		}
		if h.resident != 0 && abs(resident-h.resident) < 1<<20 || time.Since(since) > 5*time.Second {
			h.resident = resident
			break
		}
		h.resident = resident
		select {
		case <-ctx.Done():
			return h, ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
	h.used, err = usedMemory(s.bulk)
	return h, err
}

func abs(n int) int { return max(n, -n) }

// usedMemory is the server's used_memory in bytes.
func usedMemory(b *load.Bulk) (int, error) {
	info, err := b.Ask("INFO", "memory")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(info) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "used_memory:"); ok {
			return strconv.Atoi(text)
		}
	}
	return 0, fmt.Errorf("the server does not tell used_memory")
}
