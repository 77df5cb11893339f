package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/hack/bench/workload"
)

const (
	growthSteps = 10
	insertRate  = "inserts"
	bytesInAll  = "bytes in all"
)

var growthPs = []float64{0.25, 1 / math.E, 0.5}

var growth = seed{
	name:  "p",
	title: "Skip list with P = 1/e",
	authors: "One sorted set is grown to 10 M members by ZADD, requests/s and memory recorded along the way, P = 0.25 against 1/e. Seen: " +
		"1/e 9.55 % faster and 3.28 % larger (libc's allocator), 3.69 % faster and 4.46 % larger (jemalloc).",
	ours: "The engine alone, without a server around it, so the share of time that P decides is larger. " +
		"The yardstick has one member in a node as the authors' list has; in the engine P thins towers of blocks.",
	requests: func(s settings) (requests []request) {
		n := 500_000
		if s.long {
			n = 10_000_000
		}
		for _, name := range []string{contender.Zset, contender.Yardstick} {
			for _, p := range growthPs {
				r := request{Form: contender.Form{Name: name, P: p}, Members: n, Bytes: workload.LeastBytes}
				switch { // each takes from a third of a minute to most of one
				case s.long && name == contender.Zset && p != 0.5:
					r.Runs = 2
				case s.long:
					r.Runs = 1
				}
				requests = append(requests, r)
			}
		}
		return requests
	},
	serve:  serveGrowth,
	tables: growthTables,
}

func serveGrowth(r request) (values []value, err error) {
	const batch = 1000
	random, members := workload.Random(r.Random), workload.NewMembers(r.Bytes)
	set := r.Form.New(r.Random)
	var keys []byte
	var at [batch]float64
	done := 0
	for step := 1; step <= growthSteps; step++ {
		from, until := done, r.Members/growthSteps*step
		var took time.Duration
		for done < until {
			n := min(batch, until-done)
			keys = keys[:0]
			for i := range n {
				keys = members.Append(keys, done+i)
				at[i] = random.Float64()
			}
			began := measure.ThreadTime()
			for i := range n {
				set.Add(keys[i*r.Bytes:(i+1)*r.Bytes], at[i])
			}
			took += measure.ThreadTime() - began
			done += n
		}
		values = append(values,
			value{done, insertRate, "1/s", float64(done-from) / took.Seconds()},
			value{done, bytesInAll, "B", float64(set.Bytes())})
	}
	set.Release()
	return values, nil
}

func growthTables(figures report.Figures) (tables []report.Table) {
	for _, name := range []string{contender.Zset, contender.Yardstick} {
		sizes := sizesOf(figures, name, "p: "+insertRate)
		if len(sizes) == 0 {
			continue
		}
		t := report.Table{Title: name + " grown to " + report.Count(sizes[len(sizes)-1]) + " members", Heads: []string{"members"}}
		for _, p := range growthPs {
			t.Heads = append(t.Heads, "1000 inserts/s, "+contender.PText(p))
		}
		for _, p := range growthPs {
			t.Heads = append(t.Heads, "MB, "+contender.PText(p))
		}
		at := func(p float64, n int, what, unit string) report.Figure {
			f, _ := figures.Find(report.Key{Contender: name, P: contender.PText(p), Members: n, MemberBytes: workload.LeastBytes, Measure: "p: " + what, Unit: unit})
			return f
		}
		var faster, larger [3][]float64
		for _, n := range sizes {
			cells := []string{report.Count(n)}
			for i, p := range growthPs {
				f := at(p, n, insertRate, "1/s")
				cells = append(cells, report.Spread(scaled(f.Summary, 1e-3)))
				faster[i] = append(faster[i], f.Median)
			}
			for i, p := range growthPs {
				f := at(p, n, bytesInAll, "B")
				cells = append(cells, report.Short(f.Median/1e6))
				larger[i] = append(larger[i], f.Median)
			}
			t.Add(cells...)
		}
		cells := []string{"whole growth, against 0.25"}
		for i := range growthPs {
			cells = append(cells, signed(100*(wholeRate(faster[i])/wholeRate(faster[0])-1)))
		}
		for i := range growthPs {
			last := len(sizes) - 1
			cells = append(cells, signed(100*(larger[i][last]/larger[0][last]-1)))
		}
		t.Add(cells...)
		tables = append(tables, t)
	}
	return tables
}

// wholeRate is the rate over steps of the same size, each done at its own.
func wholeRate(rates []float64) float64 {
	var took float64
	for _, r := range rates {
		took += 1 / r
	}
	return float64(len(rates)) / took
}

// sizesOf are the sizes at which something was measured, ascending.
func sizesOf(figures report.Figures, name, what string) (sizes []int) {
	for _, f := range figures {
		if f.Contender == name && f.Measure == what && !slices.Contains(sizes, f.Members) {
			sizes = append(sizes, f.Members)
		}
	}
	slices.Sort(sizes)
	return sizes
}

func scaled(s measure.Summary, by float64) measure.Summary {
	s.Median *= by
	s.Min *= by
	s.Max *= by
	return s
}

// signed is a percentage with its sign.
func signed(percent float64) string {
	if math.IsNaN(percent) || math.IsInf(percent, 0) {
		return report.Missing
	}
	return fmt.Sprintf("%+s %%", withSign(percent))
}

func withSign(v float64) string {
	text := strconv.FormatFloat(v, 'f', 1, 64)
	if v >= 0 {
		text = "+" + text
	}
	return text
}

// growthPlot draws the rates over the number of members.
func growthPlot(figures report.Figures) report.Plot {
	p := report.Plot{Title: "A set grown by inserts", X: "members", Y: "inserts per second"}
	for group, name := range []string{contender.Zset, contender.Yardstick} {
		for _, at := range growthPs {
			series := report.Series{Name: name + " " + contender.PText(at), Group: group}
			for _, f := range figures {
				if f.Contender == name && f.P == contender.PText(at) && f.Measure == "p: "+insertRate {
					series.Points = append(series.Points, report.Point{X: float64(f.Members), Summary: f.Summary})
				}
			}
			if len(series.Points) > 0 {
				p.Series = append(p.Series, series)
			}
		}
	}
	return p
}
