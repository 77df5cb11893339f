package node

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/replog"
)

const inDoubt = "-" + errDoubt + "\r\n"

// gated is a server whose replies of writes wait for a disk, which the test plays.
func gated(t testing.TB, args ...string) (*running, *replog.Follower) {
	t.Helper()
	s := start(t, args...)
	s.env.Replication.Open()
	t.Cleanup(s.env.Replication.Close)
	disk := s.env.Replication.Confirmations().Disk()
	s.gate.RequireDisk(true)
	return s, disk
}

// confirm lets the disk have all there is.
func (r *running) confirm() {
	r.env.Replication.Confirmations().Disk().Confirm(r.env.Replication.Offset())
}

// ran waits until so many members are in k: the commands that add them have run.
func (r *running) ran(t testing.TB, members int) {
	t.Helper()
	w := dial(t, r.addr)
	eventually(t, fmt.Sprintf("%d members in k", members), func() bool { return w.do("ZCARD", "k") == fmt.Sprintf(":%d\r\n", members) })
}

// clientAt is the server's side of a connection, nil when there is none.
func (r *running) clientAt(w *wire) (found *client.Client) {
	r.clients.Each(func(cl *client.Client) {
		if cl.Addr == w.conn.LocalAddr().String() {
			found = cl
		}
	})
	return found
}

// holdsBack waits until replies to the client are held back, and checks that nothing was sent.
func (r *running) holdsBack(t testing.TB, w *wire) {
	t.Helper()
	eventually(t, "a reply that is held back", func() bool {
		cl := r.clientAt(w)
		return cl != nil && cl.ReplyUsed.Load() > 0 && cl.WritingSince.Load() == 0
	})
	if n := w.in.Buffered(); n != 0 {
		t.Errorf("%d bytes were sent", n)
	}
	w.conn.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
	if b, err := w.in.Peek(1); err == nil {
		t.Errorf("%q was sent", b)
	}
	w.conn.SetReadDeadline(time.Now().Add(patience))
}

func TestReplyOfAWriteWaits(t *testing.T) {
	s, _ := gated(t)
	w, other := dial(t, s.addr), dial(t, s.addr)
	w.send(string(array("ZADD", "k", "1", "a")))
	s.ran(t, 1)
	s.holdsBack(t, w)
	other.expect(":1\r\n", "ZCARD", "k") // reads are not held, and see it
	other.expect("+PONG\r\n", "PING")
	s.confirm()
	if got := w.reply(); got != ":1\r\n" {
		t.Errorf("got %q", got)
	}
	w.expect(":1\r\n", "ZCARD", "k")
	w.send(string(array("ZADD", "k", "1", "a"))) // changes nothing, so there is nothing to keep
	if got := w.reply(); got != ":0\r\n" {
		t.Errorf("got %q", got)
	}
}

// What comes behind a reply that waits is executed and waits, too; what is before is sent.
func TestRepliesKeepTheirOrder(t *testing.T) {
	s, disk := gated(t)
	w := dial(t, s.addr)
	first := s.env.Replication.Offset()
	w.send(string(array("PING")) + string(array("ZADD", "k", "1", "a")) + string(array("PING")))
	if got := w.reply(); got != "+PONG\r\n" {
		t.Errorf("got %q", got)
	}
	s.holdsBack(t, w)
	second := s.env.Replication.Offset()
	w.send(string(array("ZADD", "k", "1", "b")) + string(array("ZCARD", "k")))
	s.ran(t, 2)
	disk.Confirm(second - 1)
	s.holdsBack(t, w)
	if second <= first {
		t.Fatal("nothing was logged")
	}
	s.confirm()
	if got, want := w.reply()+w.reply()+w.reply()+w.reply(), ":1\r\n+PONG\r\n:1\r\n:2\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A client that sends on is executed on, up to a bound, and gets every reply in the end.
func TestPipelineFlowsUpToABound(t *testing.T) {
	s, _ := gated(t)
	w := dial(t, s.addr)
	const sent = 3*pledgeMost + 5
	done := make(chan error, 1)
	go func() {
		var all strings.Builder
		for i := range sent {
			all.Write(array("ZADD", "k", "1", fmt.Sprint(i)))
		}
		_, err := io.WriteString(w.conn, all.String())
		done <- err
	}()
	for most := pledgeMost; most < sent; most += pledgeMost {
		s.ran(t, most)
		s.holdsBack(t, w)
		s.ran(t, most)
		s.confirm()
		for range pledgeMost {
			if got := w.reply(); got != ":1\r\n" {
				t.Fatalf("got %q", got)
			}
		}
	}
	s.ran(t, sent)
	s.confirm()
	for range sent % pledgeMost {
		if got := w.reply(); got != ":1\r\n" {
			t.Fatalf("got %q", got)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Large replies behind one that waits bound what is executed, too.
func TestRepliesThatWaitAreBounded(t *testing.T) {
	s, _ := gated(t)
	w := dial(t, s.addr)
	long := strings.Repeat("x", flushAt/4)
	w.send(string(array("ZADD", "k", "1", "a")) + strings.Repeat(string(array("ECHO", long)), 20))
	s.holdsBack(t, w)
	eventually(t, "execution to stop", func() bool { return s.clientAt(w).QueryUsed.Load() > 0 })
	if n := s.clientAt(w).ReplyUsed.Load(); n > 2*flushAt {
		t.Errorf("%d bytes of replies wait", n)
	}
	s.confirm()
	if got := w.reply(); got != ":1\r\n" {
		t.Errorf("got %q", got)
	}
	for range 20 {
		if got := w.reply(); got != bulk(long) {
			t.Fatalf("got %q", got)
		}
	}
}

// In doubt are the writes; what was only read stays.
func TestInDoubt(t *testing.T) {
	s, _ := gated(t)
	w := dial(t, s.addr)
	w.send(string(array("ZADD", "k", "1", "a")) + string(array("ZSCORE", "k", "a")) +
		string(array("MULTI")) + string(array("ZADD", "k", "1", "b")) + string(array("PING")) + string(array("EXEC")) +
		string(array("EVAL", "return redis.call('ZADD', KEYS[1], 1, 'c')", "1", "k")) + string(array("FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() end)")) +
		string(array("PUBLISH", "c", "m")) + string(array("ZADD", "k", "1")) + string(array("ZREM", "k", "nobody")) + string(array("PING")))
	s.ran(t, 3)
	s.holdsBack(t, w)
	s.gate.Interrupt()
	want := inDoubt + bulk("1") + "+OK\r\n+QUEUED\r\n+QUEUED\r\n" + inDoubt + inDoubt + inDoubt +
		":0\r\n-ERR wrong number of arguments for 'zadd' command\r\n:0\r\n+PONG\r\n"
	got := ""
	for range strings.Count(want, "\r\n") - 1 {
		got += w.reply()
	}
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	w.send(string(array("ZADD", "k", "1", "d")))
	s.ran(t, 4)
	s.confirm()
	if got := w.reply(); got != ":1\r\n" {
		t.Errorf("after it: %q", got)
	}
}

// Whoever was waiting for a member gets it once its removal is kept.
func TestServedPopWaits(t *testing.T) {
	s, _ := gated(t)
	w, b := dial(t, s.addr), dial(t, s.addr)
	b.blocked(s, "BZPOPMIN", "k", "0")
	w.send(string(array("ZADD", "k", "1", "a")))
	s.holdsBack(t, b)
	s.confirm()
	if got := b.reply(); got != popped("k", "a", "1") {
		t.Errorf("got %q", got)
	}
	b.blocked(s, "BZPOPMIN", "k", "0")
	w.reply()
	w.send(string(array("ZADD", "k", "1", "a")))
	s.holdsBack(t, b)
	s.gate.Interrupt()
	if got := b.reply() + w.reply(); got != inDoubt+inDoubt {
		t.Errorf("got %q", got)
	}
}

// A client that closed its sending side is answered when it can be.
func TestHalfClosedClientIsAnswered(t *testing.T) {
	s, _ := gated(t)
	w := dial(t, s.addr)
	w.send(string(array("ZADD", "k", "1", "a")) + string(array("PING")))
	w.conn.(*net.TCPConn).CloseWrite()
	s.ran(t, 1)
	s.holdsBack(t, w)
	s.confirm()
	if got := w.rest(); got != ":1\r\n+PONG\r\n" {
		t.Errorf("got %q", got)
	}
	w = dial(t, s.addr)
	w.send(string(array("ZADD", "k", "1", "b")) + string(array("QUIT")))
	s.ran(t, 2)
	s.holdsBack(t, w)
	s.confirm()
	if got := w.rest(); got != ":1\r\n+OK\r\n" {
		t.Errorf("after QUIT: %q", got)
	}
}

// fillUp sends until nothing more is executed for the client.
func fillUp(t *testing.T, s *running, w *wire) {
	t.Helper()
	var all strings.Builder
	for i := range 2 * pledgeMost {
		all.Write(array("ZADD", "k", "1", fmt.Sprint(i)))
	}
	w.send(all.String())
	s.ran(t, pledgeMost)
	s.holdsBack(t, w)
}

func TestWaitingClientsEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		send func(*testing.T, *running, *wire)
	}{
		{"one reply", func(t *testing.T, s *running, w *wire) {
			w.send(string(array("ZADD", "k", "1", "a")))
			s.holdsBack(t, w)
		}},
		{"as many as may", fillUp},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := gated(t)
			w, admin := dial(t, s.addr), dial(t, s.addr)
			c.send(t, s, w)
			admin.expect(":1\r\n", "CLIENT", "KILL", "ID", fmt.Sprint(s.clientAt(w).ID))
			w.rest()
			eventually(t, "the killed client to go", func() bool { return s.clientAt(w) == nil })
		})
	}
}

func TestWaitingClientLeaves(t *testing.T) {
	s, _ := gated(t)
	w := dial(t, s.addr)
	w.send(string(array("ZADD", "k", "1", "a")))
	s.holdsBack(t, w)
	cl := s.clientAt(w)
	w.conn.(*net.TCPConn).SetLinger(0) // reset
	w.conn.Close()
	eventually(t, "the client to go", func() bool { return s.clients.Get(cl.ID) == nil })
}

// The stop waits for what can still be kept, as long as it waits for anything.
func TestStopWhileRepliesWait(t *testing.T) {
	s, _ := gated(t)
	w := dial(t, s.addr)
	w.send(string(array("ZADD", "k", "1", "a")))
	s.holdsBack(t, w)
	ended := make(chan struct{})
	go func() {
		s.stop()
		close(ended)
	}()
	eventually(t, "the stop to begin", s.isStopping)
	s.confirm()
	if got := w.rest(); got != ":1\r\n" {
		t.Errorf("got %q", got)
	}
	<-ended

	s, _ = gated(t, "--shutdown-timeout", "0")
	w = dial(t, s.addr)
	fillUp(t, s, w)
	s.stop()
	if got := w.rest(); got != "" {
		t.Errorf("%q was sent though it is not kept", got)
	}
}

// What others push is not held, but for a client that has a reply before it.
func TestMessagesAreNotHeld(t *testing.T) {
	s, _ := gated(t)
	w, sub, reader := dial(t, s.addr), dial(t, s.addr), dial(t, s.addr)
	sub.do("SUBSCRIBE", "c")
	reader.do("HELLO", "3")
	reader.do("CLIENT", "TRACKING", "ON")
	reader.do("ZCARD", "k")
	w.send(string(array("PUBLISH", "c", "m")) + string(array("ZADD", "k", "1", "a")))
	if got := sub.reply() + w.reply(); got != "*3\r\n"+bulk("message")+bulk("c")+bulk("m")+":1\r\n" {
		t.Errorf("got %q", got)
	}
	if got := reader.reply(); got != ">2\r\n"+bulk("invalidate")+"*1\r\n"+bulk("k") {
		t.Errorf("got %q", got)
	}
	s.holdsBack(t, w)
	s.confirm() // or the stop would wait for it
}

func TestClientsWithoutRepliesWaitForNothing(t *testing.T) {
	s, _ := gated(t)
	w := dial(t, s.addr)
	w.send(string(array("CLIENT", "REPLY", "SKIP")) + string(array("ZADD", "k", "1", "a")) + string(array("PING")))
	if got := w.reply(); got != "+PONG\r\n" {
		t.Errorf("got %q", got)
	}
}

// The deadline is looked at before a write and again before its reply leaves.
func TestNobodyVouchesAnyMore(t *testing.T) {
	s, _ := gated(t)
	w := dial(t, s.addr)
	w.send(string(array("ZADD", "k", "1", "a")))
	s.holdsBack(t, w)
	s.gate.Until(time.Now(), "ERR not now")
	s.confirm()
	if got := w.reply(); got != inDoubt {
		t.Errorf("got %q", got)
	}
	w.expect("-ERR not now\r\n", "ZADD", "k", "1", "b")
	if got := w.do("EVAL", "return redis.call('ZADD', KEYS[1], 1, 'b')", "1", "k"); !strings.HasPrefix(got, "-ERR not now script: ") {
		t.Errorf("in a script: %q", got)
	}
	w.expect(":1\r\n", "ZCARD", "k")
	w.do("MULTI")
	w.do("PING")
	w.expect("-ERR not now\r\n", "ZADD", "k", "1", "b")
	w.expect("-EXECABORT Transaction discarded because of previous errors.\r\n", "EXEC")
}
