package main

import (
	"fmt"
	"math"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/hack/bench/workload"
	"zset.dev/operator/zset"
)

const bulkMembers = 100

// bulkRemovals are what is done to each set, and how many of its members that takes out.
var bulkRemovals = []struct {
	name    string
	removes int
	seen    string
}{
	{"ZREMRANGEBYSCORE of everything", bulkMembers, "+70 %"},
	{"ZPOPMIN of everything", bulkMembers, "+8 %"},
	{"ZREMRANGEBYSCORE of the lower half", bulkMembers / 2, report.Missing},
}

const (
	oneMove   = "one move"
	perMember = "per member"
)

var bulk = seed{
	name:  "bulk",
	title: "Range deletion in a listpack as one move",
	authors: "500,000 sets of 100 members; ZREMRANGEBYSCORE of everything and ZPOPMIN of everything, deleting the range at once instead of member by member. " +
		"Seen: 39.3 k → 68.1 k requests/s (+70 %), 21.5 k → 23.1 k (+8 %).",
	ours: "50,000 sets. The engine alone, so nothing of the network, of parsing and of replies is in it, which in a server is most of a request's time and does not change; that is " +
		"why the gain is so much larger. A pop here also reads all that it takes out, as the reply needs it. The lower half is added because removing everything leaves nothing to move.",
	requests: func(s settings) (requests []request) {
		n := 20_000
		if s.long {
			n = 50_000
		}
		for _, variant := range []string{perMember, oneMove} {
			requests = append(requests, request{Variant: variant, Form: contender.Form{Name: contender.Listpack}, Members: n, Bytes: 16, Runs: 3})
		}
		return requests
	},
	serve:  serveBulk,
	tables: bulkTables,
}

// serveBulk builds all sets before each removal. They are built in order, which is the fast way; a listpack's bytes
// are the same however they came to be.
func serveBulk(r request) (values []value, err error) {
	members := workload.NewMembers(r.Bytes)
	tuning, err := zset.NewTuning(zset.DefaultOptions())
	if err != nil {
		return nil, err
	}
	sets := make([]*zset.Set, r.Members)
	for kind, removal := range bulkRemovals {
		random := workload.Random(r.Random)
		var member []byte
		for i := range sets {
			sets[i] = zset.NewSeeded(tuning, r.Random)
			for j := range bulkMembers {
				member = members.Append(member[:0], j)
				if _, _, err := sets[i].Add(member, workload.Ascending.Score(random, j, bulkMembers), 0); err != nil {
					return nil, err
				}
			}
		}
		measure.Settled() // the garbage of the last sets is not collected while these are measured
		remove := remover(r.Variant, kind)
		left := 0
		began := measure.ThreadTime()
		for _, set := range sets {
			remove(set)
			left += set.Len()
		}
		took := measure.ThreadTime() - began
		if want := (bulkMembers - removal.removes) * len(sets); left != want {
			return nil, fmt.Errorf("%s: %d members are left instead of %d", removal.name, left, want)
		}
		values = append(values, value{r.Members, removal.name, "1/s", float64(len(sets)) / took.Seconds()})
	}
	return values, nil
}

// remover gives the way to do a removal.
func remover(variant string, kind int) func(*zset.Set) {
	everything := zset.ScoreRange{Min: math.Inf(-1), Max: math.Inf(1)}
	lower := zset.ScoreRange{Min: math.Inf(-1), Max: 0.5, MaxExclusive: true}
	read := func(s *zset.Set, r zset.Range) {
		for member, score := range s.Ascend(r) {
			sink += score + float64(len(member))
		}
	}
	// first removes a range's members one at a time.
	first := func(s *zset.Set, n int) {
		for range n {
			s.RemoveRange(zset.Range{Start: 0, End: 1})
		}
	}
	switch {
	case variant == oneMove && kind == 0:
		return func(s *zset.Set) { s.RemoveRange(s.ByScore(everything)) }
	case variant == oneMove && kind == 1:
		return func(s *zset.Set) {
			r := s.ByRank(0, bulkMembers-1)
			read(s, r)
			s.RemoveRange(r)
		}
	case variant == oneMove:
		return func(s *zset.Set) { s.RemoveRange(s.ByScore(lower)) }
	case kind == 0:
		return func(s *zset.Set) { first(s, s.ByScore(everything).Len()) }
	case kind == 1:
		return func(s *zset.Set) {
			for range bulkMembers {
				read(s, zset.Range{Start: 0, End: 1})
				first(s, 1)
			}
		}
	}
	return func(s *zset.Set) { first(s, s.ByScore(lower).Len()) }
}

func bulkTables(figures report.Figures) []report.Table {
	sizes := sizesOf(figures, oneMove, "bulk: "+bulkRemovals[0].name)
	if len(sizes) == 0 {
		return nil
	}
	n := sizes[len(sizes)-1]
	t := report.Table{Title: fmt.Sprintf("%s listpacks of %d members, 1000 requests/s", report.Count(n), bulkMembers),
		Note:  "Authors' scale: 500k sets.",
		Heads: []string{"request", perMember, oneMove, "change", "the authors'"}}
	for _, removal := range bulkRemovals {
		at := func(variant string) report.Figure {
			f, _ := figures.Find(report.Key{Contender: variant, Members: n, MemberBytes: 16, Measure: "bulk: " + removal.name, Unit: "1/s"})
			return f
		}
		t.Add(removal.name, report.Spread(scaled(at(perMember).Summary, 1e-3)), report.Spread(scaled(at(oneMove).Summary, 1e-3)),
			change(at(perMember), at(oneMove)), removal.seen)
	}
	return []report.Table{t}
}
