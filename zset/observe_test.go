package zset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// told is what an Observer was told.
type told struct {
	member string
	score  float64
	taken  bool
}

type listener struct{ heard []told }

func (l *listener) Put(member []byte, score float64) {
	l.heard = append(l.heard, told{string(member), score, false})
}

func (l *listener) Take(member []byte) {
	l.heard = append(l.heard, told{string(member), 0, true})
}

func replay(s *Set, heard []told) {
	for _, h := range heard {
		if h.taken {
			s.Remove([]byte(h.member))
		} else {
			s.Add([]byte(h.member), h.score, 0)
		}
	}
}

func TestObserverHears(t *testing.T) {
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		s, l := fresh(), &listener{}
		s.Observe(l)
		for _, m := range []string{"a", "b", "c", "d", "e"} {
			s.Add([]byte(m), 1, 0)
		}
		l.heard = nil
		s.Add([]byte("a"), 1, 0)  // unchanged
		s.Add([]byte("a"), 0, GT) // skipped
		s.Add([]byte("x"), 1, XX)
		s.Remove([]byte("x"))
		s.Add([]byte("a"), 2.5, Incr)
		s.Remove([]byte("b"))
		s.RemoveRange(s.ByRank(0, 1))
		s.RemoveRange(s.ByRank(0, -1))
		want := []told{{"a", 3.5, false}, {"b", 0, true}, {"c", 0, true}, {"d", 0, true}}
		if !slices.Equal(l.heard, want) {
			t.Errorf("heard %v, want %v", l.heard, want)
		}
		s.Observe(nil)
		s.Add([]byte("y"), 1, 0)
		if len(l.heard) != len(want) {
			t.Error("it is told after it was taken off")
		}
	})
}

// What was heard, done to the set as it was at any moment, leads to what the set is in the end.
func TestWhatWasHeardConverges(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		for range 50 {
			s, l := fresh(), &listener{}
			s.Observe(l)
			copies := []*Set{fresh()}
			steps := 1 + rng.IntN(300)
			for range steps {
				member := fmt.Appendf(nil, "m%d", rng.IntN(60))
				switch rng.IntN(6) {
				case 0, 1:
					s.Add(member, float64(rng.IntN(40)), 0)
				case 2:
					s.Add(member, float64(rng.IntN(5)-2), Incr)
				case 3:
					s.Remove(member)
				case 4:
					s.Add([]byte("always there"), 0, 0)
					start := 1 + rng.IntN(s.Len())
					s.RemoveRange(s.ByRank(start, start+rng.IntN(5)))
				case 5:
					s.Add(member, float64(rng.IntN(40)), GT)
				}
				if rng.IntN(40) == 0 {
					c := fresh()
					for member, score := range s.All() {
						c.Add(member, score, 0)
					}
					copies = append(copies, c)
				}
			}
			for i, c := range copies {
				replay(c, l.heard)
				if got, want := pairsOf(c), pairsOf(s); !slices.Equal(got, want) {
					t.Fatalf("copy %d of %d has %v\nthe set has %v", i, len(copies), got, want)
				}
			}
		}
	})
}
