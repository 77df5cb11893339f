package zset

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The model of the algebra works on maps, in the words of the commands' documentation.

type modelInput struct {
	scores map[string]float64
	weight float64
}

// bySize puts inputs in the order in which servers take them.
func bySize(in []modelInput) []modelInput {
	in = slices.Clone(in)
	slices.SortStableFunc(in, func(a, b modelInput) int { return cmp.Compare(len(a.scores), len(b.scores)) })
	return in
}

func modelProduct(g Aggregate, weight, score float64) float64 {
	if g == Count {
		return weight
	}
	return weight * score
}

func modelJoin(g Aggregate, a, b float64) float64 {
	switch {
	case g == Min && b < a, g == Max && b > a:
		return b
	case g == Min, g == Max:
		return a
	case math.IsNaN(a + b):
		return 0
	}
	return a + b
}

func zeroForNaN(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return f
}

func modelUnion(g Aggregate, in []modelInput) map[string]float64 {
	out := map[string]float64{}
	for _, x := range bySize(in) {
		for member, score := range x.scores {
			score = zeroForNaN(modelProduct(g, x.weight, score))
			if have, ok := out[member]; ok {
				score = modelJoin(g, have, score)
			}
			out[member] = score
		}
	}
	return out
}

func modelIntersect(g Aggregate, in []modelInput) map[string]float64 {
	out := map[string]float64{}
	if len(in) == 0 {
		return out
	}
	in = bySize(in)
	for member, score := range in[0].scores {
		score = zeroForNaN(modelProduct(g, in[0].weight, score))
		everywhere := true
		for _, x := range in[1:] {
			more, ok := x.scores[member]
			everywhere = everywhere && ok
			score = modelJoin(g, score, modelProduct(g, x.weight, more))
		}
		if everywhere {
			out[member] = score
		}
	}
	return out
}

func modelDiff(in []modelInput) map[string]float64 {
	out := map[string]float64{}
	for i, x := range in {
		for member, score := range x.scores {
			if i == 0 {
				out[member] = score
			}
		}
		if i > 0 {
			for member := range x.scores {
				delete(out, member)
			}
		}
	}
	return out
}

// inOrder is the pairs of a map in the order of a set.
func inOrder(scores map[string]float64) (pairs []pair) {
	for member, score := range scores {
		pairs = append(pairs, pair{member, score})
	}
	slices.SortFunc(pairs, comparePairs)
	return pairs
}

func pairsOfResult(r Result) (pairs []pair) {
	for member, score := range r.All() {
		pairs = append(pairs, pair{string(member), score})
	}
	return pairs
}

func samePairs(a, b []pair) bool {
	return slices.EqualFunc(a, b, func(a, b pair) bool {
		return a.member == b.member && math.Float64bits(a.score) == math.Float64bits(b.score)
	})
}

// A problem is some sets to combine.
type problem struct {
	sets   []*Set
	models []map[string]float64
	in     []Input // some of the sets, some more than once, some nil
}

// drawProblem makes a problem from random numbers, or from the bytes that a fuzzer chose.
func drawProblem(draw func(n int) int) *problem {
	p := &problem{}
	for range 1 + draw(4) {
		members := []int{0, 1, 5, 30, 200, 1000}[draw(6)]
		members = draw(members + 1)
		tuning, err := NewTuning(historyTunings[draw(len(historyTunings))])
		if err != nil {
			panic(err)
		}
		span := 1 + draw(2*members+8) // how many different members it draws from
		s, m := NewSeeded(tuning, uint64(draw(256))), map[string]float64{}
		kind := draw(4)
		for range members {
			member := fmt.Sprintf("m%d", draw(span))
			var score float64
			switch kind {
			case 0:
				score = float64(draw(7)) // many ties
			case 1:
				score = notableScores[draw(len(notableScores))]
				if math.IsNaN(score) {
					continue
				}
			case 2:
				score = float64(draw(1<<16)) / 10
			case 3:
				score = 1 // all the same
			}
			if _, there := m[member]; !there {
				m[member] = score
				s.Add([]byte(member), score, 0)
			}
		}
		p.sets, p.models = append(p.sets, s), append(p.models, m)
	}
	for range draw(6) {
		weight := []float64{1, 1, 2, 0.1, 0, math.Copysign(0, -1), -1, -0.3, math.Inf(1), math.Inf(-1), 1e-320, 3}[draw(12)]
		x := Input{Weight: weight}
		if i := draw(len(p.sets) + 1); i < len(p.sets) {
			x.Set = p.sets[i]
		}
		p.in = append(p.in, x)
	}
	return p
}

// models of the inputs.
func (p *problem) modelled() (in []modelInput) {
	for _, x := range p.in {
		m := modelInput{weight: x.Weight}
		if i := slices.Index(p.sets, x.Set); x.Set != nil {
			m.scores = p.models[i]
		}
		in = append(in, m)
	}
	return in
}

// plainSets are the sets of inputs, without weights.
func plainSets(in []Input) (sets []*Set) {
	for _, x := range in {
		sets = append(sets, x.Set)
	}
	return sets
}

// solve holds everything that an Algebra makes of the problem against the model.
func (p *problem) solve(t *testing.T, a *Algebra) {
	t.Helper()
	in, sets := p.modelled(), plainSets(p.in)
	for g := Sum; g <= Count; g++ {
		p.expect(t, fmt.Sprintf("union %v", g), a.Union(g, p.in...), modelUnion(g, in))
		p.expect(t, fmt.Sprintf("intersection %v", g), a.Intersect(g, p.in...), modelIntersect(g, in))
	}
	p.expect(t, "difference", a.Diff(sets...), modelDiff(in))
	common := len(modelIntersect(Sum, in))
	for _, limit := range []int{0, -1, 1, common - 1, common, common + 1, math.MaxInt} {
		want := common
		if limit > 0 {
			want = min(common, limit)
		}
		if n := a.IntersectCount(limit, sets...); n != want {
			t.Fatalf("%v: IntersectCount(%d) = %d, want %d", p, limit, n, want)
		}
	}
	for i, s := range p.sets {
		if !samePairs(pairsOf(s), inOrder(p.models[i])) {
			t.Fatalf("%v: input %d has changed", p, i)
		}
	}
}

func (p *problem) expect(t *testing.T, name string, r Result, want map[string]float64) {
	t.Helper()
	pairs := inOrder(want)
	if got := pairsOfResult(r); !samePairs(got, pairs) || r.Len() != len(got) {
		t.Fatalf("%v: %s\ngot  %d %v\nwant %d %v", p, name, r.Len(), got, len(pairs), pairs)
	}
	for range r.All() {
		break // must not go on
	}
	tuning := p.sets[0].tuning
	s, err := r.Build(tuning)
	if err != nil {
		t.Fatal(err)
	}
	if !samePairs(pairsOf(s), pairs) {
		t.Fatalf("%v: %s as a set\ngot  %v\nwant %v", p, name, pairsOf(s), pairs)
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	checkEncoding(t, s)
	s.Release()
}

// checkEncoding says whether a set that was just built has the encoding that its members ask for.
func checkEncoding(t *testing.T, s *Set) {
	t.Helper()
	o, want := s.tuning.Options(), Listpack
	if s.Len() > o.ListpackMaxEntries {
		want = SkipList
	}
	for member := range s.All() {
		if len(member) > o.ListpackMaxValueBytes {
			want = SkipList
		}
	}
	if s.Encoding() != want {
		t.Fatalf("%d members are a %v, want a %v", s.Len(), s.Encoding(), want)
	}
}

func (p *problem) String() string {
	var b bytes.Buffer
	for _, x := range p.in {
		if x.Set == nil {
			fmt.Fprintf(&b, "[nil ×%v] ", x.Weight)
			continue
		}
		fmt.Fprintf(&b, "[%d: %v of %d ×%v] ", slices.Index(p.sets, x.Set), x.Set.Encoding(), x.Set.Len(), x.Weight)
	}
	return b.String()
}

// TestAlgebraAgainstModel solves random problems, all with one Algebra.
func TestAlgebraAgainstModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	problems := 1500
	if testing.Short() {
		problems = 200
	}
	if invariants {
		problems /= 5 // the sets are checked after each step
	}
	var a Algebra
	for range problems {
		drawProblem(r.IntN).solve(t, &a)
	}
}

// TestManyInputs combines more sets than random problems have, of lengths of which some are the same, so that it
// matters in which order they are taken and that each step goes on with what the one before left.
func TestManyInputs(t *testing.T) {
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		p := &problem{}
		for i := range 25 {
			s, m := fresh(), map[string]float64{}
			for j := range 60 - i%4 {
				// All have 40 members in common. The first of each are the same everywhere, later ones differ.
				member := fmt.Sprintf("m%d", j)
				if j >= 40 {
					member = fmt.Sprintf("m%d", j+i*(j-39)%37)
				}
				if _, there := m[member]; !there {
					m[member] = 1e3 / float64((i*j*31)%97-48) // sums of these are rounded
					s.Add([]byte(member), m[member], 0)
				}
			}
			p.sets, p.models = append(p.sets, s), append(p.models, m)
			p.in = append(p.in, Input{s, 1})
		}
		var a Algebra
		p.solve(t, &a)
		if common := a.Intersect(Sum, p.in...).Len(); common < 40 {
			t.Errorf("%d members in common, want at least 40", common)
		}
		// What each step leaves for the next: of the first set's members one is taken away by each other.
		first := fill(fresh(), 30)
		sets, in := []*Set{first}, []modelInput{{scores: map[string]float64{}}}
		for member, score := range first.All() {
			in[0].scores[string(member)] = score
		}
		for i := range 20 {
			s, m := fresh(), map[string]float64{}
			for j := range 20 {
				member := fmt.Sprintf("other:%d", j)
				if j == 0 {
					member = fmt.Sprintf("member:%03d", i)
				}
				m[member] = 1
				s.Add([]byte(member), 1, 0)
			}
			sets, in = append(sets, s), append(in, modelInput{scores: m})
		}
		if got, want := pairsOfResult(a.Diff(sets...)), inOrder(modelDiff(in)); !samePairs(got, want) {
			t.Errorf("difference: got %v, want %v", got, want)
		}
	})
}

// FuzzAlgebra reads any bytes as a problem.
func FuzzAlgebra(f *testing.F) {
	f.Add([]byte("\x01\x03\x08\x00\x09\x01\x02"))
	f.Add(bytes.Repeat([]byte("\x02\x03\x1c\x01\x10\x07\x01\x02\x03\x04\x05\x06"), 30))
	f.Add(bytes.Repeat([]byte("\x03\x04\xc0\x02\x40\x00\x02"), 300))
	f.Fuzz(func(t *testing.T, choices []byte) {
		at := 0
		var a Algebra
		drawProblem(func(n int) int {
			if n <= 1 || len(choices) == 0 {
				return 0
			}
			// What the fuzzer chose is used again, shifted, when it is at its end.
			v := int(choices[at%len(choices)]) + at/len(choices)
			if n > 256 {
				v = v*251 + int(choices[(at+1)%len(choices)])
			}
			at++
			return v % n
		}).solve(t, &a)
	})
}
