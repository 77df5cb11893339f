package replication

import (
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/node/telemetry"
)

// world is a State with what it is made of in the hands of a test.
type world struct {
	*State
	journal  *replog.Log // what the keyspace appends to
	settings Settings
	now      time.Time
}

func newWorld() *world {
	w := &world{now: time.Unix(1000, 0), settings: Settings{BacklogSize: 1 << 20, BacklogTTL: time.Hour, Timeout: time.Minute, PingEvery: 10 * time.Second}}
	w.State = New(Options{
		RunID: "run", Keyspace: keyspace.New(), Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.now },
		Settings: func() Settings { return w.settings }, Journal: func(log *replog.Log) { w.journal = log }, Turning: func() {},
		Stats: telemetry.NewStats(nil), Functions: func() [][]byte { return nil },
	})
	return w
}

// follower is listed as one, and says whether it was closed.
func (w *world) follower(stage Stage) (f *Follower, closed *atomic.Bool) {
	closed = new(atomic.Bool)
	f = w.Attach(Request{Addr: "127.0.0.1:7", Close: func() { closed.Store(true) }})
	f.stage.Store(int32(stage))
	return f, closed
}

// The log is there while somebody reads it, and the name that others know is never that of a log with a gap.
func TestLogBeginsAndEnds(t *testing.T) {
	w := newWorld()
	before := w.History()
	if w.Log() != nil || w.Role() != Primary || w.Offset() != FirstOffset {
		t.Fatal("a new node is no primary without a log")
	}
	log := w.Open()
	first := w.History()
	if w.journal != log || first.ID == before.ID || first.Previous != "" {
		t.Errorf("a log that begins has the history %+v behind %+v", first, before)
	}
	log.Append([]byte("12345"))
	if w.Open() != log || w.History() != first {
		t.Error("another reader gets another log")
	}
	w.Close()
	w.now = w.now.Add(2 * time.Hour)
	w.Tend()
	if w.Log() != log {
		t.Error("a log that is read ended")
	}
	w.Close()
	w.Tend()
	if w.Log() != log {
		t.Error("it ended at once")
	}
	w.now = w.now.Add(time.Hour)
	w.Tend()
	if w.Log() != nil || w.journal != nil || w.Offset() != FirstOffset+5 {
		t.Errorf("it did not end; offset %d", w.Offset())
	}
	w.Open()
	if again := w.History(); again.Has(first.ID, FirstOffset+5) {
		t.Errorf("the history %+v goes on over a gap", again)
	}
}

// A replica's log goes on under the names its primary gives it, and under a new one when it becomes primary itself; who follows it
// has to come again each time the name changes.
func TestRolesAndNames(t *testing.T) {
	w := newWorld()
	w.Open()
	w.Follow()
	if w.Role() != Replica || w.journal != nil {
		t.Error("a replica notes what changes by itself")
	}
	_, closed := w.follower(Online)
	w.Adopt(replog.History{ID: "a"}, 100, 0)
	if !closed.Load() {
		t.Error("who followed has other data, and was not closed")
	}
	w.Log().Append([]byte("12345"))

	_, closed = w.follower(Online)
	w.Continue("a")
	if closed.Load() {
		t.Error("closed for the same name")
	}
	w.Continue("b")
	if h := w.History(); !closed.Load() || h != (replog.History{ID: "b", Previous: "a", Until: 105}) {
		t.Errorf("after another name: %+v", h)
	}

	log := w.Log()
	w.Promote()
	h := w.History()
	if w.Role() != Primary || w.journal != log || w.Log() != log || h.Previous != "b" || h.Until != 105 || len(h.ID) != 40 {
		t.Errorf("after the promotion: %v, %+v", w.Role(), h)
	}
	w.Promote()
	if w.History() != h {
		t.Error("a primary became primary")
	}
}

// A primary lets those who get its log hear of it, at times; a replica never writes to its log.
func TestPings(t *testing.T) {
	w := newWorld()
	w.Open()
	w.Tend()
	if w.Offset() != FirstOffset {
		t.Error("a ping for nobody")
	}
	w.follower(Online)
	ping := int64(len(replog.Command("PING", w.Identity().Stamp())))
	for i, c := range []struct {
		pass time.Duration
		want int64
	}{{0, 1}, {time.Second, 1}, {9 * time.Second, 2}, {10 * time.Second, 3}} {
		w.now = w.now.Add(c.pass)
		w.Tend()
		if got := (w.Offset() - FirstOffset) / ping; got != c.want {
			t.Errorf("step %d: %d pings", i, got)
		}
	}
	w.Follow()
	at := w.Offset()
	w.now = w.now.Add(time.Minute)
	w.Tend()
	w.AskConfirmations()
	if w.Offset() != at {
		t.Error("a replica appended to its log")
	}
}

// Who is judged too slow or silent, and who is not.
func TestWhoIsClosed(t *testing.T) {
	const soft = 1000
	for name, c := range map[string]struct {
		behind int
		old    bool
		passes []time.Duration
		want   bool
	}{
		"all is well":                         {0, false, []time.Duration{time.Second}, false},
		"silent for a minute":                 {0, false, []time.Duration{61 * time.Second}, true},
		"silent, but need not speak":          {0, true, []time.Duration{61 * time.Second}, false},
		"above the soft limit for a moment":   {soft + 1, false, []time.Duration{0, 5 * time.Second}, false},
		"above the soft limit for too long":   {soft + 1, false, []time.Duration{0, 11 * time.Second}, true},
		"at the soft limit for a long time":   {soft, false, []time.Duration{0, 11 * time.Second}, false},
		"above the hard limit":                {3 << 20, false, []time.Duration{0}, true},
		"far behind, but within what is kept": {soft / 2, false, []time.Duration{0, 30 * time.Second}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.settings.Behind = Behind{Hard: 2 << 20, Soft: soft, SoftFor: 10 * time.Second}
			log := w.Open()
			f, closed := w.follower(Online)
			f.Old = c.old
			reader := log.Tail(w.settings.Behind.hard())
			defer reader.Close()
			f.goOn(reader, w.Offset())
			w.pinged = w.now.Add(time.Hour) // none in between
			log.Append(make([]byte, c.behind))
			for _, pass := range c.passes {
				w.now = w.now.Add(pass)
				w.Tend()
			}
			if closed.Load() != c.want {
				t.Errorf("closed: %v", closed.Load())
			}
		})
	}
}

// What a follower confirms beyond what it was sent does not count.
func TestConfirmations(t *testing.T) {
	w := newWorld()
	log := w.Open()
	f, _ := w.follower(Sending)
	reader := log.Tail(1 << 20)
	defer reader.Close()
	f.goOn(reader, w.Offset())
	end := log.Append([]byte("12345"))
	f.online()
	f.Confirm(end, 0)
	if n := w.Confirmations().Count(end, false); n != 0 {
		t.Error("it has what it was not sent")
	}
	f.sent.Store(end)
	f.Confirm(end, end-1)
	if w.Confirmations().Count(end, false) != 1 || w.Confirmations().Count(end, true) != 0 || w.Confirmations().Count(end-1, true) != 1 {
		t.Error("its confirmation is not counted")
	}
	if i := w.Followers()[0]; i.Stage != Online || i.Offset != end || i.Behind != 0 || i.Host != "127.0.0.1" || i.Port != 7 {
		t.Errorf("it is told of as %+v", i)
	}
}
