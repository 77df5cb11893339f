package replog

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// waitFor waits for confirmations; done is closed when there are enough.
func waitFor(c *Confirmations, offset int64, count int, saved bool) (w *Wait, done chan struct{}) {
	done = make(chan struct{})
	w = &Wait{Wake: func() { close(done) }}
	if c.Await(w, offset, count, saved) {
		close(done)
	}
	return w, done
}

func over(done chan struct{}) bool {
	select {
	case <-done:
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
	_, one := waitFor(&c, 100, 1, false)
	w, two := waitFor(&c, 100, 2, false)
	if over(one) || c.Count(0, false) != 0 {
		t.Error("confirmed by nobody")
	}
	a, b := c.Join(50), c.Join(0)
	a.Confirm(99)
	if over(one) {
		t.Error("a byte is missing")
	}
	a.Confirm(100)
	if !over(one) || over(two) || c.Count(100, false) != 1 {
		t.Error("one follower has it")
	}
	a.Confirm(10)
	if a.Offset() != 100 {
		t.Errorf("an offset went back to %d", a.Offset())
	}
	b.Confirm(1000)
	if !over(two) {
		t.Error("both have it")
	}
	c.Cancel(w)
	w, three := waitFor(&c, 1, 3, false)
	c.Cancel(w)
	c.Join(5)
	if over(three) {
		t.Error("a wait went on after its end")
	}
	b.Leave()
	b.Leave()
	if n := c.Count(1, false); n != 2 {
		t.Errorf("%d are left", n)
	}
	if _, done := waitFor(&c, 100, 1<<30, false); over(done) {
		t.Error("as many as that are not there")
	}
}

// What replicas have on their disks is counted by itself, and this node's disk is no replica.
func TestConfirmationsOfDisks(t *testing.T) {
	var c Confirmations
	a := c.Join(0)
	_, local := waitFor(&c, 100, OfDisk, false)
	_, saved := waitFor(&c, 100, 1, true)
	a.Confirm(200)
	if over(saved) || c.Count(100, true) != 0 || c.Count(100, false) != 1 {
		t.Error("it is in memory only")
	}
	c.Disk().Confirm(100)
	if !over(local) || over(saved) || c.Count(100, false) != 1 {
		t.Error("this node's disk has it, that of no replica")
	}
	a.ConfirmSaved(200, 150)
	if !over(saved) || c.Count(100, true) != 1 {
		t.Error("its disk has it")
	}
}

func TestConfirmationsRequired(t *testing.T) {
	var c Confirmations
	if _, done := waitFor(&c, 100, OfRequired, false); !over(done) || c.Kept() != everything {
		t.Error("nobody is required")
	}
	a, b, other := c.Join(0), c.Join(0), c.Join(0)
	a.Require(true)
	b.Require(true)
	w, done := waitFor(&c, 100, OfRequired, false)
	other.Confirm(100)
	a.Confirm(100)
	if over(done) || c.Kept() != 0 {
		t.Error("one required follower has not confirmed")
	}
	b.Require(false)
	if !over(done) || c.Kept() != 100 {
		t.Error("it is not required any more")
	}
	done = make(chan struct{})
	w.Wake = func() { close(done) }
	if c.Await(w, 200, OfRequired, false) || over(done) {
		t.Error("a wait that is used again")
	}
	a.Leave()
	if !over(done) {
		t.Error("it left, and has no name")
	}
	c.Disk().Require(true)
	if _, done := waitFor(&c, 1, OfRequired, false); over(done) {
		t.Error("the disk has nothing")
	} else if c.WakeAll(); !over(done) {
		t.Error("all were woken")
	}
}

// Who is required by name is so whether it is there or not.
func TestConfirmationsRequiredByName(t *testing.T) {
	var c Confirmations
	a := c.JoinAs("a", 50)
	c.RequireOnly([]string{"a"})
	if c.Kept() != 50 {
		t.Errorf("kept up to %d", c.Kept())
	}
	a.Leave()
	if c.Kept() != 50 || c.Count(0, false) != 0 {
		t.Error("it is required still, and counts for nothing")
	}
	if all := c.Replicas(); len(all) != 1 || all[0] != (Confirmed{"a", 50, true, true}) {
		t.Errorf("%+v", all)
	}
	again := c.JoinAs("a", 60)
	again.Confirm(70)
	if c.Kept() != 70 || c.Count(0, false) != 1 {
		t.Error("it is back")
	}
	a.Confirm(1000)
	if c.Kept() != 70 {
		t.Error("a connection that was replaced confirms nothing")
	}
	c.RequireOnly([]string{"a", "b"})
	if c.Kept() != 0 {
		t.Error("b was never here")
	}
	c.RequireOnly(nil)
	if c.Kept() != everything || len(c.Replicas()) != 1 {
		t.Errorf("%+v", c.Replicas())
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
				w, done := waitFor(&c, offset, count, false)
				if rng.IntN(4) == 0 {
					c.Cancel(w)
					continue
				}
				<-done
				if n := c.Count(offset, false); n < count {
					t.Errorf("%d have %d, %d were waited for", n, offset, count)
				}
			}
		})
	}
	wg.Wait()
}
