package main

import (
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/hack/bench/workload"
)

// TestOperationsLeaveSetsAsTheyWere runs each operation of each contender: every set must have its size afterwards,
// or later operations would be of another size than they say.
func TestOperationsLeaveSetsAsTheyWere(t *testing.T) {
	forms, err := contender.Forms(contender.Names(), []float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // as measure.Pin does: times are those of a thread
	defer runtime.UnlockOSThread()
	for _, f := range forms {
		for _, size := range []int{100, 1000} {
			s := newSubject(request{Form: f, Members: size, MemberBytes: 13, Seed: 1})
			s.sets = s.sets[:50] // as many as an operation needs
			s.build(workload.Shuffled)
			for _, o := range operations {
				run := o.run
				if o.name == union {
					run = newUnions(s)
				}
				if size < o.least {
					continue
				}
				for range 2 {
					if took, times := run(s); took <= 0 || times <= 0 {
						t.Errorf("%v %d: %s took %v for %d", f, size, o.name, took, times)
					}
				}
				for i, set := range s.sets {
					if set.Len() != size {
						t.Fatalf("%v: after %s set %d has %d members instead of %d", f, o.name, i, set.Len(), size)
					}
				}
			}
			s.release()
		}
	}
}

func TestCollectorIsWatchedUnderTheLoadAskedFor(t *testing.T) {
	values, err := measureCollector(request{Form: contender.Form{Name: contender.Zset, P: 0.25}, Members: 1000, MemberBytes: 13,
		Load: load{Writes: 20_000, Garbage: 256, For: 200 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]float64{}
	for _, v := range values {
		seen[v.Measure] = v.Value
	}
	if rate := seen[writeRate]; rate < 2_000 || rate > 21_000 {
		t.Errorf("%v writes a second", rate)
	}
	if seen[gcCycles] < 1 || seen[gcShareUsed] <= 0 || seen[gcPause] <= 0 || seen[slowestInsert] <= 0 {
		t.Errorf("nothing was seen of the collector: %v", seen)
	}
}

func TestCommandLine(t *testing.T) {
	s, err := parse([]string{"-long", "-sizes", "100,1k,2M,10M", "-member-bytes", "13,20", "-p", "1/e,0.3", "-contenders", "zset,listpack", "-ops", "rank", "-runs", "2"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.sizes, []int{100, 1000, 2_000_000, 10_000_000}) || s.runs != 2 || s.budget != 50*time.Millisecond || !slices.Equal(s.operations, []string{"rank"}) {
		t.Errorf("%+v", s)
	}
	rounds, err := s.plan()
	if err != nil {
		t.Fatal(err)
	}
	// Listpacks are for small sets; members of 20 bytes are measured at 1/e alone.
	want := map[string]int{
		"sets of 100, members of 13 bytes": 3, "sets of 100, members of 20 bytes": 1, "sets of 2000000, members of 13 bytes": 2,
		"memory for the bars": 5, "garbage collector at 10000000 members": 1,
		"sets of 10000000, members of 13 bytes": 1,
	}
	runs := map[contender.Form]int{{Name: "zset", P: 1 / math.E}: 2}
	for _, r := range rounds {
		if r.title == "sets of 10000000, members of 13 bytes" {
			for _, q := range r.requests {
				if q.Runs != runs[q.Form] {
					t.Errorf("%v is measured %d times, want %d", q.Form, q.Runs, runs[q.Form])
				}
			}
		}
		if n, ok := want[r.title]; ok && n != len(r.requests) {
			t.Errorf("%s: %d requests, want %d", r.title, len(r.requests), n)
		}
		delete(want, r.title)
	}
	if len(want) > 0 {
		t.Errorf("not planned: %v", want)
	}
	for _, bad := range []string{"-sizes 0", "-sizes 1x", "-p 0.9", "-p 0", "-contenders none", "-ops none", "-parts none", "-short -long", "-report", "-resume", "-member-bytes 12", "extra"} {
		if _, err := parse(strings.Fields(bad), io.Discard); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestBars(t *testing.T) {
	var figures report.Figures
	put := func(name, p string, members, bytes int, what, unit string, v float64) {
		figures.Put(report.Figure{Key: report.Key{Contender: name, P: p, Members: members, MemberBytes: bytes, Measure: what, Unit: unit},
			Summary: measure.Summarize([]float64{v})})
	}
	put("zset-offheap", "1/e", 1_000_000, 13, insert, "ns", 500)
	put("zset", "1/e", 1_000_000, 13, insert, "ns", 700)
	put("yardstick", "1/e", 1_000_000, 13, insert, "ns", 1000)
	put("zset-offheap", "1/e", 10_000_000, 13, insert, "ns", 300)
	put("yardstick", "1/e", 10_000_000, 13, insert, "ns", 1000)
	put("zset-offheap", "1/e", 5_000_000, 20, held(bytesHeld, workload.Shuffled), "B", 33)
	put("zset-offheap", "0.25", 100_000, 20, held(bytesHeld, workload.Shuffled), "B", 25)
	seeds := report.Figures{}
	for name, bytes := range map[string]float64{"node": 40, "peer": 100} {
		seeds.Put(report.Figure{Key: report.Key{Contender: name, Members: 1000, Measure: "embedded: bytes per key of 16 bytes with 5 members", Unit: "B"},
			Summary: measure.Summarize([]float64{bytes})})
	}
	table := barTable(figures, seeds)
	got := map[string]string{}
	for _, row := range table.Rows {
		got[row[0]] = row[len(row)-1]
	}
	for what, met := range map[string]string{
		"insert against the yardstick, 1M members":                                           "yes",
		"insert against the yardstick, 1M members, Go heap":                                  "NO",
		"small key: 16-byte key, 5-member set, bytes beside key and members, against Valkey": "yes",
		"insert against the yardstick, 10M members":                                          "goal",
		"rank against the yardstick, 1M members":                                             "not measured",
		"skip list, P = 1/e, random, 5M members":                                             "NO",
		"skip list, P = 0.25, random, only 100k members":                                     "goal",
		"skip list, P = 0.25, in order, 5M members":                                          "not measured",
		"GC share of used CPU under 100k writes/s, 10M members":                              "not measured",
	} {
		if got[what] != met {
			t.Errorf("%s: met %q, want %q", what, got[what], met)
		}
	}
	if t.Failed() {
		t.Log("\n" + table.Text())
	}
}

// TestResume shows that what was measured of this commit is not measured again, and all else is.
func TestResume(t *testing.T) {
	q := request{Kind: operationTimes, Form: contender.Form{Name: contender.Zset, P: 0.5}, Members: 1000, MemberBytes: 13, Runs: 3}
	var figures report.Figures
	figures.Put(report.Figure{Key: keyOf(q.Form, 1000, 13, score, "ns"), Summary: measure.Summary{Runs: 3}, Commit: "abc"})
	more, fewer, other := q, q, q
	more.Runs, fewer.Runs = 5, 2
	other.Operations = []string{rank}
	for i, test := range []struct {
		q      request
		commit string
		want   bool
	}{{q, "abc", true}, {fewer, "abc", true}, {more, "abc", false}, {other, "abc", false}, {q, "def", false}} {
		if got := test.q.measured(figures, test.commit); got != test.want {
			t.Errorf("%d: measured %v, want %v", i, got, test.want)
		}
	}
}
