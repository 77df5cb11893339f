package gate

import (
	"testing"
	"time"

	"zset.dev/operator/node/replog"
)

// expect checks what becomes of a write at offset 100, executed in that term.
func expect(t *testing.T, g *Gate, term int64, want Verdict) {
	t.Helper()
	if got := g.Judge(term, 100); got != want {
		t.Errorf("judged %d, want %d", got, want)
	}
}

func TestNothingIsRequired(t *testing.T) {
	g := New(&replog.Confirmations{})
	if g.On() || g.Refusal() != "" {
		t.Error("it asks for something")
	}
	expect(t, g, g.Term(), Leave)
}

func TestTheDisk(t *testing.T) {
	var c replog.Confirmations
	g := New(&c)
	g.RequireDisk(true)
	if !g.On() {
		t.Error("it is required")
	}
	expect(t, g, g.Term(), Wait)
	woken := 0
	w := replog.Wait{Wake: func() { woken++ }}
	if g.Await(&w, g.Term(), 100) {
		t.Error("there is nothing new")
	}
	c.Disk().Confirm(99)
	expect(t, g, g.Term(), Wait)
	c.Disk().Confirm(100)
	expect(t, g, g.Term(), Leave)
	if woken != 1 {
		t.Errorf("woken %d times", woken)
	}
	if !g.Await(&w, g.Term(), 100) {
		t.Error("it may leave already")
	}
	g.RequireDisk(false)
	if g.On() {
		t.Error("it is not required any more")
	}
}

func TestReplicas(t *testing.T) {
	var c replog.Confirmations
	g := New(&c)
	a := c.JoinAs("a", 50)
	g.Synchronize(true, nil, "NOREPLICAS none", false)
	if !g.On() || g.Refusal() != "NOREPLICAS none" {
		t.Error("there is none")
	}
	g.Synchronize(true, []string{"a"}, "", false)
	if g.Refusal() != "" {
		t.Error("there is one")
	}
	expect(t, g, g.Term(), Wait)
	a.Leave()
	expect(t, g, g.Term(), Wait)
	c.JoinAs("a", 100)
	expect(t, g, g.Term(), Leave)
	g.Synchronize(true, []string{"a", "b"}, "", false)
	expect(t, g, g.Term(), Wait)
	term := g.Term()
	g.Synchronize(true, []string{"a"}, "NOREPLICAS one", true)
	expect(t, g, term, Doubt)
	g.Synchronize(false, nil, "", false)
	if g.On() || c.Kept() < 100 {
		t.Error("it is over")
	}
}

// What an ended term leaves behind is in doubt, confirmed or not: offsets may mean something else now.
func TestInterrupt(t *testing.T) {
	var c replog.Confirmations
	g := New(&c)
	g.RequireDisk(true)
	term := g.Term()
	woken := false
	w := replog.Wait{Wake: func() { woken = true }}
	g.Await(&w, term, 100)
	g.Interrupt()
	if !woken {
		t.Error("who waits is not told")
	}
	expect(t, g, term, Doubt)
	expect(t, g, g.Term(), Wait)
	if woken = false; !g.Await(&w, term, 100) {
		t.Error("to wait for an ended term is in vain")
	}
	c.Disk().Confirm(100)
	if woken {
		t.Error("woken though nobody waits")
	}
	expect(t, g, term, Doubt)
}

func TestDeadline(t *testing.T) {
	g := New(&replog.Confirmations{})
	g.Until(time.Now().Add(time.Hour), "gone")
	if !g.On() || g.Refusal() != "" {
		t.Error("it has not passed")
	}
	expect(t, g, g.Term(), Leave)
	g.Until(time.Now(), "gone")
	if g.Refusal() != "gone" {
		t.Error("it has passed")
	}
	expect(t, g, g.Term(), Doubt)
	g.RequireReplicas(true, "NOREPLICAS few")
	if g.Refusal() != "gone" {
		t.Error("that replicas are too few, too, comes first")
	}
	g.RequireReplicas(false, "")
	g.Until(time.Time{}, "")
	if g.On() {
		t.Error("there is none")
	}
}

// After a hand-over the replies of what the next primary has may leave, though the term and the time to acknowledge are over; those of
// what it does not have, or of another term, may not.
func TestSettle(t *testing.T) {
	var c replog.Confirmations
	g := New(&c)
	a := c.JoinAs("a", 50)
	g.Until(time.Now().Add(time.Hour), "READONLY late")
	g.Interrupt() // what was executed before is in doubt, and stays so
	g.Synchronize(true, []string{"a"}, "", false)
	a.Confirm(100)
	term := g.Term()
	g.Settle(100)
	g.Interrupt()
	g.Until(time.Now(), "READONLY over")
	expect(t, g, term, Leave)
	expect(t, g, term-1, Doubt)
	expect(t, g, g.Term(), Doubt)
	if got := g.Judge(term, 101); got != Doubt {
		t.Errorf("what came later is judged %d", got)
	}

	// The end of the log bounds it when nobody is waited for: the term may go on if the hand-over is given up.
	h := New(&replog.Confirmations{})
	h.Settle(100)
	h.Until(time.Now(), "READONLY over")
	if got := h.Judge(h.Term(), 101); got != Doubt {
		t.Errorf("written after a hand-over that was given up, past the deadline: judged %d", got)
	}
}
