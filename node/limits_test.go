package node

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/keyspace"

	"zset.dev/operator/node/client"
)

// fill makes a set of n members of 100 bytes each.
func fill(t testing.TB, w *wire, key string, n int) {
	t.Helper()
	for from := 0; from < n; from += 1000 {
		args := []string{"ZADD", key}
		for i := from; i < min(from+1000, n); i++ {
			args = append(args, strconv.Itoa(i), fmt.Sprintf("%0100d", i))
		}
		w.do(args...)
	}
}

func TestMaxClients(t *testing.T) {
	s := start(t, "--maxclients", "2")
	first, second := dial(t, s.addr), dial(t, s.addr)
	first.expect(pong, "PING")
	second.expect(pong, "PING")
	third := dial(t, s.addr)
	if got := third.rest(); got != "-ERR max number of clients reached\r\n" {
		t.Errorf("the third got %q", got)
	}
	second.conn.Close()
	eventually(t, "the second is gone", func() bool { return s.clients.Len() == 1 })
	dial(t, s.addr).expect(pong, "PING")
	if n := s.stats.ConnectionsRejected.Load(); n != 1 {
		t.Errorf("counted %d turned away, want 1", n)
	}
}

func TestIdleClientsAreClosed(t *testing.T) {
	s := start(t, "--timeout", "1")
	w := dial(t, s.addr)
	w.expect(pong, "PING")
	if got := w.rest(); got != "" {
		t.Errorf("got %q, want the end", got)
	}
	if n := s.stats.IdleClosed.Load(); n != 1 {
		t.Errorf("counted %d, want 1", n)
	}
}

func TestJudge(t *testing.T) {
	const now = 1_000_000
	for _, c := range []struct {
		name                      string
		active, writing, overSoft int64
		timeout, softFor          time.Duration
		want                      verdict
	}{
		{"no timeout", 0, 0, 0, 0, 0, keep},
		{"active", now - 999, 0, 0, time.Second, 0, keep},
		{"idle", now - 1001, 0, 0, time.Second, 0, idle},
		{"writing is not idle", now - 5000, now - 10, 0, time.Second, 0, keep},
		{"a write that stands still", now - 5000, now - 10_001, 0, 0, 0, stuck},
		{"a write that moves", now - 5000, now - 10_000, 0, 0, 0, keep},
		{"above the soft limit for a while", now, now, now - 3000, 0, 3 * time.Second, keep},
		{"above the soft limit for too long", now, now, now - 3001, 0, 3 * time.Second, stuck},
		{"a soft limit without time", now, now, now - 3001, 0, 0, keep},
	} {
		if got := judge(now, c.active, c.writing, c.overSoft, c.timeout, 10*time.Second, c.softFor); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A client that asks and does not read is closed, and costs others nothing.
func TestSlowReaderIsClosed(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		args    []string
	}{
		"no progress": {Options{WriteStall: 300 * time.Millisecond}, nil},
		"soft limit":  {Options{}, []string{"--client-output-buffer-limit", "normal 0 1mb 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := startWith(t, c.options, c.args...)
			other := dial(t, s.addr)
			fill(t, other, "k", 50000)
			slow := dial(t, s.addr)
			slow.expect(pong, "PING") // it has been accepted
			for range 8 {             // far more than the kernel buffers
				slow.send(string(array("ZRANGE", "k", "0", "-1")))
			}
			eventually(t, "the write is stuck", func() bool {
				for _, cl := range s.clients.All() {
					if cl.Addr == slow.conn.LocalAddr().String() && cl.WritingSince.Load() != 0 {
						return true
					}
				}
				return false
			})
			other.expect(":50000\r\n", "ZCARD", "k") // its partition is free
			other.expect(":1\r\n", "ZADD", "k", "1", "new")
			eventually(t, "the client is closed", func() bool { return s.clients.Len() == 1 })
			if n := s.stats.OutputLimitClosed.Load(); n != 1 {
				t.Errorf("counted %d, want 1", n)
			}
		})
	}
}

func TestOutputLimit(t *testing.T) {
	s := start(t, "--client-output-buffer-limit", "normal 1mb 0 0")
	w := dial(t, s.addr)
	fill(t, w, "k", 50000)
	w.expect(":50000\r\n", "ZCARD", "k")
	for _, command := range [][]string{{"ZRANGE", "k", "0", "-1"}, {"ZSCAN", "k", "0", "COUNT", "50000"}} {
		w := dial(t, s.addr)
		w.send(string(array(command...)))
		if got := w.rest(); got != "" {
			t.Errorf("%q: got %d bytes, want the end only", command, len(got))
		}
	}
	if n := s.stats.OutputLimitClosed.Load(); n != 2 {
		t.Errorf("counted %d, want 2", n)
	}
	if peak := s.peak.Load() - s.keyspace.Used(); peak > 8<<20 {
		t.Errorf("replies of 5 MB, limited to 1 MB, held %d bytes", peak)
	}
}

// A long pipeline is answered while it is being sent, in bounded memory.
func TestPipelineOfAMillion(t *testing.T) {
	commands := 1_000_000
	if testing.Short() {
		commands = 100_000
	}
	s := start(t)
	w := dial(t, s.addr)
	sent := make(chan error, 1)
	go func() {
		_, err := io.Copy(w.conn, strings.NewReader(strings.Repeat(string(array("PING")), commands)))
		sent <- err
	}()
	var most int64
	reply := make([]byte, len(pong))
	for i := range commands {
		if _, err := io.ReadFull(w.in, reply); err != nil || string(reply) != pong {
			t.Fatalf("reply %d: %q, %v", i, reply, err)
		}
		if i%1000 == 0 {
			most = max(most, s.buffers.Load())
		}
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if most > 512<<10 {
		t.Errorf("buffers grew to %d bytes", most)
	}
}

// A pipeline whose replies nobody reads stops being executed.
func TestPipelineWithoutReader(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	value := strings.Repeat("x", 10_000)
	go io.Copy(w.conn, strings.NewReader(strings.Repeat(string(array("ECHO", value)), 10_000)))
	eventually(t, "the write is stuck", func() bool {
		all := s.clients.All()
		return len(all) == 1 && all[0].WritingSince.Load() != 0
	})
	if held := s.buffers.Load(); held > 1<<20 {
		t.Errorf("holds %d bytes", held)
	}
}

func TestMaxMemory(t *testing.T) {
	s := start(t, "--maxmemory", "2mb")
	w := dial(t, s.addr)
	const oom = "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
	n := 0
	for {
		got := w.do("ZADD", "k", strconv.Itoa(n), fmt.Sprintf("%0100d", n))
		if got == oom {
			break
		}
		if n++; n > 100_000 {
			t.Fatal("never refused")
		}
	}
	if used := s.usedMemory(); used <= 2<<20 || used > 4<<20 {
		t.Errorf("refused at %d bytes used, limit %d", used, 2<<20)
	}
	w.expect(oom, "ZINCRBY", "k", "1", "m")
	w.expect(fmt.Sprintf(":%d\r\n", n), "ZCARD", "k") // reading goes on
	w.expect(":1\r\n", "ZREM", "k", fmt.Sprintf("%0100d", 0))
	w.expect("+OK\r\n", "CONFIG", "SET", "maxmemory", "0")
	w.expect(":1\r\n", "ZADD", "k", "1", "m")
	w.expect("+OK\r\n", "CONFIG", "SET", "maxmemory", "1mb")
	w.expect(oom, "ZADD", "k", "1", "m")
	w.expect(":1\r\n", "DEL", "k")
	w.expect(":1\r\n", "ZADD", "k", "1", "m")
	w.expect(":1\r\n", "DEL", "k")
	if used := s.keyspace.Used(); used != 0 {
		t.Errorf("%d bytes are used by no key", used)
	}
}

func TestProtectedMode(t *testing.T) {
	// This machine's other addresses, to be a stranger from.
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.IsLoopback() || ip.IP.To4() == nil {
			continue
		}
		s := start(t, "--bind", ip.IP.String()+" 127.0.0.1")
		w := dial(t, s.addr)
		if got := w.rest(); !strings.HasPrefix(got, "-DENIED ") {
			t.Errorf("from %v: %q", ip.IP, got)
		}
		_, port, _ := net.SplitHostPort(s.addr)
		inside := dial(t, net.JoinHostPort("127.0.0.1", port))
		inside.expect("+OK\r\n", "CONFIG", "SET", "protected-mode", "no")
		dial(t, s.addr).expect(pong, "PING")
		return
	}
	t.Skip("this machine has no address but loopback")
}

// The sweep removes what is due, without anybody asking for it.
func TestExpiredKeysAreSwept(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	for i := range 100 {
		key := strconv.Itoa(i)
		w.do("ZADD", key, "1", "m")
		w.do("PEXPIRE", key, "5")
	}
	w.do("ZADD", "stays", "1", "m")
	eventually(t, "the sweep", func() bool { return s.keyspace.Len() == 1 })
	if n := s.keyspace.Expired(); n != 100 {
		t.Errorf("counted %d expired", n)
	}
	var left []string
	s.keyspace.Each(nil, 0, func(e *keyspace.Entry) { left = append(left, e.Key()) })
	if len(left) != 1 || left[0] != "stays" {
		t.Errorf("left %q", left)
	}
}

func TestATimeThatIsPastCountsAsExpired(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	for i, c := range [][]string{{"EXPIRE", "k", "-1"}, {"PEXPIRE", "k", "-1"}, {"EXPIREAT", "k", "1"}, {"PEXPIREAT", "k", "1"}} {
		w.do("ZADD", "k", "1", "m")
		w.expect(":1\r\n", c...)
		if got, want := s.keyspace.Expired(), int64(i+1); got != want {
			t.Errorf("after %q %d keys count as expired, want %d", c, got, want)
		}
	}
}

// A stranger may make the node hold but little: one that sends and does not
// read is closed long before a client that has given the password, even if that
// took it back.
func TestStrangersReplies(t *testing.T) {
	s := start(t, "--requirepass", "secret")
	flood := strings.Repeat(string(array("PING")), 3000) // 100 KB of errors
	stranger := dial(t, s.addr)
	stranger.send(flood)
	if got := stranger.rest(); len(got) > unauthReply {
		t.Errorf("a stranger got %d bytes", len(got))
	}
	if n := s.stats.OutputLimitClosed.Load(); n != 1 {
		t.Errorf("counted %d, want 1", n)
	}
	known := dial(t, s.addr)
	known.expect("+OK\r\n", "AUTH", "secret")
	known.expect("+RESET\r\n", "RESET")
	known.send(flood)
	for i := range 3000 {
		if got := known.reply(); got != "-NOAUTH Authentication required.\r\n" {
			t.Fatalf("reply %d is %q", i, got)
		}
	}
}

// A client that was busy once and is silent since keeps small buffers only, and goes on as before.
func TestSilentClientKeepsLittle(t *testing.T) {
	var clock fakeClock
	clock.set(time.Unix(1000, 0))
	s := startWith(t, Options{Now: clock.now})
	w := dial(t, s.addr)
	word := strings.Repeat("x", 30<<10)
	w.expect("$"+strconv.Itoa(len(word))+"\r\n"+word+"\r\n", "ECHO", word)
	held := func() (bytes int64) {
		s.clients.Each(func(cl *client.Client) { bytes = cl.QueryCap.Load() + cl.ReplyCap.Load() })
		return bytes
	}
	if n := held(); n < int64(len(word)) {
		t.Errorf("a busy client holds %d bytes", n)
	}
	clock.set(time.Unix(1003, 0))
	eventually(t, "its buffers are small", func() bool { return held() <= 2*smallBuffer })
	w.expect("$5\r\nagain\r\n", "ECHO", "again")
}
