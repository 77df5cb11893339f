package client

import (
	"strings"
	"sync"
	"testing"
)

// recorder is a wire that counts, with a limit.
type recorder struct {
	mu     sync.Mutex
	limit  int64
	sum    int64 // guarded by mu, as all below
	woken  int
	closed int
}

func (r *recorder) Hurry() {}

func (r *recorder) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed++
}

func (r *recorder) Wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.woken++
}

func (r *recorder) Pushed(delta, waiting int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum += delta
	return waiting <= r.limit
}

func TestOutbox(t *testing.T) {
	wire := &recorder{limit: 1000}
	c := New(1, "", "", noon, wire)
	if c.HasPushed() {
		t.Error("messages wait at the start")
	}
	for _, m := range []string{"one", "two", "three"} {
		c.Push([]byte(m))
	}
	if n, bytes := c.Messages(); n != 3 || bytes != 11+3*messageBytes || wire.sum != bytes || wire.woken != 3 {
		t.Errorf("%d messages, %d bytes; the wire counts %+v", n, bytes, wire)
	}
	var got []string
	take := func(most int) string {
		got = nil
		c.TakePushed(most, func(m []byte) { got = append(got, string(m)) })
		return strings.Join(got, " ")
	}
	if text := take(1); text != "one" {
		t.Errorf("took %q", text)
	}
	c.Push([]byte("four"))
	if text := take(1 << 20); text != "two three four" {
		t.Errorf("took %q", text)
	}
	if c.HasPushed() || wire.sum != 0 {
		t.Errorf("%d bytes are left", wire.sum)
	}

	if c.Ending() {
		t.Error("counts as ending before its time")
	}

	// Above the limit the client is closed, and gets nothing more.
	for wire.closed == 0 {
		c.Push([]byte(strings.Repeat("x", 100)))
	}
	c.Push([]byte("late"))
	if n, _ := c.Messages(); n != 0 || !c.Ending() || wire.closed != 1 || wire.sum != 0 || c.HasPushed() {
		t.Errorf("after its end: %d messages; the wire counts %+v", n, wire)
	}
}

func TestDiscard(t *testing.T) {
	wire := &recorder{limit: 1000}
	c := New(1, "", "", noon, wire)
	c.Push([]byte("one"))
	c.Discard()
	c.Push([]byte("two"))
	if n, _ := c.Messages(); n != 0 || wire.sum != 0 {
		t.Errorf("%d messages, %d bytes", n, wire.sum)
	}
}

func TestUnblock(t *testing.T) {
	c := New(1, "", "", noon, Unwired{})
	if c.Unblock(false) {
		t.Error("ended the wait of a client that does not wait")
	}
	asked := []bool{}
	c.SetBlocked(func(asError bool) bool {
		asked = append(asked, asError)
		return len(asked) == 1
	})
	if !c.Is(Blocked) || !c.Unblock(true) || c.Unblock(false) || len(asked) != 2 || !asked[0] || asked[1] {
		t.Errorf("asked %v", asked)
	}
	c.SetBlocked(nil)
	if c.Is(Blocked) || c.Unblock(false) {
		t.Error("still waits")
	}
}

func TestFlags(t *testing.T) {
	c := New(1, "", "", noon, Unwired{})
	c.Enter(Monitoring | InTransaction | Blocked | Tracking | TrackingBroken | TrackingBroadcast)
	c.Channels.Add(1)
	c.NoEvict.Store(true)
	c.NoTouch.Store(true)
	const all = "OPxbtRBeT"
	if got := c.Flags(); got != all || strings.Trim(all, Letters) != "" {
		t.Errorf("flags are %q", got)
	}
	if c.Class() != PubSub {
		t.Error("a subscriber is not one")
	}
}
