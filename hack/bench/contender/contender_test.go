package contender

import (
	"math"
	"testing"

	"zset.dev/operator/hack/bench/workload"
)

// TestContendersAgree puts each through the same history and compares it to the first, so that no figure is
// that of a set that does less than it should.
func TestContendersAgree(t *testing.T) {
	forms, err := Forms(Names(), []float64{0.25})
	if err != nil {
		t.Fatal(err)
	}
	forms = append(forms, Form{YardstickIndirect, 0.5}, Form{ZsetDefaults, 0.5})
	const n = 600
	histories := make([][]float64, len(forms))
	for i, f := range forms {
		if !f.Takes(n) {
			t.Fatalf("%v does not take %d members", f, n)
		}
		histories[i] = history(t, f, n)
		if len(histories[i]) != len(histories[0]) {
			t.Errorf("%v: %d results, %v has %d", f, len(histories[i]), forms[0], len(histories[0]))
			continue
		}
		for step, got := range histories[i] {
			if want := histories[0][step]; math.Abs(got-want) > 1e-9 {
				t.Errorf("%v: result %d is %v, that of %v is %v", f, step, got, forms[0], want)
				break
			}
		}
	}
}

// history does something of everything and gives all results.
func history(t *testing.T, f Form, n int) (results []float64) {
	note := func(values ...float64) { results = append(results, values...) }
	random, members := workload.Random(7), workload.NewMembers(workload.LeastBytes)
	member := func(i int) []byte { return members.Append(nil, i) }
	s, half := f.New(1), f.New(2)
	defer s.Release()
	for i := range n {
		s.Add(member(i), float64(random.IntN(n)))
		if i%2 == 0 {
			half.Add(member(i), float64(i))
		}
	}
	state := func() {
		note(float64(s.Len()))
		s.Visit(math.Inf(-1), s.Len()+1, func(m []byte, score float64) {
			note(score, float64(m[len(m)-1]), float64(m[len(m)-2]), float64(m[len(m)-3]))
		})
	}
	state()
	for range n {
		i := random.IntN(n)
		s.Add(member(i), float64(random.IntN(n)))
		i = random.IntN(n)
		s.Increment(member(i), random.Float64())
		i = random.IntN(n)
		at, ok := s.Score(member(i))
		_, other := s.Score(member(n + i))
		if !ok || other {
			t.Fatalf("%v: member %d is there: %v, one that was never added: %v", f, i, ok, other)
		}
		note(at, float64(s.Rank(member(i))))
		count, total := s.SumRanks(random.IntN(n), 10)
		note(float64(count), total)
		count, total = s.SumScores(float64(random.IntN(n)), 10)
		note(float64(count), total)
	}
	state()
	u := f.Union(half, s, 3)
	count, total := u.SumRanks(0, n)
	note(float64(count), total)
	for range 20 {
		score, length := s.PopMin()
		note(score, float64(length))
	}
	for range 10 {
		low := float64(random.IntN(n))
		note(float64(s.RemoveScores(low, low+5)))
	}
	s.Add(member(n), 3)
	s.Remove(member(n))
	state()
	return results
}
