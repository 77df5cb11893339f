//go:build linux

package main

import (
	"io"
	"strings"
	"testing"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct{ args, err string }{
		{"", ""},
		{"-short -servers node -parts restart,sync", ""},
		{"-short -out x", "exclude each other"},
		{"-report", "need -out"},
		{"-parts nothing", "no part"},
		{"-servers other", "no server"},
		{"more", "unexpected argument"},
	} {
		s, err := parse(strings.Fields(c.args), io.Discard)
		if c.err == "" && (err != nil || s.rounds < 1 || len(s.shapes) != 2) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %+v, %v", c.args, s, err)
		}
	}
}

// TestBars judges figures that reach all bars, then those that reach none.
func TestBars(t *testing.T) {
	s := shape{sets: 1, members: 1000}
	figuresOf := func(good bool) (figures report.Figures) {
		pick := func(ours, theirs float64) float64 {
			if good {
				return ours
			}
			return theirs
		}
		put := func(k report.Key, v float64) {
			figures.Put(report.Figure{Key: k, Summary: measure.Summary{Median: v, Min: v, Max: v, Runs: 1}})
		}
		for _, how := range []string{toSink, toReplica} {
			put(key(nodeName, s, how+": "+bytesPer, "B/s"), pick(61, 59))
			put(key("redis", s, how+": "+bytesPer, "B/s"), 50)
			put(key("valkey", s, how+": "+bytesPer, "B/s"), 100)
			put(key(nodeName, s, how+": "+p99Before, "ms"), 1)
			put(key(nodeName, s, how+": "+p99During, "ms"), pick(2, 2.1))
			put(key(nodeName, s, how+": "+usedExtra, "B"), pick(80<<20, 81<<20))
			put(key(nodeName, s, how+": "+rssExtra, "B"), pick(80<<20, 81<<20))
		}
		for _, what := range []string{fromLog, fromBase} {
			put(key(nodeName, s, what, seconds), pick(3, 3.1))
			put(key("valkey", s, what, seconds), 3)
			put(key("redis", s, what, seconds), 4)
		}
		rate := func(mode string, v float64) {
			put(key(nodeName, written, mode+": "+throughput, "1/s"), v)
		}
		rate(alone, 100)
		rate("async replica", pick(85, 84))
		rate("everysec AOF", pick(85, 84))
		rate("sync replica", pick(60, 59))
		put(key(nodeName, shape{}, promotedSync+": "+promotionRuns, ""), 100)
		put(key(nodeName, shape{}, promotedSync+": "+lostWrites, ""), pick(0, 1))
		return figures
	}
	for _, good := range []bool{true, false} {
		want := map[bool]string{true: "yes", false: "NO"}[good]
		all := bars(figuresOf(good))
		if len(all) != 14 {
			t.Errorf("%d bars: %+v", len(all), all)
		}
		for _, b := range all {
			if b.met() != want {
				t.Errorf("%s, %s: %v of %v is %s, should be %s", b.what, b.of, b.value, b.limit, b.met(), want)
			}
		}
	}
	for _, b := range bars(nil) {
		if b.met() != "not measured" {
			t.Errorf("without figures: %+v is %s", b, b.met())
		}
	}
	if text := barTable(nil).Title; text == "" || len(tables(nil)) != 0 {
		t.Error("tables of nothing")
	}
	if all := tables(figuresOf(true)); len(all) != 5 {
		t.Errorf("%d tables", len(all))
	}
}
