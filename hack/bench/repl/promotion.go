//go:build linux

package main

import (
	"context"
	"time"

	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/test/faults"
)

const (
	promotedSync  = "promotion, sync"
	promotedAsync = "promotion, async"
	lostWrites    = "acknowledged writes lost"
	ackedWrites   = "acknowledged writes"
	promotionRuns = "runs"
	promotionTook = "time until promoted"
)

// promotions kills primaries under load and counts what their replicas have not.
func (b *bench) promotions(ctx context.Context, p faults.Program) error {
	for _, mode := range []string{promotedSync, promotedAsync} {
		if mode == promotedSync && !p.Ours() {
			continue
		}
		lost, acked := 0, 0
		var took []report.Value
		for i := range b.promoted {
			if i%10 == 0 {
				b.tell("%s, %s: %d of %d", mode, p.Name, i, b.promoted)
			}
			v, taken, err := faults.Promotion{Program: p, Sync: mode == promotedSync, Seed: b.seed + uint64(i)}.Run(ctx)
			if err != nil {
				return err
			}
			lost += v.Lost
			acked += v.Acknowledged
			took = append(took, value(p.Name, shape{}, mode+": "+promotionTook, "ms", float64(taken)/float64(time.Millisecond)))
		}
		err := b.take(1, func(int) ([]report.Value, error) {
			return []report.Value{
				value(p.Name, shape{}, mode+": "+lostWrites, "", float64(lost)),
				value(p.Name, shape{}, mode+": "+ackedWrites, "", float64(acked)),
				value(p.Name, shape{}, mode+": "+promotionRuns, "", float64(b.promoted)),
			}, nil
		})
		if err == nil {
			err = b.take(len(took), func(i int) ([]report.Value, error) { return took[i : i+1], nil })
		}
		if err != nil {
			return err
		}
	}
	return nil
}
