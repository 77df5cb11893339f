package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/workload"
)

// settings are what the user asked for.
type settings struct {
	long        bool
	sizes       []int
	memberSizes []int
	ps          []float64
	contenders  []string
	operations  []string
	kinds       []string
	runs        int
	budget      time.Duration
	seed        uint64
	cpu         int
	load        load
	gcMembers   int
	barMembers  int
	out         string
	keep        bool
	resume      bool
	report      bool
	against     string
}

const (
	barMemberBytes      = 20
	listpackMembers     = 100
	listpackMemberBytes = 16
)

// parse reads the command line.
func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("engine", flag.ContinueOnError)
	f.SetOutput(stderr)
	short := f.Bool("short", false, "the short form: sets of up to 100k members, three runs (the default)")
	f.BoolVar(&s.long, "long", false, "the long form: sets of up to 10M members, five runs")
	sizes := f.String("sizes", "", "members of a set, e.g. 100,1k,1M (default 100,1k,100k; long: also 1M,10M)")
	memberSizes := f.String("member-bytes", "", "bytes of a member, 13 or more (default 13; others than the first for P = 1/e only)")
	ps := f.String("p", "0.25,1/e,0.5", "P of the skip lists that have one")
	contenders := f.String("contenders", "", "of: "+strings.Join(contender.Names(), ",")+" (default all)")
	ops := f.String("ops", "", "of: "+strings.Join(operationNames(), ",")+" (default all)")
	kinds := f.String("parts", "operations,memory,collector", "which parts to measure")
	f.IntVar(&s.runs, "runs", 0, "runs of each (default 3; long: 5, of some fewer)")
	f.DurationVar(&s.budget, "budget", 0, "time for each operation in a run (default 10ms; long: 50ms)")
	f.Uint64Var(&s.seed, "seed", 1, "of the first run; each run has the next one")
	f.IntVar(&s.cpu, "cpu", -1, "CPU to measure on (default: the last)")
	f.IntVar(&s.load.Writes, "gc-writes", 100_000, "writes a second while the collector is watched")
	f.IntVar(&s.load.Garbage, "gc-garbage", 256, "bytes of garbage made with each of these writes")
	f.DurationVar(&s.load.For, "gc-time", 0, "for how long the collector is watched (default 2s; long: 10s)")
	f.StringVar(&s.out, "out", "", "folder with README.md to write tables, CSV and plots to (default: only standard output)")
	f.BoolVar(&s.keep, "append", false, "keep the figures in -out that are not measured again")
	f.BoolVar(&s.resume, "resume", false, "go on with an interrupted measurement into -out: measure what it lacks of this commit")
	f.BoolVar(&s.report, "report", false, "measure nothing, write the reports from the figures in -out")
	f.StringVar(&s.against, "against", "", "an engine.csv of another day: show what has changed since")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if f.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if *short && s.long {
		return s, fmt.Errorf("-short and -long exclude each other")
	}
	s.complete()
	var err error
	given := func(text string, set func(string) error) {
		if err == nil && text != "" {
			err = set(text)
		}
	}
	given(*sizes, func(t string) (e error) { s.sizes, e = list(t, parseCount); return e })
	given(*memberSizes, func(t string) (e error) { s.memberSizes, e = list(t, parseCount); return e })
	given(*ps, func(t string) (e error) { s.ps, e = list(t, parseP); return e })
	given(*contenders, func(t string) (e error) { s.contenders, e = list(t, oneOf(contender.Names())); return e })
	given(*ops, func(t string) (e error) { s.operations, e = list(t, oneOf(operationNames())); return e })
	given(*kinds, func(t string) (e error) {
		s.kinds, e = list(t, oneOf([]string{string(operationTimes), string(memoryOnly), string(collectorCost)}))
		return e
	})
	if err == nil && (s.report || s.resume) && s.out == "" {
		err = fmt.Errorf("-report and -resume need -out")
	}
	for _, size := range s.memberSizes {
		if err == nil && size < workload.LeastBytes {
			err = fmt.Errorf("members have at least %d bytes", workload.LeastBytes)
		}
	}
	return s, err
}

// complete fills in what the form says and the user has not.
func (s *settings) complete() {
	s.contenders = contender.Names()
	s.sizes, s.memberSizes, s.gcMembers, s.barMembers = []int{100, 1000, 100_000}, []int{13}, 100_000, 100_000
	runs, budget, watch := 3, 10*time.Millisecond, 2*time.Second
	if s.long {
		s.sizes, s.gcMembers, s.barMembers = append(s.sizes, 1_000_000, 10_000_000), 10_000_000, 5_000_000
		runs, budget, watch = 5, 50*time.Millisecond, 10*time.Second
	}
	if s.runs <= 0 {
		s.runs = runs
	}
	if s.budget <= 0 {
		s.budget = budget
	}
	if s.load.For <= 0 {
		s.load.For = watch
	}
}

func list[T any](text string, parse func(string) (T, error)) (values []T, err error) {
	for word := range strings.SplitSeq(text, ",") {
		v, err := parse(strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// parseCount reads 100, 1k, 10M.
func parseCount(word string) (int, error) {
	digits, unit := strings.TrimSuffix(word, "k"), 1000
	if digits == word {
		digits, unit = strings.TrimSuffix(word, "M"), 1_000_000
	}
	if digits == word {
		unit = 1
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 1_000_000_000/unit {
		return 0, fmt.Errorf("not a number of members or bytes: %q", word)
	}
	return n * unit, nil
}

func parseP(word string) (float64, error) {
	if word == "1/e" {
		return 1 / math.E, nil
	}
	p, err := strconv.ParseFloat(word, 64)
	if err != nil || !(p > 0 && p <= 0.75) {
		return 0, fmt.Errorf("a P is 1/e or greater than 0 and at most 0.75, not %q", word)
	}
	return p, nil
}

func oneOf(words []string) func(string) (string, error) {
	return func(word string) (string, error) {
		if !slices.Contains(words, word) {
			return "", fmt.Errorf("%q is none of: %s", word, strings.Join(words, ", "))
		}
		return word, nil
	}
}

// A round is requests that take turns: each is run once, then each that has more runs once more, and so on.
type round struct {
	title    string
	requests []request
}

// runs are the most that a request has.
func (r round) runs() (most int) {
	for _, q := range r.requests {
		most = max(most, q.Runs)
	}
	return most
}

// plan says what is to be measured, in order. What is compared to judge the engine comes in one round.
func (s *settings) plan() (rounds []round, err error) {
	forms, err := contender.Forms(s.contenders, s.ps)
	if err != nil {
		return nil, err
	}
	has := func(k requestKind) bool { return slices.Contains(s.kinds, string(k)) }
	for _, size := range s.sizes {
		for i, bytes := range s.memberSizes {
			of := fmt.Sprintf("sets of %d, members of %d bytes", size, bytes)
			ours, peers, ascending := round{title: of}, round{title: of + ", peers"}, round{title: "memory of " + of + ", in order"}
			for _, f := range forms {
				if !f.Takes(size) || i > 0 && f.P != 1/math.E {
					continue
				}
				turn := &peers
				if f.Accounts() {
					turn = &ours
				}
				turn.add(s.request(operationTimes, f, size, bytes, workload.Shuffled))
				ascending.add(s.request(memoryOnly, f, size, bytes, workload.Ascending))
			}
			if has(operationTimes) {
				rounds = append(rounds, ours, peers)
			}
			if has(memoryOnly) {
				rounds = append(rounds, ascending)
			}
		}
	}
	if has(memoryOnly) {
		rounds = append(rounds, s.barMemory(forms))
	}
	if has(collectorCost) {
		r := round{title: fmt.Sprintf("garbage collector at %d members", s.gcMembers)}
		for _, f := range forms {
			// The engine, and one made of pointers to show the difference.
			if isZset(f) && f.P == 1/math.E || f.Name == "tidwall-btree" {
				r.add(s.request(collectorCost, f, s.gcMembers, s.memberSizes[0], workload.Shuffled))
			}
		}
		rounds = append(rounds, r)
	}
	for i := range rounds {
		rounds[i].requests = slices.DeleteFunc(rounds[i].requests, func(q request) bool { return q.Runs == 0 })
	}
	return slices.DeleteFunc(rounds, func(r round) bool { return len(r.requests) == 0 }), nil
}

func isZset(f contender.Form) bool {
	return f.Name == contender.Zset || f.Name == contender.ZsetOffHeap
}

// barMemory is what the bars of memory are about.
func (s *settings) barMemory(forms []contender.Form) round {
	r := round{title: "memory for the bars"}
	for _, f := range forms {
		switch {
		case f.Name == contender.Listpack, f.Name == contender.ListpackSlot:
			r.add(s.request(memoryOnly, f, listpackMembers, listpackMemberBytes, workload.Shuffled))
		case isZset(f), f == contender.Form{Name: contender.Yardstick, P: 1 / math.E}:
			for _, o := range orders {
				r.add(s.request(memoryOnly, f, s.barMembers, barMemberBytes, o))
			}
		}
	}
	return r
}

func (r *round) add(q request) { r.requests = append(r.requests, q) }

func (s *settings) request(k requestKind, f contender.Form, members, bytes int, o workload.Order) request {
	q := request{Kind: k, Form: f, Members: members, MemberBytes: bytes, Order: o,
		CPU: s.cpu, Budget: s.budget, Operations: s.operations, Load: s.load}
	q.Runs = s.runsOf(q)
	return q
}

const (
	// largeSet is the size from which to make a set takes seconds, hugeSet that from which it takes most of a minute.
	largeSet = 1_000_000
	hugeSet  = 10_000_000
)

// runsOf is how often a request is measured: what the engine is judged by as often as was asked for, other things less, where
// sets are large once, so that all of it ends in half an hour. 0: not at all.
func (s *settings) runsOf(q request) int {
	few, one := min(s.runs, 3), 1
	judged := q.Form.P == 1/math.E && (isZset(q.Form) || q.Form.Name == contender.Yardstick)
	ours := q.Form.Name == contender.ZsetOffHeap || q.Form.Name == contender.ListpackSlot
	switch q.Kind {
	case memoryOnly: // which hardly varies
		switch {
		case q.Members < largeSet, ours && q.Form.P != 0.5:
			return few
		case q.Members < hugeSet, isZset(q.Form) && judged:
			return one
		}
		return 0
	case collectorCost:
		if isZset(q.Form) {
			return few
		}
		return one
	}
	switch {
	case judged, ours && q.Members < hugeSet:
		return s.runs
	case ours, q.Members < hugeSet:
		return few
	case q.Form.Name == contender.Zset: // at other P than that of the bars
		return 0
	}
	return one
}
