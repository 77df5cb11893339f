package zset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNewTuning(t *testing.T) {
	with := func(change func(*Options)) Options {
		o := DefaultOptions()
		change(&o)
		return o
	}
	tests := []struct {
		name    string
		options Options
		refused string // part of the error; none if allowed
	}{
		{"defaults", DefaultOptions(), ""},
		{"smallest P", with(func(o *Options) { o.P = math.SmallestNonzeroFloat64 }), ""},
		{"largest P", with(func(o *Options) { o.P = 0.75 }), ""},
		{"P of 0", with(func(o *Options) { o.P = 0 }), "P must be greater than 0 and at most 0.75, got 0"},
		{"P below 0", with(func(o *Options) { o.P = -0.5 }), "got -0.5"},
		{"P too large", with(func(o *Options) { o.P = 0.76 }), "got 0.76"},
		{"P not a number", with(func(o *Options) { o.P = math.NaN() }), "got NaN"},
		{"one level", with(func(o *Options) { o.MaxLevel = 1 }), ""},
		{"most levels", with(func(o *Options) { o.MaxLevel = 64 }), ""},
		{"no level", with(func(o *Options) { o.MaxLevel = 0 }), "MaxLevel must be from 1 to 64, got 0"},
		{"too many levels", with(func(o *Options) { o.MaxLevel = 65 }), "got 65"},
		{"small blocks", with(func(o *Options) { o.BlockEntries = 4 }), ""},
		{"large blocks", with(func(o *Options) { o.BlockEntries = 240 }), ""},
		{"blocks too small", with(func(o *Options) { o.BlockEntries = 3 }), "BlockEntries must be from 4 to 240, or 0 for 64, got 3"},
		{"blocks too large", with(func(o *Options) { o.BlockEntries = 241 }), "got 241"},
		{"blocks below 0", with(func(o *Options) { o.BlockEntries = -1 }), "got -1"},
		{"never a listpack", with(func(o *Options) { o.ListpackMaxEntries = 0 }), ""},
		{"entries below 0", with(func(o *Options) { o.ListpackMaxEntries = -1 }), "ListpackMaxEntries must be 0"},
		{"always a listpack", with(func(o *Options) { o.ListpackMaxEntries = math.MaxInt }), ""},
		{"only empty members", with(func(o *Options) { o.ListpackMaxValueBytes = 0 }), ""},
		{"bytes below 0", with(func(o *Options) { o.ListpackMaxValueBytes = -1 }), "ListpackMaxValueBytes must be 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tuning, err := NewTuning(test.options)
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) {
					t.Errorf("error is %v, want it to say %q", err, test.refused)
				}
				return
			}
			if err != nil || tuning.Options() != test.options {
				t.Errorf("%+v, %v, want %+v", tuning.Options(), err, test.options)
			}
		})
	}
	if tuning, err := NewTuning(with(func(o *Options) { o.BlockEntries = 0 })); err != nil || tuning.Options() != DefaultOptions() {
		t.Errorf("BlockEntries of 0: %+v, %v", tuning.Options(), err)
	}
	if (*Tuning)(nil).Options() != DefaultOptions() {
		t.Errorf("a nil Tuning has %+v", (*Tuning)(nil).Options())
	}
}

// TestLevels draws towers and compares how many have each height with P^k by the chi-square test. The bound is the
// quantile that a right distribution exceeds once in a million runs; the seed is fixed, so that it does not.
func TestLevels(t *testing.T) {
	const draws = 400_000
	for _, maxLevel := range []int{1, 2, 4, 32, 64} {
		for _, p := range []float64{0.05, 0.25, 1 / math.E, 0.5, 0.75} {
			t.Run(fmt.Sprintf("P=%.3g,MaxLevel=%d", p, maxLevel), func(t *testing.T) {
				tuning, err := NewTuning(Options{P: p, MaxLevel: maxLevel})
				if err != nil {
					t.Fatal(err)
				}
				random := rand.NewPCG(1, 2)
				counts := make([]float64, levelsLimit+1)
				for range draws {
					counts[tuning.level(random.Uint64())]++
				}
				if counts[0] != 0 {
					t.Fatalf("%v towers without a level", counts[0])
				}
				statistic, cells := 0.0, 0
				var observed, expected float64 // of the rarest heights, put together until there are enough
				for level := levelsLimit; level >= 1; level-- {
					share := math.Pow(p, float64(level-1)) * (1 - p)
					switch {
					case level > maxLevel:
						share = 0
					case level == maxLevel: // all that would be taller
						share = math.Pow(p, float64(level-1))
					}
					observed, expected = observed+counts[level], expected+share*draws
					if expected >= 10 {
						statistic += (observed - expected) * (observed - expected) / expected
						cells++
						observed, expected = 0, 0
					} else if level > maxLevel && observed > 0 {
						t.Fatalf("%v towers of %d levels", observed, level)
					}
				}
				if bound := chiSquareBound(cells - 1); statistic > bound {
					t.Errorf("chi-square is %.1f, bound %.1f with %d cells", statistic, bound, cells)
				}
			})
		}
	}
}

// chiSquareBound is the quantile for 1 - 10^-6, by the approximation of Wilson and Hilferty (1931).
func chiSquareBound(freedom int) float64 {
	if freedom == 0 {
		return 1e-6 // one cell that has everything
	}
	const z = 4.7534 // of the normal distribution
	d := float64(freedom)
	root := 1 - 2/(9*d) + z*math.Sqrt(2/(9*d))
	return d * root * root * root
}

// towers counts the links of a set's blocks, for one block.
func towers(s *Set) (links float64, blocks int) {
	n := 0
	for r := s.list.head.next(0); r != 0; r = s.list.blocks.at(r).next(0) {
		n += s.list.blocks.at(r).levels()
		blocks++
	}
	return float64(n) / float64(blocks), blocks
}

// TestTowersOfList shows that the towers of a set are drawn so: their links are 1/(1-P) a block. New options hold for
// blocks made from then on, and for all after Rebuild.
func TestTowersOfList(t *testing.T) {
	const members = 50_000
	make := func(p float64, entries int) *Tuning {
		tuning, err := NewTuning(Options{P: p, MaxLevel: 64, BlockEntries: entries})
		if err != nil {
			t.Fatal(err)
		}
		return tuning
	}
	expect := func(what string, s *Set, p float64) {
		t.Helper()
		mean, blocks := towers(s)
		want, deviation := 1/(1-p), math.Sqrt(p)/(1-p)/math.Sqrt(float64(blocks)) // of the mean of a geometric distribution
		if math.Abs(mean-want) > 5*deviation {
			t.Errorf("%s, P=%.3g: %.4f links a block, want %.4f ± %.4f", what, p, mean, want, 5*deviation)
		}
	}
	for _, p := range []float64{0.25, 1 / math.E, 0.5, 0.75} {
		s := NewSeeded(make(p, 8), 7)
		add := func(from, to int) {
			for i := from; i < to; i++ {
				s.Add(fmt.Appendf(nil, "%d", i), float64(i*7919%(2*members)), 0)
			}
		}
		add(0, members)
		expect("random order", s, p)
		if _, blocks := towers(s); blocks < members/12 || blocks > members/4 {
			t.Errorf("%d blocks for %d members", blocks, members)
		}
		mean, before := towers(s)
		s.SetTuning(make(0.01, 8))
		add(members, 2*members)
		fresh, blocks := towers(s)
		if got := (fresh*float64(blocks) - mean*float64(before)) / float64(blocks-before); math.Abs(got-1/0.99) > 0.05 {
			t.Errorf("%.3f links a block made with P = 0.01", got)
		}
		s.SetTuning(make(p, 4))
		if err := s.Rebuild(); err != nil {
			t.Fatal(err)
		}
		expect("rebuilt", s, p)
		if err := s.check(); err != nil {
			t.Fatal(err)
		}
		_, small := towers(s)
		s.SetTuning(make(p, 240))
		if s.Rebuild(); s.Len() != 2*members {
			t.Fatal(s.Len())
		}
		if _, large := towers(s); large*20 > small {
			t.Errorf("%d blocks of 4, %d of 240", small, large)
		}
	}
}
