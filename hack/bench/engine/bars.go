package main

import (
	"fmt"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/hack/bench/workload"
)

var orders = []workload.Order{workload.Shuffled, workload.Ascending}

// A bar is what the engine is to reach.
type bar struct {
	what      string
	bar, goal float64 // at most; goal 0: none
	unit      string
	measured  measure.Summary // ratios have the medians' in Median
	detail    string          // of a ratio: what was divided
}

// Bars are about what the node uses, whose memory is outside the Go heap; the others show the library as it is without
// further ado.
var judged = [2]struct{ list, pack, where string }{
	{contender.ZsetOffHeap, contender.ListpackSlot, ""},
	{contender.Zset, contender.Listpack, ", Go heap"},
}

const wanted = 5_000_000 // members of the bars of memory

// barTable compares the figures to the bars. Where the size that a bar is about was not measured, that of the
// largest measured is shown, and the row says so.
func barTable(figures, seeds report.Figures) report.Table {
	t := report.Table{
		Title: "bars of the engine",
		Note: "Bytes are beside the member's own. Ratios are of the medians, ours over that of the yardstick, the plain arena skip list " +
			"in small pages; where the system gives huge pages, `yardstick-huge` in the tables shows how much is theirs. " +
			"The engine is measured as a node uses it, with its memory outside the Go heap (`zset-offheap`, `listpack-slot`); rows that say Go heap are of the library " +
			"without a Memory of its own (`zset`, `listpack`).",
		Heads: []string{"bar", "at most", "goal", "measured", "of the bar", "met"},
	}
	var bars []bar
	for _, of := range []func(report.Figures, string, string) []bar{memoryBars, collectorBars, speedBars} {
		node, library := of(figures, judged[0].list, judged[0].pack), of(figures, judged[1].list, judged[1].pack)
		for i := range max(len(node), len(library)) {
			if i < len(node) {
				bars = append(bars, node[i])
			}
			if i < len(library) {
				library[i].what += judged[1].where
				bars = append(bars, library[i])
			}
		}
	}
	bars = append(bars, smallKeyBar(seeds))
	for _, b := range bars {
		goal, ratio, met := report.Missing, report.Missing, "not measured"
		if b.goal > 0 {
			goal = report.Short(b.goal) + b.unit
		}
		text := report.Missing
		if b.measured.Runs > 0 {
			ratio = report.Short(b.measured.Median/b.bar) + " ×"
			text = report.Spread(b.measured) + b.unit + b.detail
			switch m := b.measured.Median; {
			case b.goal > 0 && m <= b.goal:
				met = "goal"
			case m <= b.bar:
				met = "yes"
			default:
				met = "NO"
			}
		}
		t.Add(b.what, report.Short(b.bar)+b.unit, goal, text, ratio, met)
	}
	return t
}

// smallKeyBar is of what the seeds' programs measured of servers.
func smallKeyBar(seeds report.Figures) bar {
	b := bar{what: "small key: 16-byte key, 5-member set, bytes beside key and members, against Valkey", bar: 0.6, unit: " ×"}
	var node, peer report.Figure
	for _, f := range seeds {
		if f.Measure != "embedded: bytes per key of 16 bytes with 5 members" {
			continue
		}
		if f.Contender == "node" && f.Members >= node.Members {
			node = f
		} else if f.Contender == "peer" && f.Members >= peer.Members {
			peer = f
		}
	}
	if node.Runs > 0 && peer.Runs > 0 {
		b.measured = measure.Summary{Median: node.Median / peer.Median, Runs: 1}
		b.detail = fmt.Sprintf(" (%s / %s B)", report.Short(node.Median), report.Short(peer.Median))
	}
	return b
}

func memoryBars(figures report.Figures, list, pack string) (bars []bar) {
	for _, o := range orders {
		limit, goal := 32.0, 26.0
		if o == workload.Ascending {
			limit, goal = 28, 22
		}
		for _, p := range []string{"0.25", "1/e"} {
			row := report.Key{Contender: list, P: p}
			f := largest(figures, row, barMemberBytes, held(bytesHeld, o), "B", wanted)
			bars = append(bars, bar{fmt.Sprintf("skip list, P = %s, %s%s", p, o, at(f, wanted)), limit, goal, " B", f.Summary, ""})
		}
	}
	f := find(figures, report.Key{Contender: pack}, listpackMembers, listpackMemberBytes, held(bytesHeld, workload.Shuffled), "B")
	return append(bars, bar{"listpack of 100 members of 16 bytes", 11, 10, " B", f.Summary, ""})
}

func collectorBars(figures report.Figures, list, _ string) []bar {
	row, wanted := report.Key{Contender: list, P: "1/e"}, 10_000_000
	bytes := firstMemberBytes(figures)
	share := largest(figures, row, bytes, gcShareUsed, "%", wanted)
	pause := largest(figures, row, bytes, gcPause, "ms", wanted)
	slowest := largest(figures, row, bytes, slowestInsert, "ms", wanted)
	return []bar{
		{"GC share of used CPU under 100k writes/s" + at(share, wanted), 2, 0, "%", share.Summary, ""},
		{"longest GC pause" + at(pause, wanted), 1, 0, " ms", pause.Summary, ""},
		{"slowest insert while growing" + at(slowest, wanted), 1, 0, " ms", slowest.Summary, ""},
	}
}

func speedBars(figures report.Figures, list, _ string) (bars []bar) {
	ours, theirs := report.Key{Contender: list, P: "1/e"}, report.Key{Contender: contender.Yardstick, P: "1/e"}
	bytes := firstMemberBytes(figures)
	seen := 0
	for _, members := range []int{1_000_000, 10_000_000} {
		size := largest(figures, ours, bytes, insert, "ns", members).Members
		if seen != 0 && size == seen {
			continue // neither size was measured: what stands in their place is shown once
		}
		seen = size
		for _, b := range []bar{
			{what: insert, bar: 0.6, goal: 0.4}, {what: rank, bar: 0.6, goal: 0.4}, {what: score, bar: 1, goal: 0.8}, {what: iterate, bar: 0.3},
		} {
			f := largest(figures, ours, bytes, b.what, "ns", members)
			y := find(figures, theirs, f.Members, bytes, b.what, "ns")
			b.what += " against the yardstick" + at(f, members)
			b.unit = " ×"
			if f.Runs > 0 && y.Runs > 0 {
				b.measured = measure.Summary{Median: f.Median / y.Median, Runs: 1}
				b.detail = fmt.Sprintf(" (%s / %s ns)", report.Short(f.Median), report.Short(y.Median))
			}
			bars = append(bars, b)
		}
	}
	return bars
}

// largest is the figure of the size wanted, or else of the largest below that was measured.
func largest(figures report.Figures, row report.Key, memberBytes int, what, unit string, wanted int) (best report.Figure) {
	for _, f := range figures {
		if f.Contender == row.Contender && f.P == row.P && f.MemberBytes == memberBytes && f.Measure == what && f.Unit == unit &&
			f.Members <= wanted && f.Members > best.Members {
			best = f
		}
	}
	return best
}

// at says at which size a figure is, with a mark when it is not the one wanted.
func at(f report.Figure, wanted int) string {
	switch f.Members {
	case 0:
		return ", " + report.Count(wanted) + " members"
	case wanted:
		return ", " + report.Count(f.Members) + " members"
	}
	return ", only " + report.Count(f.Members) + " members"
}

// firstMemberBytes is the size of member that operations are measured with above all.
func firstMemberBytes(figures report.Figures) int {
	for _, f := range figures {
		if f.Unit == "ns" {
			return f.MemberBytes
		}
	}
	return workload.LeastBytes
}
