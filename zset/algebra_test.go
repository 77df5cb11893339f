package zset

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// setOf makes a set of members of one letter: "a1 b2.5 c-inf".
func setOf(t testing.TB, fresh func() *Set, text string) *Set {
	t.Helper()
	s := fresh()
	for _, field := range strings.Fields(text) {
		var score float64
		if _, err := fmt.Sscan(field[1:], &score); err != nil {
			t.Fatalf("%s: %v", field, err)
		}
		s.Add([]byte(field[:1]), score, 0)
	}
	return s
}

// textOf is a result in the form of setOf.
func textOf(r Result) string {
	var fields []string
	for member, score := range r.All() {
		fields = append(fields, strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%s%v", member, score), "+")))
	}
	return strings.ReplaceAll(strings.Join(fields, " "), "+", "")
}

// An aggregation is a line of the table of what scores become.
type aggregation struct {
	name          string
	sets          string // separated by |
	weights       []float64
	g             Aggregate
	union, common string
}

// inputs makes the sets of a line.
func (x aggregation) inputs(t testing.TB, fresh func() *Set) (in []Input) {
	t.Helper()
	for i, text := range strings.Split(x.sets, "|") {
		in = append(in, Input{setOf(t, fresh, text), x.weights[i]})
	}
	return in
}

// aggregations is that table. TestAlgebraAgainstPeers plays it on real servers.
func aggregations() []aggregation {
	inf, negative := math.Inf(1), math.Copysign(0, -1)
	return []aggregation{
		{"one", "a1 b2", []float64{1}, Sum, "a1 b2", "a1 b2"},
		{"sum", "a1 b2|a10 c3", []float64{1, 1}, Sum, "b2 c3 a11", "a11"},
		{"weighted sum", "a1 b2|a10 c3", []float64{2, 3}, Sum, "b4 c9 a32", "a32"},
		{"minimum", "a1 b2|a10 c3", []float64{1, 1}, Min, "a1 b2 c3", "a1"},
		{"maximum", "a1 b2|a10 c3", []float64{1, 1}, Max, "b2 c3 a10", "a10"},
		{"count", "a5 b2|a7 c3", []float64{1, 1}, Count, "b1 c1 a2", "a2"},
		{"weighted count", "a5 b2|a7 c3", []float64{10, -1}, Count, "c-1 a9 b10", "a9"},
		{"count that is no number", "a5 b2|a7 c3", []float64{inf, -inf}, Count, "c-inf a0 binf", "a0"},
		{"weight that is no number", "a5|a7 c3", []float64{math.NaN(), 1}, Sum, "c3 a7", "a7"},
		{"negative weight turns the order", "a1 b2 c3", []float64{-1}, Sum, "c-3 b-2 a-1", "c-3 b-2 a-1"},
		{"-0", "b5 a7", []float64{negative}, Sum, "a-0 b-0", "a-0 b-0"},
		{"weights make ties", "c1 b2 a3", []float64{0}, Sum, "a0 b0 c0", "a0 b0 c0"},
		{"infinities meet", "ainf|a-inf b1", []float64{1, 1}, Sum, "a0 b1", "a0"},
		{"infinities meet, then more", "a-inf b1|ainf b1 c1|a5 b1 c1 d1", []float64{1, 1, 1}, Sum, "d1 c2 b3 a5", "b3 a5"},
		{"more, then infinities meet", "a5 b1|ainf b1 c1|a-inf b1 c1 d1", []float64{1, 1, 1}, Sum, "a0 d1 c2 b3", "a0 b3"},
		{"first product is no number", "ainf|a5 b1", []float64{0, 1}, Sum, "b1 a5", "a5"},
		// From here on an intersection is not what the union would say.
		{"later product is no number", "a5|ainf b1", []float64{1, 0}, Sum, "b0 a5", "a0"},
		{"later product is no number, minimum", "a5|ainf b1", []float64{1, 0}, Min, "a0 b0", "a5"},
		{"later product is no number, maximum", "a-5|ainf b1", []float64{1, 0}, Max, "a0 b0", "a-5"},
		{"later weight is infinite", "a5|a0 b1", []float64{1, inf}, Sum, "a5 binf", "a0"},
		// Sums are rounded in the order of lengths: 1e16 + 1 + -1e16 is 0, in another order it is 1.
		{"order of lengths", "a-1e16 b0 c0|a1 b0|a1e16", []float64{1, 1, 1}, Sum, "a0 b0 c0", "a0"},
		{"order as given", "a1e16|a-1e16|a1", []float64{1, 1, 1}, Sum, "a1", "a1"},
		{"order as given, another", "a1e16|a1|a-1e16", []float64{1, 1, 1}, Sum, "a0", "a0"},
		{"an empty one", "a1|", []float64{1, 1}, Sum, "a1", ""},
		{"none", "", []float64{1}, Sum, "", ""},
		// 1.8 and the next double, each times 1.5, are rounded to the same, so the members decide.
		{"rounding makes ties", "b1.8 a1.8000000000000003", []float64{1.5}, Sum, "a2.7 b2.7", "a2.7 b2.7"},
	}
}

// TestAggregates holds the table against both encodings.
func TestAggregates(t *testing.T) {
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		var a Algebra
		for _, test := range aggregations() {
			in := test.inputs(t, fresh)
			if got := textOf(a.Union(test.g, in...)); got != test.union {
				t.Errorf("%s: union %q, want %q", test.name, got, test.union)
			}
			if got := textOf(a.Intersect(test.g, in...)); got != test.common {
				t.Errorf("%s: intersection %q, want %q", test.name, got, test.common)
			}
		}
	})
	if got := fmt.Sprint(Sum, Min, Max, Count, Aggregate(9)); got != "sum min max count unknown" {
		t.Error(got)
	}
}

// TestDiff is the table of differences. Each is found by both ways, which depend on the lengths: the first set or
// the second is given more members, which no other set has.
func TestDiff(t *testing.T) {
	tests := []struct{ sets, want string }{
		{"a1 b2 c3", "a1 b2 c3"},
		{"a1 b2 c3|b9", "a1 c3"},
		{"a1 b2 c3|b9|b1 c5 d7", "a1"},
		{"a1 b2 c3|d1 e1", "a1 b2 c3"},
		{"a1 b2 c3|c1 b1 a1", ""},
		{"a-0 binf|", "a-0 binf"},
		{"|a1", ""},
	}
	const many = 500
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		var a Algebra
		for _, test := range tests {
			for grown := -1; grown < 2; grown++ {
				var sets []*Set
				for i, text := range strings.Split(test.sets, "|") {
					s := setOf(t, fresh, text)
					for j := range many {
						if i == grown {
							s.Add(fmt.Appendf(nil, "more:%03d", j), float64(j%7), 0)
						}
					}
					sets = append(sets, s)
				}
				var plain []string
				more := 0
				for _, field := range strings.Fields(textOf(a.Diff(sets...))) {
					if strings.HasPrefix(field, "more:") {
						more++
					} else {
						plain = append(plain, field)
					}
				}
				want := 0
				if grown == 0 {
					want = many
				}
				if got := strings.Join(plain, " "); got != test.want || more != want {
					t.Errorf("%q, grown %d: %q and %d more, want %q and %d", test.sets, grown, got, more, test.want, want)
				}
			}
		}
	})
}

// TestOddInputs uses no inputs, nil ones, and the same set several times.
func TestOddInputs(t *testing.T) {
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		var a Algebra
		s, empty := setOf(t, fresh, "a1 b2"), fresh()
		for name, test := range map[string]struct {
			r    Result
			want string
		}{
			"the zero Result":            {Result{}, ""},
			"union of none":              {a.Union(Sum), ""},
			"union of nil":               {a.Union(Sum, Input{}, Input{nil, 1}, Input{empty, 1}), ""},
			"intersection of none":       {a.Intersect(Sum), ""},
			"intersection with nil":      {a.Intersect(Sum, Input{s, 1}, Input{}), ""},
			"difference of none":         {a.Diff(), ""},
			"difference of nil":          {a.Diff(nil, s), ""},
			"difference of nil and nil":  {a.Diff(nil, nil), ""},
			"difference with itself":     {a.Diff(s, s), ""},
			"difference with itself too": {a.Diff(s, nil, empty, s), ""},
		} {
			if got := textOf(test.r); got != test.want || test.r.Len() != 0 {
				t.Errorf("%s: %q", name, got)
			}
			if built, err := test.r.Build(nil); err != nil || built.Len() != 0 {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := textOf(a.Diff(s, nil, empty)); got != "a1 b2" {
			t.Errorf("difference with nil: %q", got)
		}
		if got := textOf(a.Union(Sum, Input{s, 1}, Input{s, 10}, Input{}, Input{s, 1})); got != "a12 b24" {
			t.Errorf("union with itself: %q", got)
		}
		if got := textOf(a.Intersect(Max, Input{s, 1}, Input{s, 10}, Input{s, 1})); got != "a10 b20" {
			t.Errorf("intersection with itself: %q", got)
		}
		for _, test := range []struct{ got, want int }{
			{a.IntersectCount(0), 0},
			{a.IntersectCount(0, nil), 0},
			{a.IntersectCount(0, s, nil), 0},
			{a.IntersectCount(0, s, empty), 0},
			{a.IntersectCount(0, s), 2},
			{a.IntersectCount(1, s, s), 1},
		} {
			if test.got != test.want {
				t.Errorf("IntersectCount = %d, want %d", test.got, test.want)
			}
		}
	})
}

// TestWorkingMemory shows that a huge set takes no working memory when the result does not need it, and that Reset
// gives it back.
func TestWorkingMemory(t *testing.T) {
	if invariants {
		t.Skip("the checks take too long with so many members")
	}
	members := 50_000
	small, huge := fill(NewSeeded(nil, 1), 50), NewSeeded(nil, 1)
	for i := range members {
		huge.Add(fmt.Appendf(nil, "member:%03d", i), float64(i*7919%members), 0)
	}
	one := func(s *Set) Input { return Input{s, 1} }
	for name, call := range map[string]func(a *Algebra) int{
		"union":               func(a *Algebra) int { return a.Union(Sum, one(huge), one(small)).Len() - members + 50 },
		"weighted union":      func(a *Algebra) int { return a.Union(Sum, Input{huge, 3}, one(small)).Len() - members + 50 },
		"intersection":        func(a *Algebra) int { return a.Intersect(Sum, one(huge), one(small)).Len() },
		"difference":          func(a *Algebra) int { return members - a.Diff(huge, small).Len() },
		"difference, reverse": func(a *Algebra) int { return a.Diff(small, huge).Len() + 50 },
		"count":               func(a *Algebra) int { return a.IntersectCount(0, huge, small) },
		"count of huge ones":  func(a *Algebra) int { return a.IntersectCount(0, huge, huge) - members + 50 },
	} {
		var a Algebra
		if n := call(&a); n != 50 {
			t.Errorf("%s: %d in common, want 50", name, n)
		}
		if most := 32 << 10; a.bytes() > most {
			t.Errorf("%s takes %d bytes, want at most %d", name, a.bytes(), most)
		}
		for _, x := range a.inputs[:cap(a.inputs)] {
			if x.Set != nil {
				t.Errorf("%s keeps a set alive", name)
			}
		}
		a.Reset(1 << 20)
		if a.bytes() == 0 {
			t.Errorf("%s: Reset drops what it may keep", name)
		}
		a.Reset(0)
		if a.bytes() != 0 {
			t.Errorf("%s: %d bytes are left after Reset", name, a.bytes())
		}
	}
}

// TestAlgebraAllocations shows that the second time nothing is allocated for members.
func TestAlgebraAllocations(t *testing.T) {
	if invariants {
		t.Skip("the checks allocate")
	}
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		s, other := fill(fresh(), 900), fill(fresh(), 700)
		for i := range 300 {
			other.Add(fmt.Appendf(nil, "other:%03d", i), float64(i), 0)
		}
		var a Algebra
		sum := 0.0
		read := func(r Result) {
			for _, score := range r.All() {
				sum += score
			}
		}
		for name, call := range map[string]func(){
			"Union":          func() { read(a.Union(Sum, Input{s, 1}, Input{other, 1})) },
			"Union, sorting": func() { read(a.Union(Sum, Input{s, -1}, Input{other, -1})) },
			"Intersect":      func() { read(a.Intersect(Sum, Input{s, 1}, Input{other, 1})) },
			"Diff":           func() { read(a.Diff(s, other)) },
			"IntersectCount": func() { a.IntersectCount(0, s, other) },
		} {
			// Of these, each is a closure or a slice of arguments.
			if n := testing.AllocsPerRun(20, call); n > 12 {
				t.Errorf("%s allocates %v times", name, n)
			}
		}
	})
}
