package node

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/client"
)

// Who has to go, of clients named by what they take; ! is exempt.
func TestTooMuch(t *testing.T) {
	for _, c := range []struct {
		clients string
		limit   int64
		want    string
	}{
		{"10 20 30", 60, ""},
		{"10 20 30", 59, "30"},
		{"10 20 30", 30, "30"},
		{"10 20 30", 29, "30 20"},
		{"10 !40 30", 50, "30"},
		{"!40 !50", 10, ""},
		{"5 5 5 5", 10, "5 5"},
		{"", 0, ""},
	} {
		var all []consumer
		for i, word := range strings.Fields(c.clients) {
			name, exempt := strings.CutPrefix(word, "!")
			var bytes int64
			fmt.Sscan(name, &bytes)
			all = append(all, consumer{client.New(uint64(i), "", "", time.Time{}, client.Unwired{}), bytes, exempt})
		}
		var got []string
		for i, v := range tooMuch(all, c.limit) {
			got = append(got, fmt.Sprint(v.bytes))
			if v.bytes == 5 && v.client.ID != uint64(i) {
				t.Errorf("%q: client %d goes before one that came earlier", c.clients, v.client.ID)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q, limit %d: %v go, want %q", c.clients, c.limit, got, c.want)
		}
	}
}

// Clients that take too much together are closed, the largest first, whatever
// they take it for; who asked to stay stays, and so does everybody below the
// limit.
func TestClientsMemoryIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		take func(t *testing.T, s *running, w *wire)
	}{
		"a command that does not end": {take: func(t *testing.T, _ *running, w *wire) {
			w.send("*2\r\n$4\r\nECHO\r\n$2000000\r\n" + strings.Repeat("x", 1_900_000))
		}},
		"a transaction": {take: func(t *testing.T, _ *running, w *wire) {
			w.send("*1\r\n$5\r\nMULTI\r\n" + strings.Repeat(string(array("ECHO", strings.Repeat("x", 1000))), 1900))
		}},
		"replies that are not read": {take: func(t *testing.T, s *running, w *wire) {
			other := dial(t, s.addr)
			fill(t, other, "k", 50000)
			other.conn.Close()
			for range 8 {
				w.send(string(array("ZRANGE", "k", "0", "-1")))
			}
		}},
		"messages that are not read": {take: func(t *testing.T, s *running, w *wire) {
			w.do("SUBSCRIBE", "news")
			other := dial(t, s.addr)
			for s.stats.ClientsEvicted.Load() == 0 {
				other.do("PUBLISH", "news", strings.Repeat("x", 100_000))
			}
			other.conn.Close()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "--maxmemory-clients", "1500kb")
			exempt, small, large := dial(t, s.addr), dial(t, s.addr), dial(t, s.addr)
			small.expect(pong, "PING")
			exempt.expect("+OK\r\n", "CLIENT", "NO-EVICT", "ON")
			large.expect(pong, "PING")
			c.take(t, s, large)
			eventually(t, "a client is closed", func() bool { return s.stats.ClientsEvicted.Load() == 1 })
			small.expect(pong, "PING")
			exempt.expect(pong, "PING")
			if n := small.info("evicted_clients"); n != 1 {
				t.Errorf("INFO counts %d", n)
			}
			large.rest()
			eventually(t, "its memory is back", func() bool { return s.buffers.Load() < 500<<10 })
		})
	}
}

// A share is one of maxmemory, and follows it.
func TestClientsMemoryFollowsTheConfiguration(t *testing.T) {
	s := start(t, "--maxmemory-clients", "10%")
	large, other := dial(t, s.addr), dial(t, s.addr)
	large.expect(pong, "PING")
	large.send("*2\r\n$4\r\nECHO\r\n$2000000\r\n" + strings.Repeat("x", 1_000_000))
	eventually(t, "it has arrived", func() bool { return s.buffers.Load() > 1_000_000 })
	other.expect("+OK\r\n", "CONFIG", "SET", "maxmemory", "100mb")
	if n := s.stats.ClientsEvicted.Load(); n != 0 {
		t.Errorf("%d clients were closed though they take less than 10 MB", n)
	}
	other.expect("*2\r\n$17\r\nmaxmemory-clients\r\n$3\r\n10%\r\n", "CONFIG", "GET", "maxmemory-clients")
	other.expect("+OK\r\n", "CONFIG", "SET", "maxmemory", "4mb")
	if n := s.stats.ClientsEvicted.Load(); n != 1 {
		t.Errorf("%d clients were closed, want 1 at once", n)
	}
	other.expect(pong, "PING")
}
