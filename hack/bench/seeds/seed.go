package main

import (
	"time"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/report"
)

// A seed is one of the proposals.
type seed struct {
	name  string
	title string
	// authors is what was proposed, how it was measured and what was seen.
	authors string
	// ours is how the method here differs.
	ours string
	// requests are to be run in turn.
	requests func(settings) []request
	// serve measures one, in a process of its own.
	serve func(request) ([]value, error)
	// tables show the figures.
	tables func(report.Figures) []report.Table
}

var seeds = []seed{growth, scores, bulk, embedded, packed}

// request is what a child process is to measure.
type request struct {
	Seed    string // name of the proposal
	Variant string // of the proposal's own
	Form    contender.Form
	Members int // of the set, or sets, as the proposal says
	Bytes   int
	Runs    int // at most, 0: as many as there are
	Random  uint64
	CPU     int
	Budget  time.Duration
	Addr    string // of a server
}

// value is one figure of one run.
type value struct {
	Members int
	Measure string
	Unit    string
	Value   float64
}

// key is under what a value is filed. A variant stands in the place of the contender, unless both say something.
func (r request) key(v value) report.Key {
	k := report.Key{Contender: r.Form.Name, Members: v.Members, MemberBytes: r.Bytes, Measure: r.Seed + ": " + v.Measure, Unit: v.Unit}
	if r.Form.P != 0 {
		k.P = contender.PText(r.Form.P)
	}
	if r.Form.Name == "" || r.Variant == oneMove || r.Variant == perMember {
		k.Contender = r.Variant
	}
	return k
}

// change says by how much a figure is above another, in percent with its sign.
func change(from, to report.Figure) string {
	if from.Runs == 0 || to.Runs == 0 || from.Median == 0 {
		return report.Missing
	}
	return signed(100 * (to.Median/from.Median - 1))
}
