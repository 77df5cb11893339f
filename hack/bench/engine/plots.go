package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/hack/bench/workload"
)

// savePlots draws the figures into a folder and gives the Markdown that shows the plots.
func savePlots(figures report.Figures, folder string) (markdown string, err error) {
	var b strings.Builder
	save := func(name string, p report.Plot) {
		if err != nil || len(p.Series) == 0 {
			return
		}
		file := "engine-" + strings.ReplaceAll(name, " ", "-") + ".svg"
		fmt.Fprintf(&b, "![%s](%s)\n\n", p.Title, file)
		err = p.Save(filepath.Join(folder, file))
	}
	bytes := firstMemberBytes(figures)
	// Contenders that have a P at 1/e; those of one family share a colour.
	all := func(row report.Key) (int, bool) { return family(row.Contender), row.P == "" || row.P == "1/e" }
	byP := func(row report.Key) (int, bool) {
		return family(row.Contender), row.Contender == contender.ZsetOffHeap || row.Contender == contender.Yardstick
	}
	for _, o := range operations {
		if o.name == union { // of one size
			continue
		}
		save(o.name, overSize(figures, bytes, o.name, "ns", "Time of an operation: "+o.name, "ns per operation", all))
	}
	for _, o := range []workload.Order{workload.Shuffled, workload.Ascending} {
		save("bytes "+string(o), overSize(figures, bytes, held(bytesHeld, o), "B",
			"Memory beside the member's own, scores "+string(o), "bytes per member", all))
	}
	for _, what := range []string{insert, rank} {
		save("p "+what, overSize(figures, bytes, what, "ns", "P of the skip list: "+what, "ns per operation", byP))
	}
	save("p bytes", overSize(figures, bytes, held(bytesHeld, workload.Shuffled), "B", "P of the skip list: memory", "bytes per member", byP))
	return b.String(), err
}

func family(name string) int {
	switch name {
	case contender.Zset, contender.ZsetOffHeap, contender.ZsetHuge, contender.Listpack, contender.ListpackSlot:
		return 0
	case contender.Yardstick, contender.YardstickHuge:
		return 1
	}
	for i, n := range contender.Names() {
		if n == name {
			return i - 5
		}
	}
	return 0
}

// overSize plots a measure over the size of sets for the rows that pick wants, each in the colour of its group.
func overSize(figures report.Figures, memberBytes int, what, unit, title, y string, pick func(report.Key) (group int, ok bool)) report.Plot {
	p := report.Plot{Title: title, X: "members in a set", Y: y, LogX: true, LogY: unit == "ns"}
	a := axesOf(figures, memberBytes, what)
	for _, row := range a.rows {
		group, ok := pick(row)
		if !ok {
			continue
		}
		series := report.Series{Name: rowName(row), Group: group}
		for _, size := range a.sizes {
			if f := find(figures, row, size, memberBytes, what, unit); f.Runs > 0 {
				series.Points = append(series.Points, report.Point{X: float64(size), Summary: f.Summary})
			}
		}
		if len(series.Points) > 0 {
			p.Series = append(p.Series, series)
		}
	}
	return p
}
