//go:build linux && faults

package faults

import (
	"slices"
	"testing"
	"time"

	"zset.dev/operator/test/faults/recorder"
)

func TestPromotedAfterThePrimaryWasKilled(t *testing.T) {
	for _, c := range []struct {
		name        string
		sync        bool
		short, long int
	}{{"min-sync-replicas 1", true, 8, 100}, {"asynchronous", false, 4, 50}} {
		t.Run(c.name, func(t *testing.T) {
			if c.sync {
				ours(t)
			}
			random := choices(t)
			var all recorder.Verdict
			var took []time.Duration
			n, losing := runs(c.short, c.long), 0
			for i := range n {
				v, taken, err := Promotion{Program: system, Sync: c.sync, Seed: random.Uint64N(1 << 40)}.Run(t.Context())
				must(t, err)
				if !v.Consistent() || c.sync && v.Lost > 0 {
					t.Fatalf("run %d: %v", i, v)
				}
				if v.Lost > 0 {
					losing++
				}
				all.Add(v)
				took = append(took, taken)
				progress(t, i, n, 10)
			}
			slices.Sort(took)
			measured := "promoted within " + ms(recorder.Quantile(took, 0.5)) + ", at most " + ms(took[len(took)-1])
			if !c.sync {
				measured += "; lost some in " + plural(losing, "run")
			}
			add("primary killed -9 under load, replica promoted, "+c.name, n, all, measured)
		})
	}
}
