//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/node/load"
	"zset.dev/operator/hack/bench/node/server"
	"zset.dev/operator/hack/bench/report"
)

// smaller are shapes of each kind that load at once.
var smaller = []shape{
	{kind: nothing, sets: 1}, {single, 2000, 1}, {several, 100, 50}, {several, 1000, 5}, {small, smallMembers, 1000},
	{purged, purgedMembers, 1000}, {pairs, unionMembers, 3},
}

// TestOperationsLeaveSetsAsTheyWere runs each operation on a node: every set must have its size afterwards, or later rows would be
// of another size than they say.
func TestOperationsLeaveSetsAsTheyWere(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := settings{servers: []string{nodeName}, conns: 2, seed: 1}
	programs, _, err := s.programs(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cpus, err := measure.CPUs()
	if err != nil {
		t.Fatal(err)
	}
	s.cpus = []int{cpus[0], cpus[len(cpus)-1]}
	b := bench{settings: s, figures: &report.Figures{}, progress: progress{last: time.Now().Add(time.Hour)}}
	for _, sh := range smaller {
		t.Run(sh.name(), func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			subjects, stop, err := b.start(t.Context(), programs)
			defer stop()
			if err != nil {
				t.Fatal(err)
			}
			subject := subjects[0]
			if err := sh.load(t.Context(), subject.bulk, func(float64) {}); err != nil {
				t.Fatal(err)
			}
			before := cards(t, subject.bulk, sh)
			checkLoaded(t, before, sh)
			for _, o := range operations {
				if !o.on(sh) {
					continue
				}
				for _, c := range []cell{{o, sh, oneCore, 1, false}, {o, sh, oneCore, 16, false}, {o, sh, oneCore, 1, true}} {
					if out, err := b.stint(t.Context(), c, subject, 5*time.Millisecond); err != nil || out.Commands == 0 || out.Elapsed <= 0 {
						t.Errorf("%s, pipeline %d, open %v: %d commands in %v, %v", o.name, c.pipeline, c.open, out.Commands, out.Elapsed, err)
					}
					if after := cards(t, subject.bulk, sh); !slices.Equal(after, before) {
						t.Fatalf("%s, pipeline %d: sets had %.100v members, now %.100v", o.name, c.pipeline, before, after)
					}
				}
			}
		})
	}
}

// cards are the sizes of all sets that are loaded.
func cards(t *testing.T, b *load.Bulk, s shape) (sizes []int) {
	sets := s.sets
	if s.kind == pairs {
		sets *= 2
	}
	for i := range sets {
		text, err := b.Ask("ZCARD", fmt.Sprintf("%s%012d", keyPrefix, i))
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(strings.Trim(text, ":\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, n)
	}
	return sizes
}

func checkLoaded(t *testing.T, sizes []int, s shape) {
	for i, n := range sizes {
		want := s.members
		if s.kind == pairs && i >= s.sets {
			want = 2 * s.members
		}
		if n != want {
			t.Fatalf("set %d has %d members instead of %d", i, n, want)
		}
	}
}

func TestCommandsInTurnTakeEachSetAndNoMemberTwice(t *testing.T) {
	for _, sets := range []int{1, 5000, 1_000_000} {
		s, seen := shape{several, 100, sets}, map[[2]int]bool{}
		inRound := map[int]bool{}
		for i := range min(2*sets, 100_000) {
			set, member := s.number(i)
			if set < 0 || set >= sets || member < s.members || seen[[2]int{set, member}] || inRound[set] {
				t.Fatalf("%d sets: command %d is about set %d, member %d", sets, i, set, member)
			}
			seen[[2]int{set, member}], inRound[set] = true, true
			if (i+1)%sets == 0 {
				clear(inRound)
			}
		}
	}
}

func TestPlan(t *testing.T) {
	for _, c := range []struct {
		args  string
		cells string // of the one-core placement, by shape
		err   string
	}{
		{"-rows ping", "–:3", ""},
		{"-rows zscore,zunionstore -sizes 1M,small -pipelines 16", "1M:2 1M sets of 5:2 200 × 400:2", ""},
		{"-rows zscore -sizes 1k,100k,10M", "500 sets of 1000:3 100k:3 10M:3", ""},
		{"-rows memory", "1M sets of 5:0 1M:0 10M:0", ""},
		{"-short -rows zpopmin,memory", "100k sets of 5:3 500 sets of 100:3 100k:3", ""},
		{"-rows what", "", "no row"},
		{"-sizes 1X", "", "a size is"},
		{"-sizes 250", "", "a size is"},
		{"-servers what", "", "no server"},
		{"-cores three", "", "cores are"},
		{"-append", "", "need -out"},
		{"-short -out x", "", "exclude"},
	} {
		s, err := parse(strings.Fields(c.args), io.Discard)
		if err != nil || c.err != "" {
			if c.err == "" || err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.args, err)
			}
			continue
		}
		parts, err := s.plan()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range parts {
			got = append(got, fmt.Sprintf("%s:%d", p.shape.name(), len(p.cells[oneCore])))
		}
		if strings.Join(got, " ") != c.cells {
			t.Errorf("%s: %v, want %s", c.args, got, c.cells)
		}
	}
}

// made are figures of a few cells, with the rates that are given for node, valkey and redis.
func made(t *testing.T) (figures report.Figures) {
	operation := func(name string) operation {
		return operations[slices.IndexFunc(operations, func(o operation) bool { return o.name == name })]
	}
	million, many := sized(1_000_000), shape{small, smallMembers, 1_000_000}
	put := func(c cell, client float64, rates ...float64) {
		for i, rate := range rates {
			o := outcome{Result: load.Result{Commands: int(rate), Elapsed: time.Second, CPU: time.Duration(client * float64(time.Second))},
				server: time.Second, wall: time.Second}
			values := o.values(c, []string{nodeName, "valkey", "redis"}[i])
			if err := figures.Take(1, 1, "abc", func(int, int) ([]report.Value, error) { return values, nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range []shape{million, many} {
		put(cell{operation("zrank"), s, oneCore, 16, false}, 0.4, 900e3, 600e3, 500e3)
		put(cell{operation("zrank"), s, oneCore, 1, false}, 0.9, 80e3, 90e3, 100e3)
		put(cell{operation("zrank"), s, bothCores, 16, false}, 0.5, 1350e3, 600e3, 500e3)
		put(cell{operation("zrank"), s, oneCore, 1, true}, 1, 20e3, 20e3, 20e3)
	}
	put(cell{operation("zscore"), million, oneCore, 16, false}, 0.4, 900e3, 600e3, 1000e3)
	for i, per := range []int{200, 500, 400} {
		values := memoryValues(many, []string{nodeName, "valkey", "redis"}[i], held{1000, 0}, held{1000 + per*many.sets, per * many.sets})
		if err := figures.Take(1, 1, "abc", func(int, int) ([]report.Value, error) { return values, nil }); err != nil {
			t.Fatal(err)
		}
	}
	return figures
}

func TestBarsAreJudgedByTheFasterPeer(t *testing.T) {
	table := barTable(made(t))
	got := table.Text()
	for _, want := range []string{
		"requests/s, pipeline 16 ≥ 1.00 1.50 3 2 2 0.90 1.50",
		"requests/s, pipeline 1 ≥ 0.85 1.00 2 0 0 0.80 0.80",
		"two cores over one, many sets, pipeline 16 ≥ 1.80 – 1 1 – 2.00 2.00", // 1.5 with half a core of two for the client
		"small key, used memory ≤ 0.60 – 1 1 – 0.37 0.37",                     // 119 of 319
	} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	missed := shortTable(made(t))
	if len(missed.Rows) != 3 {
		t.Errorf("short of the bar:\n%s", missed.Text())
	}
}

func TestReportsAreWrittenAndReadAgain(t *testing.T) {
	folder := t.TempDir()
	page := filepath.Join(folder, "node.md")
	markers := ""
	for _, name := range []string{"peers", "bars", "plots", "tables"} {
		markers += fmt.Sprintf("<!-- begin %s -->\n<!-- end %s -->\n", name, name)
	}
	if err := os.WriteFile(page, []byte(markers), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := parse([]string{"-out", folder}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.publish(made(t), "a machine", []string{"Valkey 9"}); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a machine", "Valkey 9", "### thousand requests/s, one core, pipeline 16", "### latency under a fixed load", "node-zrank.svg", "### bytes of memory"} {
		if !strings.Contains(string(first), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "node-zrank.svg")); err != nil {
		t.Error(err)
	}
	again, err := report.ReadCSV(s.csv())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.publish(again, "a machine", []string{"Valkey 9"}); err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(page); err != nil || string(second) != string(first) {
		t.Errorf("the page from the CSV differs: %v\n%s", err, second)
	}
}

func TestServersLeaveNothing(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := settings{servers: []string{nodeName}}
	programs, _, err := s.programs(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	cpus, err := measure.CPUs()
	if err != nil {
		t.Fatal(err)
	}
	one, err := server.Start(t.Context(), programs[0], cpus[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Pause(); err != nil {
		t.Error(err)
	}
	if used, err := one.CPUTime(); err != nil || used <= 0 {
		t.Errorf("CPU time %v, %v", used, err)
	}
	if n, err := one.Resident(); err != nil || n < 1<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := one.Ended(); err != nil {
		t.Errorf("a server that is paused has ended: %v", err)
	}
	one.Stop()
	if err := one.Ended(); err == nil {
		t.Error("a stopped server has not ended")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := server.Start(ctx, programs[0], cpus[0]); err == nil {
		t.Error("a server was started after the end")
	}
	if _, err := server.Start(t.Context(), server.Program{Name: "none", Path: "/bin/false"}, cpus[0]); err == nil {
		t.Error("a program that ends was taken for a server")
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDisturbanceIsTold(t *testing.T) {
	// In made the servers have all of their core, and the client of unpipelined rows nearly all of its own.
	figures := made(t)
	if text := disturbance(figures); text != "" {
		t.Errorf("an undisturbed run is said to be disturbed: %s", text)
	}
	for i, f := range figures {
		if _, l, what, ok := splitMeasure(f.Key); ok && l == (loop{oneCore, pipelined(16)}) && what == serverShare && f.Contender == "redis" {
			figures[i].Median = 0.5
		}
	}
	if text := disturbance(figures); !strings.Contains(text, "3 of 15 rows") {
		t.Errorf("with three disturbed rows it says %q", text)
	}
}
