package node

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/client"
)

func TestMonitor(t *testing.T) {
	s := start(t)
	m, w := dial(t, s.addr), dial(t, s.addr)
	m.expect("+OK\r\n", "MONITOR")
	w.do("ZADD", "k", "1", "a\"b\\\n\r\t\a\b\x01\xff")
	w.do("AUTH", "secret")
	w.do("HELLO", "2", "AUTH", "default", "secret")
	w.do("CONFIG", "GET", "save") // for those who run the server
	w.do("NOSUCH")
	w.do("ZADD", "k")
	w.do("MULTI")
	w.do("PING")
	w.do("EXEC")
	want := []string{
		`"ZADD" "k" "1" "a\"b\\\n\r\t\a\b\x01\xff"`, `"AUTH" "(redacted)"`, `"HELLO" "2" "AUTH" "(redacted)" "(redacted)"`, `"MULTI"`, `"PING"`, `"EXEC"`,
	}
	line := regexp.MustCompile(`^\+\d+\.\d{6} \[0 ` + regexp.QuoteMeta(w.conn.LocalAddr().String()) + `\] (.*)\r\n$`)
	for _, words := range want {
		got := m.reply()
		if parts := line.FindStringSubmatch(got); parts == nil || parts[1] != words {
			t.Errorf("got %q, want %s", got, words)
		}
	}
	if list := w.do("CLIENT", "LIST", "FLAGS", "O"); strings.Count(list, "id=") != 1 {
		t.Errorf("CLIENT LIST: %q", list)
	}
	m.expect("+RESET\r\n", "RESET")
	w.do("PING")
	m.expect(pong, "PING")
	if s.env.Monitors.Any() {
		t.Error("somebody still looks on after RESET")
	}
}

func TestPause(t *testing.T) {
	s := start(t)
	w, reads, writes := dial(t, s.addr), dial(t, s.addr), dial(t, s.addr)
	w.do("ZADD", "k", "1", "a")
	w.do("PEXPIRE", "k", "1")
	eventually(t, "it has expired", func() bool { return s.keyspace.Len() == 0 })
	w.expect("+OK\r\n", "CLIENT", "PAUSE", "1000000", "WRITE")
	reads.expect(":0\r\n", "EXISTS", "k")
	writes.blocked(s, "ZADD", "k", "1", "a")
	publisher, exec := dial(t, s.addr), dial(t, s.addr)
	publisher.blocked(s, "PUBLISH", "a", "x")
	exec.do("MULTI")
	exec.expect("+QUEUED\r\n", "ZCARD", "k")
	exec.expect("*1\r\n:0\r\n", "EXEC")
	if text := reads.do("INFO", "clients"); !strings.Contains(text, "\r\npaused_reason:client_pause\r\npaused_actions:write\r\n") || !strings.Contains(text, "\r\nblocked_clients:2\r\n") {
		t.Errorf("INFO: %q", text)
	}
	id := writes.localID(s)
	w.expect(":0\r\n", "CLIENT", "UNBLOCK", id) // a pause is no blocking command
	w.expect("+OK\r\n", "CLIENT", "UNPAUSE")
	writes.next(":1\r\n")
	publisher.next(":0\r\n")

	// A pause ends by itself, and one of all commands holds reads.
	w.expect("+OK\r\n", "CLIENT", "PAUSE", "50")
	began := time.Now()
	reads.expect(":1\r\n", "EXISTS", "k")
	if took := time.Since(began); took < 10*time.Millisecond {
		t.Errorf("a command was held for %v only", took)
	}

	// Nothing is removed meanwhile, though it is not seen.
	w.do("ZADD", "e", "1", "a")
	w.do("PEXPIRE", "e", "50")
	w.expect("+OK\r\n", "CLIENT", "PAUSE", "1000000", "WRITE")
	eventually(t, "it has expired", func() bool { return reads.do("EXISTS", "e") == ":0\r\n" })
	if n := s.keyspace.Len(); n != 2 {
		t.Errorf("%d keys are kept", n)
	}
	w.do("CLIENT", "UNPAUSE")
	w.expect(":1\r\n", "ZADD", "e", "1", "b")
	w.expect("*1\r\n"+bulk("b"), "ZRANGE", "e", "0", "-1")
}

// localID is the number of a connection that cannot be asked at present.
func (w *wire) localID(s *running) (id string) {
	s.clients.Each(func(cl *client.Client) {
		if cl.Addr == w.conn.LocalAddr().String() {
			id, _, _ = strings.Cut(strings.TrimPrefix(cl.Line(time.Now()), "id="), " ")
		}
	})
	return id
}

// A pause does not keep a client from going, nor the node from stopping.
func TestGoneWhilePaused(t *testing.T) {
	s := start(t)
	w, gone, stays := dial(t, s.addr), dial(t, s.addr), dial(t, s.addr)
	w.do("CLIENT", "PAUSE", "1000000", "WRITE")
	gone.blocked(s, "ZADD", "k", "1", "a")
	stays.blocked(s, "ZADD", "k", "1", "a")
	gone.conn.Close()
	eventually(t, "it is gone", func() bool { return s.clients.Len() == 2 })
	began := time.Now()
	s.stop()
	if took := time.Since(began); took > patience/12 {
		t.Errorf("the stop took %v", took)
	}
}

func TestClientReply(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.send(string(array("CLIENT", "REPLY", "SKIP")) + string(array("ECHO", "skipped")) + string(array("ECHO", "one")))
	w.next(bulk("one"))
	w.send(string(array("CLIENT", "REPLY", "OFF")) + string(array("ECHO", "x")) + string(array("NOSUCH")) + string(array("CLIENT", "REPLY", "SKIP")) +
		string(array("MULTI")) + string(array("ZADD", "k", "1", "a")) + string(array("EXEC")) + string(array("SUBSCRIBE", "a")))
	// What is sent to subscribers is no reply.
	w.next("*3\r\n" + bulk("subscribe") + bulk("a") + ":1\r\n")
	dial(t, s.addr).do("PUBLISH", "a", "text")
	w.next(message("a", "text"))
	w.send(string(array("UNSUBSCRIBE")))
	w.next("*3\r\n" + bulk("unsubscribe") + bulk("a") + ":0\r\n")
	w.send(string(array("BZPOPMIN", "k", "0")) + string(array("BZPOPMIN", "k", "0.001")))
	w.expect("+OK\r\n", "CLIENT", "REPLY", "ON")
	w.expect(":0\r\n", "EXISTS", "k")
}

func TestKillFilters(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	named := func() (*wire, string) {
		c := dial(t, s.addr)
		c.do("CLIENT", "SETNAME", "target")
		c.do("CLIENT", "SETINFO", "LIB-NAME", "lib")
		return c, c.id()
	}
	for _, filter := range []func(c *wire, id string) []string{
		func(_ *wire, id string) []string { return []string{"ID", id} },
		func(_ *wire, id string) []string { return []string{"ID", "999999", id} },
		func(c *wire, _ string) []string { return []string{"ADDR", c.conn.LocalAddr().String()} },
		func(*wire, string) []string { return []string{"NAME", "other", "NAME", "target"} },
		func(*wire, string) []string { return []string{"lib-name", "lib", "type", "normal"} },
		func(*wire, string) []string {
			return []string{"NOT-LIB-NAME", "other", "NAME", "target", "USER", "default", "DB", "0"}
		},
		func(c *wire, _ string) []string { c.do("SUBSCRIBE", "a"); return []string{"TYPE", "pubsub"} },
		func(c *wire, _ string) []string { c.do("MULTI"); return []string{"FLAGS", "x"} },
		func(c *wire, id string) []string {
			c.blocked(s, "BZPOPMIN", "k", "0")
			return []string{"FLAGS", "b", "ID", id}
		},
		func(*wire, string) []string {
			return []string{"IP", "127.0.0.1", "NOT-NAME", "nobody", "NOT-ADDR", "1.1.1.1:1"}
		},
	} {
		c, id := named()
		args := filter(c, id)
		w.expect(":1\r\n", append([]string{"CLIENT", "KILL"}, args...)...)
		if got := c.rest(); got != "" {
			t.Errorf("%q: it got %q", args, got)
		}
		eventually(t, "it is gone", func() bool { return s.clients.Len() == 1 })
	}
	c, id := named()
	for _, args := range [][]string{
		{"ID", id, "MAXAGE", "1000"}, {"ID", id, "IDLE", "1000"}, {"NAME", "target", "NAME", "other"}, {"ID", id, "NOT-ID", id}, {"ID", id, "TYPE", "replica"}, {"NOT-NAME", "target"},
	} {
		w.expect(":0\r\n", append([]string{"CLIENT", "KILL"}, args...)...)
	}
	c.expect(pong, "PING")
}
