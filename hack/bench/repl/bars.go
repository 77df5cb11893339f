//go:build linux

package main

import (
	"fmt"

	"zset.dev/operator/hack/bench/report"
)

// bar is what is to be reached.
type bar struct {
	what, of string
	limit    float64
	atMost   bool
	measured bool
	value    float64
	unit     string
}

func (b bar) met() string {
	switch {
	case !b.measured:
		return "not measured"
	case b.atMost && b.value <= b.limit || !b.atMost && b.value >= b.limit:
		return "yes"
	}
	return "NO"
}

func (b bar) sign() string {
	if b.atMost {
		return "≤ "
	}
	return "≥ "
}

const mib = 1 << 20

// bars are all bars, with what was measured.
func bars(figures report.Figures) (all []bar) {
	for _, how := range []string{toSink, toReplica} {
		for _, r := range rowsOf(figures, how+": "+bytesPer) {
			median := func(name, what, unit string) float64 {
				r.what, r.unit = how+": "+what, unit
				return find(figures, name, r).Median
			}
			speed := ratio(median(nodeName, bytesPer, "B/s"), faster(func(name string) float64 { return median(name, bytesPer, "B/s") }))
			tail := ratio(median(nodeName, p99During, "ms"), median(nodeName, p99Before, "ms"))
			all = append(all,
				bar{what: "p99 of writes during over before", of: how + ", " + r.shape, limit: 2, atMost: true, measured: tail > 0, value: tail},
				bar{what: "extra used memory", of: how + ", " + r.shape, limit: backlogSize/mib + 64, atMost: true, measured: tail > 0, value: median(nodeName, usedExtra, "B") / mib, unit: " MiB"},
				bar{what: "extra resident memory", of: how + ", " + r.shape, limit: backlogSize/mib + 64, atMost: true, measured: tail > 0, value: median(nodeName, rssExtra, "B") / mib, unit: " MiB"},
				bar{what: "bytes/s over the faster peer's", of: how + ", " + r.shape, limit: 0.6, measured: speed > 0, value: speed})
		}
	}
	for _, what := range []string{fromBase, fromLog} {
		for _, r := range rowsOf(figures, what) {
			median := func(name string) float64 { return find(figures, name, r).Median }
			best := 0.0
			for _, name := range peerNames {
				if v := median(name); v > 0 && (best == 0 || v < best) {
					best = v
				}
			}
			time := ratio(median(nodeName), best)
			all = append(all, bar{what: what + ", time over the faster peer's", of: r.shape, limit: 1, atMost: true, measured: time > 0, value: time})
		}
	}
	for _, b := range []struct {
		mode  string
		limit float64
	}{{"async replica", 0.85}, {"everysec AOF", 0.85}, {"sync replica", 0.6}} {
		plain, _ := share(figures, nodeName, b.mode)
		all = append(all, bar{what: "writes with " + b.mode + " over without", of: "pipeline 16", limit: b.limit, measured: plain > 0, value: plain})
	}
	n, _ := figures.Find(key(nodeName, shape{}, promotedSync+": "+promotionRuns, ""))
	lost, _ := figures.Find(key(nodeName, shape{}, promotedSync+": "+lostWrites, ""))
	return append(all, bar{what: "acknowledged writes lost in sync mode", of: fmt.Sprintf("%.0f promotions", n.Median), atMost: true, measured: n.Runs > 0, value: lost.Median})
}

// faster is the greatest of the peers' figures.
func faster(of func(name string) float64) (best float64) {
	for _, name := range peerNames {
		best = max(best, of(name))
	}
	return best
}

func barTable(figures report.Figures) report.Table {
	t := report.Table{Title: "bars of replication and persistence", Note: "Of the medians.", Heads: []string{"bar", "of", "limit", "measured", "met"}}
	for _, b := range bars(figures) {
		text := report.Missing
		if b.measured {
			text = report.Short(b.value) + b.unit
		}
		t.Add(b.what, b.of, b.sign()+report.Short(b.limit)+b.unit, text, b.met())
	}
	return t
}
