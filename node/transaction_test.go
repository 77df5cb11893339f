package node

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Whatever changes a watched key, by anybody, fails the transaction; what does
// not change it does not.
func TestWatch(t *testing.T) {
	var clock fakeClock
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock.set(noon)
	s := startWith(t, Options{Now: clock.now})
	w, other := dial(t, s.addr), dial(t, s.addr)
	const fails, runs = "*-1\r\n", "*0\r\n"
	for _, c := range []struct {
		what string
		do   func()
		want string
	}{
		{"nothing", func() {}, runs},
		{"a write", func() { other.do("ZADD", "k", "5", "x") }, fails},
		{"a write that changes nothing", func() { other.do("ZADD", "k", "1", "m") }, runs},
		{"a removal of nothing", func() { other.do("ZREM", "k", "nope") }, runs},
		{"a write to another key", func() { other.do("ZADD", "j", "5", "x") }, runs},
		{"a removal", func() { other.do("ZREM", "k", "m") }, fails},
		{"a deletion", func() { other.do("DEL", "k") }, fails},
		{"an expiry set", func() { other.do("EXPIRE", "k", "100") }, fails},
		{"an expiry that comes", func() { clock.set(noon.Add(time.Hour)) }, fails},
		{"a rename away", func() { other.do("RENAME", "k", "j") }, fails},
		{"a rename over it", func() { other.do("ZADD", "q", "1", "m"); other.do("RENAME", "q", "k") }, fails},
		{"a copy over it", func() { other.do("ZADD", "q", "1", "m"); other.do("COPY", "q", "k", "REPLACE") }, fails},
		{"a store", func() { other.do("ZRANGESTORE", "k", "k", "0", "-1") }, fails},
		{"FLUSHALL", func() { other.do("FLUSHALL") }, fails},
		{"a transaction", func() { other.transaction("ZADD k 9 z") }, fails},
		{"itself", func() { w.do("ZADD", "k", "9", "z") }, fails},
		{"a deletion and an exact restoration", func() { other.do("DEL", "k"); other.do("ZADD", "k", "1", "m") }, fails},
	} {
		clock.set(noon)
		other.do("FLUSHALL")
		other.do("ZADD", "k", "1", "m")
		if c.what == "an expiry that comes" {
			other.do("EXPIRE", "k", "100")
		}
		w.do("WATCH", "k", "missing")
		c.do()
		w.do("MULTI")
		if got := w.do("EXEC"); got != c.want {
			t.Errorf("%s: EXEC answers %q", c.what, got)
		}
	}
	// A key that had expired when it was watched, and one that is still not there.
	clock.set(noon)
	other.do("ZADD", "k", "1", "m")
	other.do("EXPIRE", "k", "1")
	clock.set(noon.Add(time.Minute))
	w.do("WATCH", "k")
	other.do("FLUSHALL")
	w.do("MULTI")
	w.expect(runs, "EXEC")
	if n := s.keyspace.Watched(); n != 0 {
		t.Errorf("%d keys are still watched", n)
	}
}

func TestWatchEndsWithTheConnection(t *testing.T) {
	s := start(t)
	w, gone := dial(t, s.addr), dial(t, s.addr)
	gone.do("WATCH", "a", "b", "a")
	if n := s.keyspace.Watched(); n != 2 {
		t.Errorf("%d keys are watched", n)
	}
	gone.conn.Close()
	eventually(t, "nothing is watched", func() bool { return s.keyspace.Watched() == 0 })
	w.expect(":1\r\n", "ZADD", "a", "1", "m")
}

func TestTransactionIsBounded(t *testing.T) {
	s := start(t, "--client-query-buffer-limit", "1mb", "--proto-max-bulk-len", "1mb")
	w := dial(t, s.addr)
	w.do("MULTI")
	add := string(array("ZADD", "k", "1", strings.Repeat("x", 1000)))
	for range 10000 {
		if _, err := w.conn.Write([]byte(add)); err != nil {
			break
		}
	}
	if got := w.rest(); strings.Count(got, "QUEUED") > 1100 {
		t.Errorf("%d commands were queued", strings.Count(got, "QUEUED"))
	}
	if n := s.stats.QueryLimitClosed.Load(); n != 1 {
		t.Errorf("%d clients were closed for that", n)
	}
}

func TestExecAboveMaxMemory(t *testing.T) {
	s := start(t)
	w, other := dial(t, s.addr), dial(t, s.addr)
	w.do("MULTI")
	w.expect("+QUEUED\r\n", "ZADD", "k", "1", "m")
	other.expect("+OK\r\n", "CONFIG", "SET", "maxmemory", "1")
	w.expect("-EXECABORT Transaction discarded because of: OOM command not allowed when used memory > 'maxmemory'.\r\n", "EXEC")
	w.do("MULTI")
	w.expect("-OOM command not allowed when used memory > 'maxmemory'.\r\n", "ZADD", "k", "1", "m")
	w.expect("-EXECABORT Transaction discarded because of previous errors.\r\n", "EXEC")
	other.expect("+OK\r\n", "CONFIG", "SET", "maxmemory", "0")
	w.expect(":0\r\n", "EXISTS", "k")
}

// Optimistic increments of one score by many clients lose none: what users
// build on WATCH.
func TestWatchedIncrements(t *testing.T) {
	s := start(t)
	const clients, each = 8, 50
	var done sync.WaitGroup
	for range clients {
		w := dial(t, s.addr)
		done.Go(func() {
			for range each {
				for {
					w.do("WATCH", "{k}1")
					score := 0
					if got := w.do("ZSCORE", "{k}1", "m"); got[0] == '$' && got[1] != '-' {
						_, text, _ := strings.Cut(got, "\r\n")
						score, _ = strconv.Atoi(strings.TrimSpace(text))
					}
					// The other key is in another partition.
					if w.transaction("ZADD {k}1 "+strconv.Itoa(score+1)+" m", "ZINCRBY other 1 m") != "*-1\r\n" {
						break
					}
				}
			}
		})
	}
	done.Wait()
	w := dial(t, s.addr)
	want := bulk(strconv.Itoa(clients * each))
	w.expect(want, "ZSCORE", "{k}1", "m")
	w.expect(want, "ZSCORE", "other", "m")
}
