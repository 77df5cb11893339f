package zset

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// Whatever a Packer takes makes the block that a set would have; and it takes whatever comes in order, fits, and is new.
func TestPacker(t *testing.T) {
	o := DefaultOptions()
	o.ListpackMaxEntries, o.ListpackMaxValueBytes = 4, 200
	tuning, err := NewTuning(o)
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	scores := []float64{math.Inf(-1), -1e300, -5, math.Copysign(0, -1), 0, 59, 60, 0.1, 1 << 60, math.Inf(1), math.NaN()}
	var p Packer
	refused := map[string]int{}
	for range 20_000 {
		p.Begin(tuning)
		if p.Block() != nil {
			t.Fatal("a block of nothing")
		}
		s := New(tuning)
		var last []byte
		var lastScore float64
		for range random.IntN(16) {
			member := bytes.Repeat([]byte{'a' + byte(random.IntN(3))}, random.IntN(12))
			if random.IntN(40) == 0 {
				member = bytes.Repeat([]byte{'x'}, 120+random.IntN(100))
			}
			score := lastScore
			if s.Len() == 0 {
				score = scores[random.IntN(3)]
			} else if random.IntN(4) == 0 {
				score = scores[random.IntN(len(scores))]
			}
			why := ""
			_, there := s.Score(member)
			switch {
			case math.IsNaN(score):
				why = "no number"
			case there:
				why = "twice"
			case s.Len() > 0 && (score < lastScore || score == lastScore && bytes.Compare(member, last) < 0):
				why = "order"
			case s.Len() == 4:
				why = "too many"
			case len(member) > 200:
				why = "too long"
			}
			if got := p.Add(member, score); got != (why == "") {
				t.Fatalf("a member is taken: %v, but it is wrong with it: %q", got, why)
			}
			if why != "" {
				refused[why]++
				continue
			}
			s.Add(member, score, 0)
			last, lastScore = member, score
		}
		block, _ := s.Detach()
		if !bytes.Equal(p.Block(), block) {
			t.Fatalf("got  %x\nwant %x", p.Block(), block)
		}
	}
	if len(refused) != 5 {
		t.Errorf("refused were %v: not for every reason", refused)
	}
}
