//go:build linux

package main

import (
	"fmt"
	"strings"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
)

// A bar is what the node is to reach, as a ratio; at least, or of memory at most.
type bar struct{ bar, goal float64 }

var (
	pipelinedBar   = bar{1.0, 1.5}
	unpipelinedBar = bar{0.85, 1.0}
	coresBar       = bar{1.8, 0}
	smallKeyBar    = bar{0.6, 0}
)

// short is the word for a ratio that does not reach its bar.
const short = "NO"

// met says in a word whether a ratio reaches a bar.
func (b bar) met(ratio float64) string {
	switch {
	case ratio == 0:
		return "not measured"
	case b.goal > 0 && ratio >= b.goal:
		return "goal"
	case ratio >= b.bar:
		return "yes"
	}
	return short
}

func (b bar) metAtMost(ratio float64) string {
	switch {
	case ratio == 0:
		return "not measured"
	case ratio <= b.bar:
		return "yes"
	}
	return short
}

// barOf is the bar for speed of a loop.
func barOf(l loop) bar {
	if l.sent == pipelined(1) {
		return unpipelinedBar
	}
	return pipelinedBar
}

// judged are the rows and the ratios that bars are about.
type judged struct {
	what   string
	about  bar
	atMost bool
	rows   []string
	ratios []float64
}

func (j *judged) add(name string, ratio float64) {
	if ratio > 0 {
		j.rows, j.ratios = append(j.rows, name), append(j.ratios, ratio)
	}
}

// barTable says of how many rows each bar is met, and which fall short of it.
func barTable(figures report.Figures) report.Table {
	t := report.Table{
		Title: "bars of the node",
		Note: "Ratios are of the medians: the node's over the faster peer's in the same rows, each server on one core; its own over both cores to that " +
			"over one, with what the client took of them left out; and its bytes over those of the smaller peer.",
		Heads: []string{"bar", "ratio", "goal", "rows", "reach it", "reach the goal", "least", "greatest"},
	}
	for _, j := range allJudged(figures) {
		reach, goal := 0, 0
		var all measure.Summary
		for _, ratio := range j.ratios {
			switch j.met(ratio) {
			case "goal":
				goal++
				reach++
			case "yes":
				reach++
			}
		}
		if len(j.ratios) > 0 {
			all = measure.Summarize(j.ratios)
		}
		goalText, goals := report.Missing, report.Missing
		if j.about.goal > 0 {
			goalText, goals = report.Short(j.about.goal), fmt.Sprint(goal)
		}
		t.Add(j.what, j.sign()+report.Short(j.about.bar), goalText, fmt.Sprint(len(j.ratios)), fmt.Sprint(reach), goals,
			report.Short(all.Min), report.Short(all.Max))
	}
	return t
}

// shortTable has the rows that do not reach their bar.
func shortTable(figures report.Figures) report.Table {
	t := report.Table{Title: "short of the bar", Heads: []string{"row", "bar", "ratio"}}
	for _, j := range allJudged(figures) {
		for i, ratio := range j.ratios {
			if j.met(ratio) == short {
				t.Add(j.rows[i], j.what+": "+j.sign()+report.Short(j.about.bar), report.Short(ratio))
			}
		}
	}
	return t
}

func allJudged(figures report.Figures) []judged {
	return []judged{speed(figures, 16), speed(figures, 1), scaling(figures), smallKeys(figures, usedPer), smallKeys(figures, residentPer)}
}

func (j *judged) met(ratio float64) string {
	if j.atMost {
		return j.about.metAtMost(ratio)
	}
	return j.about.met(ratio)
}

func (j *judged) sign() string {
	if j.atMost {
		return "≤ "
	}
	return "≥ "
}

func speed(figures report.Figures, pipeline int) judged {
	l := loop{oneCore, pipelined(pipeline)}
	j := judged{what: "requests/s, " + l.sent, about: barOf(l)}
	for _, r := range rowsOf(figures, func(other loop) bool { return other == l }) {
		_, peer := fasterPeer(figures, r, l)
		j.add(r.operation+" "+r.shape, ratio(find(figures, nodeName, r, l, throughput, perSecond), peer))
	}
	return j
}

// scaling is about keys that do not depend on each other.
func scaling(figures report.Figures) judged {
	j := judged{what: "two cores over one, many sets, pipeline 16", about: coresBar}
	for _, r := range independent(figures) {
		_, _, corrected := gain(figures, nodeName, r, pipelined(16))
		j.add(r.operation+" "+r.shape, corrected)
	}
	return j
}

// independent are the rows of many sets that were measured in both placements.
func independent(figures report.Figures) (rows []row) {
	for _, r := range rowsOf(figures, func(l loop) bool { return l.placement == bothCores }) {
		if strings.Contains(r.shape, "sets of") {
			rows = append(rows, r)
		}
	}
	return rows
}

// gain is the rate over both cores to that on one; raw, with the cores that the client took beside it; and for the server alone:
// what it would be had the server had all of two cores, as it had all of one.
func gain(figures report.Figures, server string, r row, sent string) (raw, client, corrected float64) {
	one, both := loop{oneCore, sent}, loop{bothCores, sent}
	raw = ratio(find(figures, server, r, both, throughput, perSecond), find(figures, server, r, one, throughput, perSecond))
	client = find(figures, server, r, both, clientShare, cores).Median
	return raw, client, raw * 2 / (2 - client)
}

func smallKeys(figures report.Figures, what string) judged {
	j := judged{what: "small key, " + what, about: smallKeyBar, atMost: true}
	for _, m := range memoryRows(figures) {
		if m.small() {
			_, peer := m.smallerPeer(figures, what)
			j.add(m.name, ratio(m.find(figures, nodeName, what), peer))
		}
	}
	return j
}
