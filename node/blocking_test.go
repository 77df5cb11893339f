package node

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/client"
)

// id is the number of a connection.
func (w *wire) id() string {
	w.t.Helper()
	return strings.TrimSpace(w.do("CLIENT", "ID")[1:])
}

// blocked sends a command and waits until the client waits.
func (w *wire) blocked(s *running, args ...string) {
	w.t.Helper()
	id, _ := strconv.ParseUint(w.id(), 10, 64)
	w.send(string(array(args...)))
	eventually(w.t, "the client waits", func() bool {
		return s.clients.Get(id).Is(client.Blocked | client.Postponed)
	})
}

// transaction runs commands, each written as at a prompt, in a transaction.
func (w *wire) transaction(commands ...string) string {
	w.t.Helper()
	w.do("MULTI")
	for _, c := range commands {
		w.expect("+QUEUED\r\n", strings.Fields(c)...)
	}
	return w.do("EXEC")
}

func popped(key, member, score string) string {
	return "*3\r\n" + bulk(key) + bulk(member) + bulk(score)
}

func TestFirstComeFirstServed(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	var waiters []*wire
	for range 4 {
		c := dial(t, s.addr)
		c.blocked(s, "BZPOPMIN", "k", "0")
		waiters = append(waiters, c)
	}
	w.expect(":3\r\n", "ZADD", "k", "3", "c", "1", "a", "2", "b")
	w.expect(":0\r\n", "EXISTS", "k") // they were served before the reply
	for i, want := range []string{popped("k", "a", "1"), popped("k", "b", "2"), popped("k", "c", "3")} {
		if got := waiters[i].reply(); got != want {
			t.Errorf("the waiter that came as number %d got %q, want %q", i, got, want)
		}
	}
	w.expect(":2\r\n", "ZADD", "k", "9", "x", "8", "y")
	if got := waiters[3].reply(); got != popped("k", "y", "8") {
		t.Errorf("the last waiter got %q", got)
	}
	w.expect("*1\r\n"+bulk("x"), "ZRANGE", "k", "0", "-1")
	if n := s.keyspace.Awaited(); n != 0 {
		t.Errorf("%d keys are still waited for", n)
	}
}

func TestEveryWayToMakeAKeyWakes(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.do("ZADD", "source", "1", "m")
	_, payload, _ := strings.Cut(w.do("DUMP", "source"), "\r\n")
	payload = strings.TrimSuffix(payload, "\r\n")
	w.do("GEOADD", "places", "13.361389", "38.115556", "m")
	for _, c := range [][]string{
		{"ZADD", "k", "1", "m"}, {"ZADD", "k", "INCR", "1", "m"}, {"ZINCRBY", "k", "1", "m"}, {"GEOADD", "k", "13.361389", "38.115556", "m"},
		{"RENAME", "copy", "k"}, {"RENAMENX", "copy", "k"}, {"COPY", "source", "k"}, {"RESTORE", "k", "0", payload},
		{"ZRANGESTORE", "k", "source", "0", "-1"}, {"ZUNIONSTORE", "k", "1", "source"}, {"ZINTERSTORE", "k", "1", "source"}, {"ZDIFFSTORE", "k", "1", "source"},
		{"GEOSEARCHSTORE", "k", "places", "FROMMEMBER", "m", "BYRADIUS", "1", "km"},
		{"GEORADIUS", "places", "13.361389", "38.115556", "1", "km", "STORE", "k"},
	} {
		w.do("COPY", "source", "copy")
		b := dial(t, s.addr)
		b.blocked(s, "BZMPOP", "0", "1", "k", "MAX")
		if got := w.do(c...); got[0] == '-' {
			t.Fatalf("%q: %s", c, got)
		}
		if got := b.reply(); !strings.HasPrefix(got, "*2\r\n"+bulk("k")+"*1\r\n*2\r\n"+bulk("m")) {
			t.Errorf("after %q the waiter got %q", c, got)
		}
		w.expect(":0\r\n", "EXISTS", "k")
	}
}

// Waiters are served after a transaction, from what it left.
func TestServedAfterExec(t *testing.T) {
	s := start(t)
	w, b := dial(t, s.addr), dial(t, s.addr)
	b.blocked(s, "BZPOPMIN", "k1", "k2", "k3", "0")
	for _, vain := range [][]string{
		{"ZADD k1 1 a", "DEL k1"}, {"ZADD k1 1 a", "ZREM k1 a"}, {"ZADD k1 1 a", "ZPOPMIN k1"}, {"ZADD k1 1 a", "RENAME k1 k9"}, {"ZADD k2 1 a", "FLUSHALL"},
		{"ZADD k1 1 a", "EXPIRE k1 -1"}, {"ZADD k3 1 a", "BZPOPMIN k3 0"},
	} {
		w.transaction(vain...)
		if n := s.keyspace.Awaited(); n != 3 {
			t.Fatalf("%q woke the waiter", vain)
		}
	}
	// The first of its own keys, not the first that was made; the member that
	// is lowest at the end.
	if got := w.transaction("ZADD k3 1 c", "ZADD k2 2 b", "ZADD k2 1 a", "ZCARD k2"); got != "*4\r\n:1\r\n:1\r\n:1\r\n:2\r\n" {
		t.Errorf("EXEC: %q", got)
	}
	if got := b.reply(); got != popped("k2", "a", "1") {
		t.Errorf("the waiter got %q", got)
	}
}

func TestWaiterLeaves(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	gone, stays := dial(t, s.addr), dial(t, s.addr)
	gone.blocked(s, "BZPOPMIN", "k", "other", "0")
	stays.blocked(s, "BZPOPMIN", "k", "0")
	gone.conn.Close()
	eventually(t, "nobody waits for the other key", func() bool { return s.keyspace.Awaited() == 1 })
	w.do("ZADD", "k", "1", "a")
	if got := stays.reply(); got != popped("k", "a", "1") {
		t.Errorf("the waiter that stayed got %q", got)
	}
	killed := dial(t, s.addr)
	id := killed.id()
	killed.blocked(s, "BZPOPMIN", "k", "0")
	w.expect(":1\r\n", "CLIENT", "KILL", "ID", id)
	eventually(t, "nobody waits", func() bool { return s.keyspace.Awaited() == 0 })
	w.do("ZADD", "k", "1", "a")
	w.expect(":1\r\n", "EXISTS", "k")
}

func TestUnblock(t *testing.T) {
	s := start(t)
	w, b := dial(t, s.addr), dial(t, s.addr)
	id := b.id()
	w.expect(":0\r\n", "CLIENT", "UNBLOCK", id)
	b.blocked(s, "BZPOPMIN", "k", "0")
	if line := w.do("CLIENT", "LIST", "ID", id); !strings.Contains(line, " flags=b ") || !strings.Contains(line, " cmd=bzpopmin ") {
		t.Errorf("CLIENT LIST shows %q", line)
	}
	w.expect(":1\r\n", "CLIENT", "UNBLOCK", id)
	w.expect(":0\r\n", "CLIENT", "UNBLOCK", id)
	if got := b.reply(); got != "*-1\r\n" {
		t.Errorf("after UNBLOCK: %q", got)
	}
	b.blocked(s, "BZMPOP", "0", "1", "k", "MIN")
	w.expect(":1\r\n", "CLIENT", "UNBLOCK", id, "ERROR")
	if got := b.reply(); got != "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n" {
		t.Errorf("after UNBLOCK ERROR: %q", got)
	}
	b.expect(pong, "PING")
	w.do("ZADD", "k", "1", "a")
	w.expect(":1\r\n", "EXISTS", "k")
}

// What was sent behind a blocking pop waits for it.
func TestPipelineBehindABlockingPop(t *testing.T) {
	s := start(t)
	w, b := dial(t, s.addr), dial(t, s.addr)
	b.blocked(s, "BZPOPMIN", "k", "0")
	b.send(string(array("PING")) + string(array("BZPOPMIN", "k", "0.001")) + string(array("ECHO", "x")))
	w.do("ZADD", "k", "1", "a")
	if got, want := b.reply()+b.reply()+b.reply()+b.reply(), popped("k", "a", "1")+pong+"*-1\r\n"+bulk("x"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A key that is gone before its waiters could be served leaves them waiting
// until the time they first said.
func TestWaitsOnUntilItsFirstDeadline(t *testing.T) {
	s := start(t)
	w, b := dial(t, s.addr), dial(t, s.addr)
	began := time.Now()
	b.blocked(s, "BZPOPMIN", "k", "0.3")
	for time.Since(began) < 200*time.Millisecond {
		w.transaction("ZADD k 1 a", "PEXPIRE k -1")
	}
	if got := b.reply(); got != "*-1\r\n" {
		t.Errorf("got %q", got)
	}
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("waited for %v", took)
	}
}

func TestBlockingPopInRESP3(t *testing.T) {
	s := start(t)
	w, b := dial(t, s.addr), dial(t, s.addr)
	b.do("HELLO", "3")
	b.blocked(s, "BZPOPMAX", "k", "0")
	w.do("ZADD", "k", "1.5", "a")
	if got := b.reply(); got != "*3\r\n"+bulk("k")+bulk("a")+",1.5\r\n" {
		t.Errorf("BZPOPMAX: %q", got)
	}
	b.blocked(s, "BZMPOP", "0", "2", "min", "count", "MAX", "COUNT", "2") // keys, not words
	w.do("ZADD", "count", "1", "a", "2", "b", "3", "c")
	if got := b.reply(); got != "*2\r\n"+bulk("count")+"*2\r\n*2\r\n"+bulk("c")+",3\r\n*2\r\n"+bulk("b")+",2\r\n" {
		t.Errorf("BZMPOP: %q", got)
	}
	b.expect("_\r\n", "BZPOPMIN", "nope", "0.001")
}

func TestStopWhileClientsWait(t *testing.T) {
	s := start(t)
	b := dial(t, s.addr)
	b.blocked(s, "BZPOPMIN", "k", "0")
	began := time.Now()
	s.stop()
	if got := b.rest(); got != "" {
		t.Errorf("a waiting client got %q", got)
	}
	if took := time.Since(began); took > patience/12 {
		t.Errorf("the stop took %v", took)
	}
	if n := s.keyspace.Awaited(); n != 0 {
		t.Errorf("%d keys are still waited for", n)
	}
}

// A pop on behalf of a waiter is a change like any other.
func TestServedPopIsAChange(t *testing.T) {
	s := start(t)
	w, b, x := dial(t, s.addr), dial(t, s.addr), dial(t, s.addr)
	x.do("WATCH", "k")
	b.blocked(s, "BZPOPMIN", "k", "0")
	w.do("ZADD", "k", "1", "a")
	b.reply()
	x.do("MULTI")
	x.expect("*-1\r\n", "EXEC")
}

func TestWhatAWaiterSendsIsBounded(t *testing.T) {
	s := start(t, "--client-query-buffer-limit", "1mb", "--proto-max-bulk-len", "1mb")
	b := dial(t, s.addr)
	b.blocked(s, "BZPOPMIN", "k", "0")
	ping := strings.Repeat(string(array("PING")), 10000)
	for range 10 {
		if _, err := b.conn.Write([]byte(ping)); err != nil {
			break
		}
	}
	if got := b.rest(); got != "" {
		t.Errorf("got %q", got)
	}
	if n := s.stats.QueryLimitClosed.Load(); n != 1 {
		t.Errorf("%d clients were closed for that", n)
	}
}
