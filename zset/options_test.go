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
