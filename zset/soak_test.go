package zset

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var soakSteps = flag.Int("soak", 200_000, "operations of TestSoak")

// TestSoak does random operations to a set that grows to many thousands of members and shrinks to few, again and
// again, with members and scores of changing kinds. A map knows what is in the set; order, ranks and memory are
// the checks' affair, which run now and then, as does a comparison with the map. What it costs at most is bounded
// in work, see TestBoundedWork.
func TestSoak(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := &soak{T: t, random: rand.New(rand.NewPCG(seed, 0)), memory: newTestMemory(), model: map[string]float64{}}
	s.set = NewSeeded(nil, seed)
	s.set.memory = s.memory
	steps := *soakSteps
	if testing.Short() {
		steps = min(steps, 20_000)
	}
	for s.step = 0; s.step < steps; {
		s.phase(min(steps-s.step, 1+s.random.IntN(steps/10+1)))
		s.compare()
	}
	s.set.Release()
	if len(s.memory.taken) > 0 || s.set.Len() > 0 {
		t.Errorf("released, %d arrays are left and %d members", len(s.memory.taken), s.set.Len())
	}
}

type soak struct {
	*testing.T
	random  *rand.Rand
	memory  *testMemory
	set     *Set
	model   map[string]float64
	step    int
	largest int
}

// phase does so many operations with the same odds.
func (s *soak) phase(steps int) {
	adds := 10 + s.random.IntN(85) // in a hundred
	ids := 100 << s.random.IntN(14)
	kind, length := s.random.IntN(5), s.random.IntN(60)
	o := historyTunings[s.random.IntN(len(historyTunings))]
	o.ListpackMaxEntries = min(o.ListpackMaxEntries, 128)
	tuning, err := NewTuning(o)
	if err != nil {
		s.Fatal(err)
	}
	s.set.SetTuning(tuning)
	for range steps {
		s.step++
		member := s.member(ids, length)
		switch n := s.random.IntN(100); {
		case n < adds:
			score := s.score(kind)
			now, r, err := s.set.Add(member, score, 0)
			old, there := s.model[string(member)]
			want := Added
			if there && old == score {
				want, score = Unchanged, old
			} else if there {
				want = Updated
			}
			if now != score || r != want || err != nil {
				s.Fatalf("step %d: Add(%q, %v) = %v, %v, %v, want %v", s.step, member, score, now, r, err, want)
			}
			s.model[string(member)] = score
		case n == 99 && s.random.IntN(50) == 0:
			s.removeRange()
		default:
			score, ok := s.set.Remove(member)
			if want, there := s.model[string(member)]; ok != there || score != want {
				s.Fatalf("step %d: Remove(%q) = %v, %v, want %v, %v", s.step, member, score, ok, want, there)
			}
			delete(s.model, string(member))
		}
		s.largest = max(s.largest, s.set.Len())
	}
}

func (s *soak) member(ids, length int) []byte {
	id := s.random.IntN(ids)
	return fmt.Appendf(nil, "%d%0*d", id, id%(length+1), 0)
}

func (s *soak) score(kind int) float64 {
	switch kind {
	case 0:
		return s.random.Float64()
	case 1:
		return float64(s.random.IntN(20))
	case 2:
		return s.random.NormFloat64() * 1e300
	case 3:
		return float64(s.step) // in order
	}
	return -float64(s.step)
}

func (s *soak) removeRange() {
	n := s.set.Len()
	if n == 0 {
		return
	}
	start := s.random.IntN(n)
	end := min(start+s.random.IntN(1+s.random.IntN(n)), n)
	r := Range{Start: start, End: end}
	for member := range s.set.Ascend(r) {
		delete(s.model, string(member))
	}
	if got := s.set.RemoveRange(r); got != end-start {
		s.Fatalf("step %d: RemoveRange([%d, %d)) = %d", s.step, start, end, got)
	}
}

// compare holds the set against the map, and its books against itself.
func (s *soak) compare() {
	if err := s.set.check(); err != nil {
		s.Fatalf("step %d, %d members: %v", s.step, s.set.Len(), err)
	}
	if s.set.Len() != len(s.model) {
		s.Fatalf("step %d: %d members, want %d", s.step, s.set.Len(), len(s.model))
	}
	rank := 0
	for member, score := range s.set.All() {
		if want, ok := s.model[string(member)]; !ok || want != score {
			s.Fatalf("step %d: %q has %v, want %v, %v", s.step, member, score, want, ok)
		}
		if rank%97 == 0 {
			if got, _, ok := s.set.Rank(member); !ok || got != rank {
				s.Fatalf("step %d: rank of %q is %d, %v, want %d", s.step, member, got, ok, rank)
			}
		}
		rank++
	}
	if l := s.set.list; l != nil {
		if held := s.memory.bytes; held != l.records.held+l.records.apart+l.blocks.held+l.index.Held() {
			s.Fatalf("step %d: %d bytes of memory are out, the list has %d", s.step, held, l.records.held+l.blocks.held+l.index.Held())
		}
		for _, a := range []*segments{&l.records.segments, &l.blocks.segments} {
			held := a.held
			if a.victim >= 0 {
				held -= len(a.bufs[a.victim]) // its members are on their way to other segments
			}
			if held > 2*a.live+16384 {
				s.Fatalf("step %d: %d members hold %d bytes, in use are %d", s.step, l.length, held, a.live)
			}
		}
	}
}
