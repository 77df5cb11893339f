package yardstick

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAgainstModel holds each form of the list against a map and a sorted slice through a random history, so
// that the yardstick's figures are those of a list that works.
func TestAgainstModel(t *testing.T) {
	for _, o := range []Options{{P: 0.25}, {P: 0.5, Huge: true}, {P: 1 / 2.7182818, Indirect: true}} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 1))
			l, model := New(o, seed), map[string]float64{}
			defer l.Release()
			for step := range 10_000 {
				member := fmt.Appendf(nil, "m%d", random.IntN(2000))
				score := float64(random.IntN(500))
				_, exists := model[string(member)]
				switch random.IntN(6) {
				case 0, 1, 2:
					if added := l.Add(member, score); added == exists {
						t.Fatalf("step %d: Add(%s) new = %v", step, member, added)
					}
					model[string(member)] = score
				case 3:
					l.Increment(member, score)
					model[string(member)] += score
				case 4:
					if removed := l.Remove(member); removed != exists {
						t.Fatalf("step %d: Remove(%s) = %v", step, member, removed)
					}
					delete(model, string(member))
				case 5:
					low := float64(random.IntN(2000))
					got, want := l.RemoveScores(low, low+3), 0
					for m, s := range model {
						if low <= s && s < low+3 {
							delete(model, m)
							want++
						}
					}
					if got != want {
						t.Fatalf("step %d: RemoveScores removed %d of %d", step, got, want)
					}
				}
				if step%1000 == 0 {
					agree(t, l, model)
				}
			}
			agree(t, l, model)
		})
	}
}

func agree(t *testing.T, l *List, model map[string]float64) {
	t.Helper()
	type entry struct {
		member string
		score  float64
	}
	var want, got []entry
	for m, s := range model {
		want = append(want, entry{m, s})
	}
	slices.SortFunc(want, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.member, b.member))
	})
	for m, s := range l.FromRank(0) {
		got = append(got, entry{string(m), s})
	}
	if !slices.Equal(got, want) || l.Len() != len(want) {
		t.Fatalf("the list has %d members (Len %d), want %d, or in another order", len(got), l.Len(), len(want))
	}
	for rank, e := range want {
		r, ok := l.Rank([]byte(e.member))
		s, _ := l.Score([]byte(e.member))
		if !ok || r != rank || s != e.score {
			t.Fatalf("%s: rank %d score %v, want %d and %v", e.member, r, s, rank, e.score)
		}
		for m := range l.FromRank(rank) {
			if string(m) != e.member {
				t.Fatalf("at rank %d: %s, want %s", rank, m, e.member)
			}
			break
		}
	}
	for i := 1; i < len(want); i += 7 {
		for _, s := range l.FromScore(want[i].score) {
			if s != want[i].score {
				t.Fatalf("from score %v on begins at %v", want[i].score, s)
			}
			break
		}
	}
}
