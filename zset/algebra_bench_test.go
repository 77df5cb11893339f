package zset

import (
	"fmt"
	"math/rand/v2"
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

// BenchmarkMeet gives the costs, for one member, between which meet and retain choose: a walk over a set with
// lookups in a tally of n members, and lookups of score and rank in a set.
func BenchmarkMeet(b *testing.B) {
	for _, n := range []int{100, 1_000, 100_000, 1_000_000} {
		x, y := overlap(n, n)
		var t tally
		t.gather(Sum, Input{x, 1})
		name := fmt.Sprintf("%v-%d/", y.Encoding(), n)
		perMember := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/member")
		}
		b.Run(name+"walk", func(b *testing.B) {
			for b.Loop() {
				for member := range y.All() {
					t.find(member)
				}
			}
			perMember(b)
		})
		b.Run(name+"table", func(b *testing.B) {
			for b.Loop() {
				t.slots = t.slots[:0]
				t.makeTable(n)
			}
			perMember(b)
		})
		b.Run(name+"score", func(b *testing.B) {
			for b.Loop() {
				for i := range t.len() {
					y.Score(t.member(i))
				}
			}
			perMember(b)
		})
		b.Run(name+"rank", func(b *testing.B) {
			for b.Loop() {
				for i := range t.len() {
					y.Rank(t.member(i))
				}
			}
			perMember(b)
		})
	}
}
