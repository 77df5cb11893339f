package zset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// overlap makes two sets of which half of the smaller one's members are in the larger one too, with random scores
// of kinds that a cache sees: whole numbers when they are few, times when they are many.
func overlap(small, large int) (a, b *Set) {
	r := rand.New(rand.NewPCG(1, 2))
	make := func(from, members int) *Set {
		s := NewSeeded(nil, 1)
		for i := range members {
			score := float64(r.IntN(members))
			if members > 1000 {
				score = 1.7e9 + r.Float64()*1e6
			}
			s.Add(fmt.Appendf(nil, "member:%013d", from+i*7), score, 0)
		}
		return s
	}
	return make(0, small), make(small/2*7, large)
}

var overlaps = []struct {
	name         string
	small, large int
}{
	{"100x100", 100, 100},
	{"200x400", 200, 400},
	{"1kx1M", 1_000, 1_000_000},
	{"100kx100k", 100_000, 100_000},
}

// BenchmarkAlgebra combines two sets, and uses the result in the two ways of the commands: to answer with it
// ("read") and to store it ("build").
func BenchmarkAlgebra(b *testing.B) {
	for _, o := range overlaps {
		x, y := overlap(o.small, o.large)
		// The set with which the Diff starts is the larger, unless said otherwise.
		for _, op := range []struct {
			name string
			do   func(a *Algebra) Result
		}{
			{"union", func(a *Algebra) Result { return a.Union(Sum, Input{x, 1}, Input{y, 1}) }},
			{"union weighted", func(a *Algebra) Result { return a.Union(Sum, Input{x, 2}, Input{y, 3}) }},
			{"intersect", func(a *Algebra) Result { return a.Intersect(Sum, Input{x, 1}, Input{y, 1}) }},
			{"diff", func(a *Algebra) Result { return a.Diff(y, x) }},
			{"diff of the smaller", func(a *Algebra) Result { return a.Diff(x, y) }},
		} {
			b.Run(fmt.Sprintf("%s/%s/read", o.name, op.name), func(b *testing.B) {
				b.ReportAllocs()
				var a Algebra
				sum := 0.0
				for b.Loop() {
					for _, score := range op.do(&a).All() {
						sum += score
					}
				}
				b.ReportMetric(float64(a.bytes()), "scratch-B")
			})
			b.Run(fmt.Sprintf("%s/%s/build", o.name, op.name), func(b *testing.B) {
				b.ReportAllocs()
				var a Algebra
				for b.Loop() {
					s, err := op.do(&a).Build(nil)
					if err != nil {
						b.Fatal(err)
					}
					s.Release()
				}
			})
		}
		b.Run(o.name+"/count", func(b *testing.B) {
			b.ReportAllocs()
			var a Algebra
			for b.Loop() {
				a.IntersectCount(0, x, y)
			}
			b.ReportMetric(float64(a.bytes()), "scratch-B")
		})
	}
}

// BenchmarkMeet has the two ways to find the members of a set that are in a tally too, between which meet and
// retain choose: to look each member of the tally up, or to walk over the set. The larger the ratio of the set to the
// tally, the better the first.
func BenchmarkMeet(b *testing.B) {
	meet := func(name string, x, y *Set, lookup func(a *Algebra)) {
		var a Algebra
		t := &a.tally
		t.gather(Sum, Input{x, 1})
		b.Run(name+"/lookups", func(b *testing.B) {
			for b.Loop() {
				lookup(&a)
			}
		})
		b.Run(name+"/walk", func(b *testing.B) {
			for b.Loop() {
				t.slots = t.slots[:0]
				t.makeTable(t.len())
				a.met = a.met[:0]
				rank := 0
				for member := range y.All() {
					if _, _, ok := t.find(member); ok {
						a.met = append(a.met, rank)
					}
					rank++
				}
			}
		})
	}
	// What is not in a set is found out faster, so the tally has half of its members there, or all.
	tallied := func(n, of int, all bool) (x, y *Set) {
		x, y = overlap(n, of)
		if all {
			x, _ = overlap(n, 1)
			_, y = overlap(1, of)
		}
		return x, y
	}
	for _, all := range []bool{false, true} {
		there := map[bool]string{false: "half", true: "all"}[all]
		for _, n := range []int{1_000, 100_000, 1_000_000} {
			for _, ratio := range []int{1, 2, 3, 4, 6, 8} {
				x, y := tallied(n/ratio, n, all)
				meet(fmt.Sprintf("skiplist-%d/%s of 1:%d", n, there, ratio), x, y, func(a *Algebra) {
					a.met = a.met[:0]
					for i := range a.tally.entries {
						if rank, _, ok := y.Rank(a.tally.member(i)); ok {
							a.met = append(a.met, rank)
						}
					}
					slices.Sort(a.met)
				})
			}
		}
		for _, members := range []int{2, 3, 4, 6, 8} {
			x, y := tallied(members, 100, all)
			meet(fmt.Sprintf("listpack-100/%s of %d", there, members), x, y, func(a *Algebra) {
				for i := range a.tally.entries {
					y.Score(a.tally.member(i))
				}
			})
		}
	}
}
