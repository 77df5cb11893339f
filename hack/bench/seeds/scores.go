package main

import (
	"fmt"
	"math"
	"time"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/hack/bench/workload"
)

const (
	smallSet = 201
	largeSet = 401
)

var scores = seed{
	name:  "score",
	title: "Score stored directly",
	authors: "A server on 4 cores, client on 3, pipeline 10: ZADD, ZSCORE and ZRANK … WITHSCORE of one member of a set of 201, and set operations on " +
		"sets of 201 and 401 members named alike. The score sits in the member's dictionary entry instead of behind a pointer to the list's node. " +
		"Seen: ZRANK +2.14 %, ZSCORE +1.73 %, ZADD +0.8 %, set operations unchanged.",
	ours: "The engine alone, the large set of 1 M members instead of 10 M; a server's other work for a command is not in it, so shares are larger than theirs. The two compared are the yardstick, whose index " +
		"leads to what holds the score, and the same list with members apart from nodes (`yardstick-indirect`), whose score is one dereference further. " +
		"One member of a set of 201 stays in the first cache; the lookups in a large set show what the dereference costs where it misses. " +
		"`zset` is this engine, for which the score is with the member as well.",
	requests: func(s settings) (requests []request) {
		n := 300_000
		if s.long {
			n = 1_000_000
		}
		for _, name := range []string{contender.YardstickIndirect, contender.Yardstick, contender.Zset} {
			requests = append(requests, request{Form: contender.Form{Name: name, P: 0.25}, Members: n, Bytes: workload.LeastBytes})
		}
		return requests
	},
	serve:  serveScores,
	tables: scoreTables,
}

// scoreOperations are what is measured, and the change that the authors saw.
var scoreOperations = []struct{ name, seen string }{
	{"ZADD, growing one set", "+0.8 %"},
	{"ZSCORE, one of 201", "+1.73 %"},
	{"ZRANK WITHSCORE, one of 201", "+2.14 %"},
	{"ZINTERSTORE 201x401", "unchanged"},
	{"ZUNIONSTORE 201x401", "unchanged"},
	{"ZDIFFSTORE 201x401", "unchanged"},
	{"ZINTER 201x401", "unchanged"},
	{"ZUNION 201x401", "unchanged"},
	{"ZDIFF 201x401", "unchanged"},
	{"ZSCORE, any of the large set", report.Missing},
	{"ZRANK WITHSCORE, any of the large set", report.Missing},
}

// sink takes results, so that the compiler cannot leave out what made them.
//
//lint:ignore U1000 for just that
var sink float64

func serveScores(r request) (values []value, err error) {
	members, random := workload.NewMembers(r.Bytes), workload.Random(r.Random)
	note := func(i int, n int, took time.Duration, times int) {
		values = append(values, value{n, scoreOperations[i].name, "ns", float64(took.Nanoseconds()) / float64(times)})
	}

	small, large := r.Form.New(r.Random), r.Form.New(r.Random)
	var member []byte
	for i := range largeSet {
		member = members.Append(member[:0], i)
		if i < smallSet {
			small.Add(member, float64(i))
		}
		large.Add(member, float64(i))
	}
	member = members.Append(member[:0], smallSet/2)
	lookup := func(n int) {
		for range n {
			at, _ := small.Score(member)
			sink += at
		}
	}
	rank := func(n int) {
		for range n {
			at, _ := small.Score(member)
			sink += float64(small.Rank(member)) + at
		}
	}
	set := func(make func(a, b contender.Set, seed uint64) contender.Set, reply bool) func(int) {
		return func(n int) {
			for i := range n {
				result := make(small, large, uint64(i))
				if reply && result.Len() > 0 {
					_, sum := result.SumRanks(0, result.Len())
					sink += sum
				}
				result.Release()
			}
		}
	}
	for i, run := range []func(int){lookup, rank,
		set(r.Form.Inter, false), set(r.Form.Union, false), set(r.Form.Diff, false),
		set(r.Form.Inter, true), set(r.Form.Union, true), set(r.Form.Diff, true)} {
		took, times := timed(r.Budget, run)
		note(i+1, smallSet, took, times)
	}

	grown := r.Form.New(r.Random)
	const batch = 1000
	var keys []byte
	prepare := func(number func(i int) int) {
		keys = keys[:0]
		for i := range batch {
			keys = members.Append(keys, number(i))
		}
	}
	key := func(i int) []byte { return keys[i*r.Bytes : (i+1)*r.Bytes] }
	var took time.Duration
	for done := 0; done < r.Members; done += batch {
		prepare(func(i int) int { return done + i })
		began := measure.ThreadTime()
		for i := range batch {
			grown.Add(key(i), random.Float64())
		}
		took += measure.ThreadTime() - began
	}
	note(0, r.Members, took, r.Members)
	any := func(int) int { return random.IntN(r.Members) }
	for op, run := range map[int]func([]byte){
		9:  func(m []byte) { at, _ := grown.Score(m); sink += at },
		10: func(m []byte) { at, _ := grown.Score(m); sink += float64(grown.Rank(m)) + at },
	} {
		var took time.Duration
		times := 0
		for took < r.Budget {
			prepare(any)
			began := measure.ThreadTime()
			for i := range batch {
				run(key(i))
			}
			took += measure.ThreadTime() - began
			times += batch
		}
		note(op, r.Members, took, times)
	}
	small.Release()
	large.Release()
	grown.Release()
	return values, nil
}

// timed runs something for the budget, after a tenth of it to warm up and find out how often.
func timed(budget time.Duration, run func(n int)) (time.Duration, int) {
	n := 1
	for {
		began := measure.ThreadTime()
		run(n)
		if took := measure.ThreadTime() - began; took >= budget/10 {
			n = int(math.Ceil(float64(n) * float64(budget) / float64(took)))
			break
		}
		n *= 4
	}
	began := measure.ThreadTime()
	run(n)
	return measure.ThreadTime() - began, n
}

func scoreTables(figures report.Figures) []report.Table {
	t := report.Table{Title: "score behind a pointer and stored directly, P = 0.25, ns per operation",
		Heads: []string{"operation", "members", "behind a pointer", "directly", "rate", "the authors'", "zset"}}
	for _, op := range scoreOperations {
		at := func(name string) report.Figure {
			// The largest set, where figures of several forms were kept.
			var best report.Figure
			for _, f := range figures {
				if f.Contender == name && f.Measure == "score: "+op.name && f.Members > best.Members {
					best = f
				}
			}
			return best
		}
		behind, direct, zset := at(contender.YardstickIndirect), at(contender.Yardstick), at(contender.Zset)
		if behind.Runs == 0 {
			continue
		}
		// Rates are the inverse of times.
		t.Add(op.name, report.Count(behind.Members), report.Spread(behind.Summary), report.Spread(direct.Summary), change(direct, behind),
			op.seen, report.Spread(zset.Summary))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Note = fmt.Sprintf("Members of %d bytes.", workload.LeastBytes)
	return []report.Table{t}
}
