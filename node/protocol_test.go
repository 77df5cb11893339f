package node

import (
	"fmt"
	"strings"
	"testing"
)

const pong = "+PONG\r\n"

// What a real server answers to bytes that are no commands, recorded from
// Valkey 9.1 but where said.
func TestMalformedRequests(t *testing.T) {
	s := start(t)
	ping := string(array("PING"))
	for _, c := range []struct{ name, send, want string }{
		{"count not a number", "*abc\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
		{"count empty", "*\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
		{"count with a plus", "*+1\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
		{"count above 2^31-1", "*2147483648\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
		{"count's line ends with \\n alone", "*1\n$4\r\nPING\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
		{"length negative", "*1\r\n$-1\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
		{"length -2, which would slice backwards", "*1\r\n$-2\r\nxx\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
		{"length that overflows a sum", "*1\r\n$9223372036854775807\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
		{"length above proto-max-bulk-len", "*1\r\n$600000000000\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
		{"length with a zero in front", "*1\r\n$04\r\nPING\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
		{"length empty", "*1\r\n$\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
		{"no string", "*1\r\nfoo\r\n", "-ERR Protocol error: expected '$', got 'f'\r\n"},
		{"no line end after a string", "*1\r\n$4\r\nPINGxx" + ping, "-ERR Protocol error: invalid CRLF in request\r\n"},
		{"quotes open", "PING \"a\r\n", "-ERR Protocol error: unbalanced quotes in request\r\n"},
		{"quotes open inside a word", "PING 'a'b'c\r\n", "-ERR Protocol error: unbalanced quotes in request\r\n"},
		{"a line without end", strings.Repeat("x", inlineBytes), "-ERR Protocol error: too big inline request\r\n"},
		{"a count without end (its text ours)", "*" + strings.Repeat("1", 100), "-ERR Protocol error: invalid multibulk length\r\n"},
		{"what is before is answered", ping + ping + "*x\r\n" + ping, pong + pong + "-ERR Protocol error: invalid multibulk length\r\n"},
		{"HTTP", "POST / HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		{"HTTP's header", "Host: x\r\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := dial(t, s.addr)
			w.send(c.send)
			if got := w.rest(); got != c.want {
				t.Errorf("got %q, want %q and the end", got, c.want)
			}
		})
	}
	if got := s.stats.ProtocolErrors.Load(); got != 18 {
		t.Errorf("counted %d protocol errors, want 18", got)
	}
}

func TestUnusualRequestsThatAreFine(t *testing.T) {
	s := start(t)
	for _, c := range []struct{ send, want string }{
		{"*-1\r\n", ""}, {"*0\r\n", ""}, {"\r\n", ""}, {"   \r\n", ""}, {"\n", ""},
		{"PING\n", pong}, {"ping  'a b'\r\n", bulk("a b")}, {`PING "\x41\n\z\"` + "\"\r\n", bulk("A\nz\"")},
		{"echo a\"b c\"\r\n", bulk("ab c")}, {`echo 'it\'s'` + "\r\n", bulk("it's")}, {"echo \"\"\r\n", bulk("")},
		{"echo \"\"\"tes\"t-'k'e\"y\"\r\n", bulk("test-key")},
		{"$4\r\n", "-ERR unknown command '$4', with args beginning with: \r\n"},
		{"*1\r\n$0\r\n\r\n", "-ERR unknown command '', with args beginning with: \r\n"},
	} {
		w := dial(t, s.addr)
		w.send(c.send + string(array("ECHO", "end")))
		got := ""
		for !strings.HasSuffix(got, bulk("end")) {
			got += w.reply()
		}
		if want := c.want + bulk("end"); got != want {
			t.Errorf("%q: got %q, want %q", c.send, got, want)
		}
	}
}

// A command split anywhere is the same command.
func TestHalfCommands(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	command := string(array("ECHO", "hello\r\nthere"))
	for split := 1; split < len(command); split++ {
		w.send(command[:split])
		w.send(command[split:])
		if got := w.reply(); got != bulk("hello\r\nthere") {
			t.Fatalf("split at %d: %q", split, got)
		}
	}
}

// A count or length that announces much must cost nothing until it comes.
func TestAnnouncedSizesCostNothing(t *testing.T) {
	s := start(t)
	before := s.buffers.Load()
	const clients = 20
	for range clients {
		w := dial(t, s.addr)
		w.expect(pong, "PING")
		w.send("*1000000000\r\n$60000000\r\nonly this")
	}
	eventually(t, "all bytes are read", func() bool {
		var waiting int64
		for _, cl := range s.clients.All() {
			waiting += cl.QueryUsed.Load()
		}
		return waiting == clients*int64(len("*1000000000\r\n$60000000\r\nonly this"))
	})
	if grown := s.buffers.Load() - before; grown > clients*(readStart+1024) {
		t.Errorf("%d clients that announced 60 MB each hold %d bytes", clients, grown)
	}
}

// A command above the limit is not run, though its last bytes came in one read
// with the end.
func TestQueryLimitOfAWholeCommand(t *testing.T) {
	s := start(t, "--client-query-buffer-limit", "1mb")
	w := dial(t, s.addr)
	// The server may close while we send: then sending fails, which is fine.
	fmt.Fprint(w.conn, string(array("ZADD", "k", "1", strings.Repeat("x", 1<<20))))
	if got := w.rest(); got != "" {
		t.Errorf("got %q", got)
	}
	if n := s.stats.QueryLimitClosed.Load(); n != 1 {
		t.Errorf("counted %d clients", n)
	}
	dial(t, s.addr).expect(":0\r\n", "EXISTS", "k")
}

func TestQueryLimit(t *testing.T) {
	s := start(t, "--client-query-buffer-limit", "1mb")
	w := dial(t, s.addr)
	value := strings.Repeat("x", 900<<10)
	if got := w.do("ECHO", value); got != bulk(value) {
		t.Fatal("a command below the limit was not answered")
	}
	// The server may close while we send: then sending fails, which is fine.
	fmt.Fprintf(w.conn, "*2\r\n$4\r\nECHO\r\n$2000000\r\n%s", strings.Repeat("x", 1<<20))
	if got := w.rest(); got != "" {
		t.Errorf("got %q, want the end only", got)
	}
	if n := s.stats.QueryLimitClosed.Load(); n != 1 {
		t.Errorf("counted %d, want 1", n)
	}
}

// A large argument is held once and given back.
func TestLargeArgumentIsGivenBack(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.expect(pong, "PING")
	value := strings.Repeat("x", 8<<20)
	if got := w.do("ECHO", value); got != bulk(value) {
		t.Fatal("wrong echo")
	}
	w.expect(pong, "PING")
	eventually(t, "buffers shrink", func() bool { return s.buffers.Load() <= readMost+replyKept })
}

func TestUnauthenticatedClients(t *testing.T) {
	s := start(t, "--requirepass", "secret")
	const noAuth = "-NOAUTH Authentication required.\r\n"
	for _, c := range []struct {
		send, want string
		closed     bool
	}{
		{"PING\r\n", noAuth, false},
		{"NOSUCH\r\n", noAuth, false},
		{"GET x\r\n", noAuth, false},
		{"ZADD k\r\n", noAuth, false},
		{"CLIENT NOSUCH\r\n", noAuth, false},
		{"HELLO 3\r\n", "-" + "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time\r\n", false},
		{"AUTH wrong\r\n", "-WRONGPASS invalid username-password pair or user is disabled.\r\n", false},
		{"AUTH nosuch secret\r\n", "-WRONGPASS invalid username-password pair or user is disabled.\r\n", false},
		{"AUTH secret\r\n", "+OK\r\n", false},
		{"AUTH default secret\r\n", "+OK\r\n", false},
		{"QUIT\r\n", "+OK\r\n", true},
		{"RESET\r\n", "+RESET\r\n", false},
		{"*11\r\n", "-ERR Protocol error: unauthenticated multibulk length\r\n", true},
		{"*1\r\n$16385\r\n", "-ERR Protocol error: unauthenticated bulk length\r\n", true},
	} {
		w := dial(t, s.addr)
		w.send(c.send)
		if got := w.reply(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.send, got, c.want)
		}
		if c.closed {
			if got := w.rest(); got != "" {
				t.Errorf("%q: then %q", c.send, got)
			}
		}
	}

	w := dial(t, s.addr)
	if got := w.do("HELLO", "3", "AUTH", "default", "secret", "SETNAME", "me"); !strings.HasPrefix(got, "%7\r\n") {
		t.Fatalf("HELLO with AUTH: %q", got)
	}
	w.expect(bulk("me"), "CLIENT", "GETNAME")
	value := strings.Repeat("x", 100<<10)
	w.expect(bulk(value), "ECHO", value)
	w.expect("+RESET\r\n", "RESET")
	w.expect(noAuth, "PING")
	if s.stats.AuthFailures.Load() != 2 {
		t.Errorf("counted %d wrong passwords, want 2", s.stats.AuthFailures.Load())
	}
}

// Receiving a large command costs time in proportion to its size, also when
// it is many small words: nothing is looked at or moved again at every read.
func TestReceivingIsLinear(t *testing.T) {
	moved := func(words int) (bytes int) {
		var q query
		command := array(append([]string{"DEL"}, strings.Split(strings.Repeat("k ", words), " ")...)...)
		limits := frameLimits{authenticated: true, bulkBytes: 1 << 20}
		for rest := command; len(rest) > 0; {
			before := &q.buf
			base := cap(*before)
			space := q.space()
			if cap(q.buf) != base {
				bytes += q.end // grown: what waits was copied
			}
			n := copy(space[:min(len(space), 1000)], rest)
			q.received(n)
			rest = rest[n:]
			if args, err := q.next(limits); err != nil || len(rest) > 0 && args != nil || len(rest) == 0 && len(args) != words+2 {
				t.Fatalf("%d words with %d bytes to come: %v", len(args), len(rest), err)
			}
		}
		return bytes
	}
	if n, most := moved(200_000), 2*7*200_000+readMost; n > most {
		t.Errorf("moved %d bytes, want at most %d", n, most)
	}
}
