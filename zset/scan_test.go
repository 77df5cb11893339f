package zset

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"zset.dev/operator/zset/hashindex"
)

// TestScan scans sets whose index grows, shrinks, or is rebuilt between calls. Members that are there throughout are
// given exactly once, others at most once for each time they were added.
func TestScan(t *testing.T) {
	tests := []struct {
		name                         string
		start, end                   int // members before and after
		stay                         int // of them, those that are there throughout
		scrambleTowers, changeScores bool
	}{
		{name: "nothing changes", start: 1000, end: 1000, stay: 1000},
		{name: "grows", start: 300, end: 20_000, stay: 300},
		{name: "shrinks", start: 20_000, end: 50, stay: 50},
		{name: "exchanged", start: 2000, end: 2000, stay: 700},
		{name: "scores and towers change", start: 2000, end: 2000, stay: 2000, scrambleTowers: true, changeScores: true},
		{name: "one member", start: 1, end: 1, stay: 1},
	}
	tunings := make([]*Tuning, 2)
	for i, p := range []float64{0.25, 0.75} {
		var err error
		if tunings[i], err = NewTuning(Options{P: p, MaxLevel: 32}); err != nil {
			t.Fatal(err)
		}
	}
	member := func(kind string, i int) []byte { return fmt.Appendf(nil, "%s%d", kind, i) }
	for _, test := range tests {
		for seed := range uint64(10) {
			t.Run(fmt.Sprintf("%s/seed=%d", test.name, seed), func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 0))
				s := NewSeeded(tunings[0], seed)
				for i := range test.stay {
					s.Add(member("stay", i), random.Float64(), 0)
				}
				gone, added := 0, 0
				for i := range test.start - test.stay {
					s.Add(member("go", i), random.Float64(), 0)
				}
				seen := map[string]int{}
				cursor := uint64(0)
				for calls := 1; ; calls++ {
					cursor = s.Scan(cursor, 10, func(m []byte, score float64) {
						seen[string(m)]++
						if want, ok := s.Score(m); !ok || want != score {
							t.Fatalf("Scan gives %q %v, Score %v", m, score, want)
						}
					})
					if cursor == 0 {
						break
					}
					// In each pause a part of the way from start to end.
					for range 1 + max(test.start, test.end)/60 {
						if gone < test.start-test.stay {
							s.Remove(member("go", gone))
							gone++
						}
						if added < test.end-test.stay {
							s.Add(member("new", added), random.Float64(), 0)
							added++
						}
					}
					if test.scrambleTowers {
						s.SetTuning(tunings[calls%2])
					}
					if test.changeScores {
						for range 100 {
							s.Add(member("stay", random.IntN(test.stay)), random.Float64(), 0)
						}
					}
				}
				for i := range test.stay {
					if m := string(member("stay", i)); seen[m] != 1 {
						t.Errorf("%q was given %d times", m, seen[m])
					}
				}
				for m, times := range seen {
					if times > 1 {
						t.Errorf("%q was given %d times", m, times)
					}
				}
				if err := s.check(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestScanBounds shows that count says how much a call does, also in a table that has become sparse.
func TestScanBounds(t *testing.T) {
	tuning, err := NewTuning(Options{P: 0.25, MaxLevel: 32})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSeeded(tuning, 1)
	for i := range 50_000 {
		s.Add(fmt.Appendf(nil, "%d", i), 0, 0)
	}
	for _, count := range []int{-1, 0, 1, 10, 100, 1000, 49_999, 50_000, 1 << 62} {
		calls, given, most := 0, 0, 0
		for cursor := uint64(0); calls == 0 || cursor != 0; calls++ {
			n := 0
			cursor = s.Scan(cursor, count, func([]byte, float64) { n++ })
			given += n
			most = max(most, n)
		}
		want := min(max(count, 1), 50_000)
		if given != 50_000 {
			t.Errorf("count %d: %d given", count, given)
		}
		if most > 4*want+24 { // what one bucket more has
			t.Errorf("count %d: one call gave %d", count, most)
		}
		if calls > 2*50_000/want+1 {
			t.Errorf("count %d: %d calls", count, calls)
		}
	}
}

// TestScanCursors gives cursors that no call returned.
func TestScanCursors(t *testing.T) {
	for _, members := range []int{0, 1, 10, 1000} {
		s := NewSeeded(nil, 1)
		for i := range members {
			s.Add(fmt.Appendf(nil, "%d", i), 0, 0)
		}
		for _, cursor := range []uint64{1, 12345, 1<<32 - 1, hashindex.Positions - 1, hashindex.Positions, 1<<64 - 1} {
			n := 0
			for calls := 0; calls == 0 || cursor != 0; calls++ {
				cursor = s.Scan(cursor, 100, func([]byte, float64) { n++ })
			}
			if n > members {
				t.Errorf("%d of %d members", n, members)
			}
		}
	}
}

// TestScanChanging changes the set in the midst of a call, which is not allowed and must do no harm.
func TestScanChanging(t *testing.T) {
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		s := fill(fresh(), 500)
		for s.Len() > 0 {
			before := s.Len()
			given := 0
			s.Scan(0, 1000, func(member []byte, _ float64) {
				given++
				s.Remove(member)
			})
			if given != 1 || s.Len() != before-1 {
				t.Fatalf("%d given, %d members were %d", given, s.Len(), before)
			}
			if err := s.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
