package zset

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"testing"
)

// sequence gives pairs, each member in the same bytes.
func sequence(pairs []pair) iter.Seq2[[]byte, float64] {
	return func(yield func([]byte, float64) bool) {
		var member []byte
		for _, p := range pairs {
			member = append(member[:0], p.member...)
			if !yield(member, p.score) {
				return
			}
		}
	}
}

// TestBuild builds sets of many sizes, up to both thresholds and beyond, with a right and a wrong count.
func TestBuild(t *testing.T) {
	for i, o := range historyTunings {
		tuning, err := NewTuning(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 2, 7, 8, 9, 20, 21, 127, 128, 129, 1000, 1001, 3000} {
			if invariants && n > 200 {
				continue // the checks after each step take too long
			}
			for _, long := range []int{-1, 0, n / 2, n - 1} {
				m := map[string]float64{"": math.Inf(-1)}
				for j := range n - 1 {
					member := fmt.Sprint(j)
					if j == long {
						member = string(bytes.Repeat([]byte("x"), 65))
					}
					m[member] = notableScores[j%8] + float64(j/20)
				}
				if n == 0 {
					clear(m)
				}
				pairs := inOrder(m)
				for _, said := range []int{len(pairs), 0, 10 * len(pairs), -1} {
					s, err := Build(tuning, said, sequence(pairs))
					if err != nil {
						t.Fatal(err)
					}
					if !samePairs(pairsOf(s), pairs) {
						t.Fatalf("tuning %d, %d members of %d said: got %v, want %v", i, len(pairs), said, pairsOf(s), pairs)
					}
					if err := s.check(); err != nil {
						t.Fatal(err)
					}
					checkEncoding(t, s)
					// It is a set like others.
					if _, r, err := s.Add([]byte("one more"), 5, 0); r != Added || err != nil {
						t.Fatal(r, err)
					}
					if err := s.check(); err != nil {
						t.Fatal(err)
					}
					s.Release()
				}
			}
		}
	}
}

// TestBuildRefuses gives members that no set has in this order.
func TestBuildRefuses(t *testing.T) {
	for _, tuning := range historyTunings {
		tuning, err := NewTuning(tuning)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			name  string
			pairs []pair
			want  error
		}{
			{"scores descend", []pair{{"a", 2}, {"b", 1}}, ErrOrder},
			{"members descend", []pair{{"a", 1}, {"c", 2}, {"b", 2}}, ErrOrder},
			{"twice", []pair{{"a", 1}, {"a", 1}}, ErrOrder},
			{"twice, zeros of both signs", []pair{{"a", 0}, {"a", math.Copysign(0, -1)}}, ErrOrder},
			{"not a number", []pair{{"a", 1}, {"b", math.NaN()}}, ErrNaN},
			{"not a number first", []pair{{"b", math.NaN()}}, ErrNaN},
		} {
			if s, err := Build(tuning, len(test.pairs), sequence(test.pairs)); !errors.Is(err, test.want) || s != nil {
				t.Errorf("%s: %v, want %v", test.name, err, test.want)
			}
		}
	}
}
