package zset

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// filled makes a set of pairs by f.
func filled(f *Filler, s *Set, said int, pairs []pair) error {
	f.Begin(s, said)
	var member []byte
	for _, p := range pairs {
		member = append(member[:0], p.member...)
		if err := f.Add(member, p.score); err != nil {
			return err
		}
	}
	return f.End()
}

// arrivals are orders in which a set's members may arrive.
var arrivals = []struct {
	name    string
	arrange func(random *rand.Rand, sorted []pair) []pair
}{
	{"ascending", func(_ *rand.Rand, p []pair) []pair { return p }},
	{"descending", func(_ *rand.Rand, p []pair) []pair { slices.Reverse(p); return p }},
	{"shuffled", func(random *rand.Rand, p []pair) []pair {
		random.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
		return p
	}},
	{"descending, some at the end", func(random *rand.Rand, p []pair) []pair {
		slices.Reverse(p)
		for range len(p) / 100 {
			i := random.IntN(len(p))
			late := p[i]
			p = append(slices.Delete(p, i, i+1), late)
		}
		return p
	}},
	{"runs", func(random *rand.Rand, p []pair) []pair {
		cut := random.IntN(len(p) + 1)
		slices.Reverse(p[:cut])
		return append(p[cut:], p[:cut]...)
	}},
}

// TestFill fills sets of many sizes, to both thresholds and beyond what waits, in all orders, with a right and a wrong count.
// The set goes on as any other.
func TestFill(t *testing.T) {
	var f Filler
	random := rand.New(rand.NewPCG(1, 2))
	memory := newTestMemory()
	for i, o := range historyTunings {
		tuning, err := NewTuning(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 2, 8, 9, 127, 128, 129, 1000, 3000, orderedAtOnce + 1000} {
			if (invariants || i > 0) && n > 3000 {
				continue // takes too long
			}
			m := map[string]float64{}
			for j := range n {
				m[fmt.Sprint(j)] = notableScores[j%8] + float64(j/20)
			}
			for _, a := range arrivals {
				pairs := a.arrange(random, inOrder(m))
				for _, said := range []int{n, 0, n + 200, -1} {
					s := NewIn(memory, tuning)
					if err := filled(&f, s, said, pairs); err != nil {
						t.Fatal(err)
					}
					if !samePairs(pairsOf(s), inOrder(m)) {
						t.Fatalf("tuning %d, %d members %s of %d said: members are not those given", i, n, a.name, said)
					}
					if err := s.check(); err != nil {
						t.Fatalf("tuning %d, %d members %s of %d said: %v", i, n, a.name, said, err)
					}
					if said <= o.ListpackMaxEntries {
						checkEncoding(t, s)
					}
					for range min(n, 100) {
						s.Add(fmt.Append(nil, random.IntN(2*n)), random.Float64()*10, 0)
						s.RemoveRange(s.ByRank(0, random.IntN(2)))
					}
					if err := s.check(); err != nil {
						t.Fatalf("tuning %d, %d members %s of %d said, afterwards: %v", i, n, a.name, said, err)
					}
					s.Release()
				}
			}
		}
	}
	if memory.bytes != 0 {
		t.Errorf("%d bytes are left", memory.bytes)
	}
}

// TestFillSorts fills a set with more members in no order than wait at a time.
func TestFillSorts(t *testing.T) {
	if testing.Short() || invariants {
		t.Skip("takes too long")
	}
	var f Filler
	random := rand.New(rand.NewPCG(3, 4))
	pairs := make([]pair, 2*othersAtOnce+1000)
	for i := range pairs {
		pairs[i] = pair{fmt.Sprint(i), math.Floor(random.Float64() * 1e5)}
	}
	s := New(nil)
	if err := filled(&f, s, len(pairs), pairs); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(pairs, comparePairs)
	if !slices.Equal(pairsOf(s), pairs) {
		t.Error("members are not those given")
	}
	if err := s.check(); err != nil {
		t.Error(err)
	}
}

// TestFillRefuses gives members that cannot be in a set, early and late.
func TestFillRefuses(t *testing.T) {
	memory := newTestMemory()
	var f Filler
	for _, n := range []int{2, 100, 500, 20000} {
		if invariants && n > 500 {
			continue
		}
		for _, test := range []struct {
			last pair
			want error
		}{
			{pair{"1", 7}, ErrTwice},
			{pair{"x", math.NaN()}, ErrNaN},
		} {
			var pairs []pair
			for i := range n {
				pairs = append(pairs, pair{fmt.Sprint(i), float64(i)})
			}
			s := NewIn(memory, nil)
			if err := filled(&f, s, n, append(pairs, test.last)); !errors.Is(err, test.want) {
				t.Errorf("%d members and %v: error %v, want %v", n, test.last, err, test.want)
			}
			if s.Len() != 0 {
				t.Errorf("%d members are left of %d", s.Len(), n)
			}
			if memory.bytes != 0 {
				t.Errorf("%d bytes are left", memory.bytes)
			}
			if err := filled(&f, s, n, pairs); err != nil || s.Len() != n {
				t.Errorf("after an error: %v, %d members, want %d", err, s.Len(), n)
			}
			s.Release()
		}
	}
}

// TestFillFull fills sets with less and less memory than they need.
func TestFillFull(t *testing.T) {
	var f Filler
	random := rand.New(rand.NewPCG(5, 6))
	m := map[string]float64{}
	for i := range 5000 {
		m[fmt.Sprint(i)] = float64(i)
	}
	for _, a := range arrivals {
		pairs, memory, refused := a.arrange(random, inOrder(m)), newTestMemory(), 0
		for memory.limit = 1000; ; memory.limit += 2000 {
			s := NewIn(memory, nil)
			err := filled(&f, s, []int{100, 20000}[refused%2], pairs)
			if err == nil {
				if !samePairs(pairsOf(s), inOrder(m)) {
					t.Errorf("%s: members are not those given", a.name)
				}
				break
			}
			if !errors.Is(err, ErrFull) || s.Len() != 0 || memory.bytes != 0 {
				t.Fatalf("%s, %d bytes: error %v, %d members, %d bytes are left", a.name, memory.limit, err, s.Len(), memory.bytes)
			}
			refused++
		}
		if refused < 20 {
			t.Errorf("%s: only %d limits were too little", a.name, refused)
		}
	}
}
