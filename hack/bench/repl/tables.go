//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
)

// row is what the figures are of: some data, and what is measured of it.
type row struct {
	shape   string
	members int
	bytes   int
	what    string
	unit    string
}

func find(figures report.Figures, contender string, r row) measure.Summary {
	f, _ := figures.Find(report.Key{Contender: contender, Members: r.members, MemberBytes: r.bytes, Measure: r.shape + ": " + r.what, Unit: r.unit})
	return f.Summary
}

// rowsOf are the rows whose measure begins so, in the order in which they came.
func rowsOf(figures report.Figures, prefix string) (rows []row) {
	for _, f := range figures {
		shape, what, _ := strings.Cut(f.Measure, ": ")
		r := row{shape, f.Members, f.MemberBytes, what, f.Unit}
		if strings.HasPrefix(what, prefix) && !slices.Contains(rows, r) {
			rows = append(rows, r)
		}
	}
	return rows
}

// contenders are the servers, ours first.
func contenders(figures report.Figures) (names []string) {
	for _, name := range append([]string{nodeName}, peerNames...) {
		if slices.ContainsFunc(figures, func(f report.Figure) bool { return f.Contender == name }) {
			names = append(names, name)
		}
	}
	return names
}

// scaled is a summary in a unit that people read, with its name.
func scaled(s measure.Summary, unit string) (measure.Summary, string) {
	by := 1.0
	switch unit {
	case "B":
		by, unit = 1.0/(1<<20), "MiB"
	case "B/s":
		by, unit = 1e-6, "MB/s"
	case "1/s":
		by, unit = 1e-3, "thousand/s"
	}
	return measure.Summary{Median: s.Median * by, Min: s.Min * by, Max: s.Max * by, Runs: s.Runs}, unit
}

// table has a line for each row that begins so.
func table(figures report.Figures, title, note, prefix string) report.Table {
	names := contenders(figures)
	t := report.Table{Title: title, Note: note, Heads: append([]string{"data", "measured", "unit"}, names...)}
	for _, r := range rowsOf(figures, prefix) {
		_, unit := scaled(measure.Summary{}, r.unit)
		cells := []string{r.shape, strings.TrimPrefix(r.what, prefix+": "), unit}
		for _, name := range names {
			s, _ := scaled(find(figures, name, r), r.unit)
			cells = append(cells, report.Spread(s))
		}
		t.Add(cells...)
	}
	return t
}

// tables are all but the bars.
func tables(figures report.Figures) []report.Table {
	all := []report.Table{
		table(figures, toSink, "To a replica that only reads, so senders are compared. Memory is that of the primary's own process, at its peak above what it was "+
			"just before; a child that a peer forks is not counted.", toSink),
		table(figures, toReplica, "To another server of the same kind, on the same machine: the bytes of the file over the time until the replica serves what it got.", toReplica),
		table(figures, "restart", "From the start of the process until it answers with its data loaded.", "restart"),
		writesTable(figures),
		promotionTable(figures),
	}
	return slices.DeleteFunc(all, func(t report.Table) bool { return len(t.Rows) == 0 })
}

func writesTable(figures report.Figures) report.Table {
	names := contenders(figures)
	t := report.Table{
		Title: "thousand writes/s, pipeline 16",
		Note: "The server has one CPU, the client and the replica another. A replica reads and confirms what it has read, as if it were on another machine; " +
			"where it is a server of the same kind it takes a part of the client's CPU. Of neither: the ratio to the server's writes with neither a replica nor a file; " +
			"by CPU: the same for the same CPU time of the server.",
		Heads: []string{"beside the write"},
	}
	for _, name := range names {
		t.Heads = append(t.Heads, name, "of neither", "by CPU")
	}
	for _, m := range modes {
		cells, some := []string{m.name}, false
		for _, name := range names {
			s, _ := scaled(find(figures, name, writesRow(m.name, throughput, "1/s")), "1/s")
			some = some || s.Runs > 0
			plain, byCPU := share(figures, name, m.name)
			cells = append(cells, report.Spread(s), orMissing(plain), orMissing(byCPU))
		}
		if some {
			t.Add(cells...)
		}
	}
	return t
}

func writesRow(mode, what, unit string) row {
	return row{written.String(), written.members, len(written.memberPrefix()) + 12, mode + ": " + what, unit}
}

// share is what a server does in a mode of what it does alone, and that for the same CPU time; 0 if it was not measured.
func share(figures report.Figures, name, mode string) (plain, byCPU float64) {
	rate := func(mode string) (float64, float64) {
		per := find(figures, name, writesRow(mode, throughput, "1/s")).Median
		cores := find(figures, name, writesRow(mode, serverShare, "cores")).Median
		return per, ratio(per, cores)
	}
	one, oneCPU := rate(mode)
	base, baseCPU := rate(alone)
	return ratio(one, base), ratio(oneCPU, baseCPU)
}

func promotionTable(figures report.Figures) report.Table {
	t := report.Table{Title: "primary killed under load, replica promoted",
		Note:  "A client that remembers what was acknowledged judges what the replica has.",
		Heads: []string{"server", "mode", "runs", "acknowledged writes", "lost", "until promoted, ms"}}
	for _, name := range contenders(figures) {
		for _, mode := range []string{promotedSync, promotedAsync} {
			get := func(what, unit string) measure.Summary {
				k := key(name, shape{}, mode+": "+what, unit)
				f, _ := figures.Find(k)
				return f.Summary
			}
			if n := get(promotionRuns, ""); n.Runs > 0 {
				t.Add(name, strings.TrimPrefix(mode, "promotion, "), report.Short(n.Median), fmt.Sprintf("%.0f", get(ackedWrites, "").Median),
					fmt.Sprintf("%.0f", get(lostWrites, "").Median), report.Spread(get(promotionTook, "ms")))
			}
		}
	}
	return t
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func orMissing(v float64) string {
	if v == 0 {
		return report.Missing
	}
	return report.Short(v)
}
