package replog

import (
	"math/rand/v2"
	"sync"
	"testing"
)

func done(w *Wait) bool {
	select {
	case <-w.Done:
		return true
	default:
		return false
	}
}

func TestHistory(t *testing.T) {
	first := History{ID: "a"}
	second := first.Branch("b", 100)
	for _, c := range []struct {
		h      History
		id     string
		offset int64
		want   bool
	}{
		{first, "a", 1, true}, {first, "b", 1, false}, {first, "", 1, false},
		{second, "b", 500, true}, {second, "a", 100, true}, {second, "a", 101, false}, {second, "c", 1, false},
		{second.Branch("c", 200), "a", 50, false}, {second.Branch("c", 200), "b", 200, true},
	} {
		if got := c.h.Has(c.id, c.offset); got != c.want {
			t.Errorf("%+v has %q up to %d: %v", c.h, c.id, c.offset, got)
		}
	}
}

func TestConfirmationsCount(t *testing.T) {
	var c Confirmations
	one, two := c.Await(100, 1), c.Await(100, 2)
	if done(one) || c.Count(0) != 0 {
		t.Error("confirmed by nobody")
	}
	a, b := c.Join(50), c.Join(0)
	a.Confirm(99)
	if done(one) {
		t.Error("a byte is missing")
	}
	a.Confirm(100)
	if !done(one) || done(two) || c.Count(100) != 1 {
		t.Error("one follower has it")
	}
	a.Confirm(10)
	if a.Offset() != 100 {
		t.Errorf("an offset went back to %d", a.Offset())
	}
	b.Confirm(1000)
	if !done(two) || !c.Cancel(two) {
		t.Error("both have it")
	}
	three := c.Await(1, 3)
	if done(three) || c.Cancel(three) {
		t.Error("there are only two")
	}
	c.Join(5)
	if done(three) {
		t.Error("a wait went on after its end")
	}
	b.Leave()
	b.Leave()
	if n := c.Count(1); n != 2 {
		t.Errorf("%d are left", n)
	}
}

func TestConfirmationsRequired(t *testing.T) {
	var c Confirmations
	if !done(c.Await(100, 0)) {
		t.Error("nobody is required")
	}
	a, b, other := c.Join(0), c.Join(0), c.Join(0)
	a.Require(true)
	b.Require(true)
	w := c.Await(100, 0)
	other.Confirm(100)
	a.Confirm(100)
	if done(w) || c.Required() != 2 {
		t.Error("one required follower has not confirmed")
	}
	b.Require(false)
	if !done(w) {
		t.Error("it is not required any more")
	}
	w = c.Await(200, 0)
	a.Leave()
	if !done(w) {
		t.Error("it left")
	}
}

// Followers advance while others wait: every wait ends, and none before enough followers have it.
func TestConfirmationsTogether(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var c Confirmations
	const followers, last = 3, 2000
	var wg sync.WaitGroup
	for i := range followers {
		f := c.Join(0)
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			for at := int64(0); at < last; {
				at += rng.Int64N(5)
				f.Confirm(at)
			}
		})
	}
	for i := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(100+i)))
			for range 500 {
				offset, count := rng.Int64N(last), 1+rng.IntN(followers)
				w := c.Await(offset, count)
				if rng.IntN(4) == 0 {
					c.Cancel(w)
					continue
				}
				<-w.Done
				if n := c.Count(offset); n < count {
					t.Errorf("%d have %d, %d were waited for", n, offset, count)
				}
			}
		})
	}
	wg.Wait()
}
