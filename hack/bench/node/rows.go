//go:build linux

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
)

// row is a line of a table, found again in the figures.
type row struct {
	operation, shape string
	members, bytes   int
}

// loop is what a table is about: where the programs run, and how requests are sent.
type loop struct {
	placement placement
	sent      string // "pipeline 16", or "20000/s" for the open loop
}

func pipelined(n int) string { return fmt.Sprintf("pipeline %d", n) }

// splitMeasure gives back what cell.key put together.
func splitMeasure(k report.Key) (r row, l loop, what string, ok bool) {
	where, what, ok := strings.Cut(k.Measure, ": ")
	words := strings.Split(where, ", ")
	if !ok || len(words) != 4 {
		return r, l, what, false
	}
	return row{words[0], words[1], k.Members, k.MemberBytes}, loop{placement(words[2]), words[3]}, what, true
}

// rowsOf are the rows for which something was measured in a loop, in the order of tables.
func rowsOf(figures report.Figures, in func(loop) bool) (rows []row) {
	for _, f := range figures {
		if r, l, _, ok := splitMeasure(f.Key); ok && in(l) && !slices.Contains(rows, r) {
			rows = append(rows, r)
		}
	}
	names := operationNames()
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(slices.Index(names, a.operation)-slices.Index(names, b.operation), cmp.Compare(a.members, b.members))
	})
	return rows
}

// serversOf are those that there are figures of: the node, its other builds, the peers.
func serversOf(figures report.Figures) (names []string) {
	for _, f := range figures {
		if !slices.Contains(names, f.Contender) && f.Contender != ourLoad && f.Contender != theirLoad {
			names = append(names, f.Contender)
		}
	}
	order := func(name string) int {
		if name == nodeName {
			return 0
		}
		return 2 + slices.Index(peerNames, name) // 1: another build
	}
	slices.SortStableFunc(names, func(a, b string) int { return order(a) - order(b) })
	return names
}

// find gives what was measured of a server in a row.
func find(figures report.Figures, server string, r row, l loop, what, unit string) measure.Summary {
	k := report.Key{Contender: server, Members: r.members, MemberBytes: r.bytes, Unit: unit,
		Measure: fmt.Sprintf("%s, %s, %s, %s: %s", r.operation, r.shape, l.placement, l.sent, what)}
	f, _ := figures.Find(k)
	return f.Summary
}

// fasterPeer is the peer of the greater median.
func fasterPeer(figures report.Figures, r row, l loop) (name string, best measure.Summary) {
	for _, p := range peerNames {
		if s := find(figures, p, r, l, throughput, perSecond); s.Runs > 0 && s.Median > best.Median {
			name, best = p, s
		}
	}
	return name, best
}

// ratio is ours over theirs by the medians; 0 if either is missing.
func ratio(ours, theirs measure.Summary) float64 {
	if ours.Runs == 0 || theirs.Runs == 0 || theirs.Median == 0 {
		return 0
	}
	return ours.Median / theirs.Median
}

// scaled multiplies a summary.
func scaled(s measure.Summary, by float64) measure.Summary {
	return measure.Summary{Median: s.Median * by, Min: s.Min * by, Max: s.Max * by, Runs: s.Runs}
}
