package node

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zset.dev/operator/node/peertest"
)

// bridge is a connection's way to a server that can be cut.
type bridge struct {
	listener net.Listener
	mu       sync.Mutex
	to       string            // guarded by mu
	down     bool              // guarded by mu
	open     map[net.Conn]bool // guarded by mu
	running  sync.WaitGroup
}

func newBridge(t *testing.T, to string) *bridge {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &bridge{listener: l, to: to, open: map[net.Conn]bool{}}
	b.running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b.running.Go(func() { b.carry(conn) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		b.cut(true)
		b.running.Wait()
	})
	return b
}

func (b *bridge) port() string {
	_, port, _ := net.SplitHostPort(b.listener.Addr().String())
	return port
}

func (b *bridge) carry(near net.Conn) {
	defer near.Close()
	b.mu.Lock()
	to := b.to
	b.mu.Unlock()
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer far.Close()
	b.mu.Lock()
	if b.down {
		b.mu.Unlock()
		return
	}
	b.open[near], b.open[far] = true, true
	b.mu.Unlock()
	var back sync.WaitGroup
	back.Go(func() {
		io.Copy(near, far)
		near.Close()
	})
	io.Copy(far, near)
	far.Close()
	back.Wait()
	b.mu.Lock()
	delete(b.open, near)
	delete(b.open, far)
	b.mu.Unlock()
}

// cut ends all connections, and while it is down lets no new ones through.
func (b *bridge) cut(down bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = down
	for conn := range b.open {
		conn.Close()
	}
}

// changer changes what a node has in every way that effects come from.
type changer struct {
	*rand.Rand
	w *wire
}

func (c changer) key() string { return fmt.Sprint("key:", c.IntN(60)) }

func (c changer) change() {
	member, score := fmt.Sprint("m", c.IntN(300)), fmt.Sprint(float64(c.IntN(1e6))/8)
	key, other := c.key(), c.key()
	switch n := c.IntN(1000); {
	case n < 300:
		c.w.do("ZADD", key, score, member, "1", "fixed")
	case n < 450:
		c.w.do("ZINCRBY", key, score, member)
	case n < 500:
		c.w.do("ZPOPMIN", key, "3")
	case n < 550:
		c.w.do("ZREMRANGEBYRANK", key, "0", "2")
	case n < 600:
		c.w.do("RENAME", key, other)
	case n < 640:
		c.w.do("COPY", key, other, "REPLACE")
	case n < 680:
		c.w.do("ZUNIONSTORE", key, "2", key, other)
	case n < 740:
		c.w.do("PEXPIRE", key, fmt.Sprint(1+c.IntN(400)))
	case n < 760:
		c.w.do("PEXPIRE", key, "1000000")
	case n < 780:
		c.w.do("PERSIST", key)
	case n < 850:
		c.w.send(string(array("MULTI")) + string(array("ZADD", key, score, member)) + string(array("ZREM", other, member)) +
			string(array("ZINCRBY", other, "1", "both")) + string(array("EXEC")))
		for range 5 {
			c.w.reply()
		}
	case n < 920:
		c.w.do("EVAL", "redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2]) return redis.call('ZINCRBY', KEYS[2], 1.5, ARGV[2])", "2", key, other, score, member)
	case n < 960:
		c.w.do("ZADD", "large", score, fmt.Sprint("m", c.IntN(100_000)))
	case n < 980:
		c.w.do("ZREM", "large", fmt.Sprint("member:", c.IntN(20_000)))
	default:
		c.w.do("DEL", key)
	}
}

// contents is every key of a server with its members, scores and expiry.
func contents(w *wire) string {
	keys := elements(w.do("KEYS", "*"))
	slices.Sort(keys)
	var all strings.Builder
	for _, key := range keys {
		fmt.Fprintf(&all, "%s until %s: %s\n", key, strings.TrimSpace(w.do("PEXPIRETIME", key)), strings.Join(elements(w.do("ZRANGE", key, "0", "-1", "WITHSCORES")), " "))
	}
	return all.String()
}

// same waits until the replica has what the primary has.
func same(t *testing.T, primary, replica *wire) {
	t.Helper()
	var ours, theirs string
	defer func() {
		if t.Failed() {
			t.Logf("the primary has\n%.2000s\nthe replica\n%.2000s", ours, theirs)
		}
	}()
	eventually(t, "the replica has what the primary has", func() bool {
		ours, theirs = contents(primary), contents(replica)
		return ours == theirs
	})
}

// A replica that is an unmodified real server has the same data, while they change in every way, its link is cut and mended, and it
// goes on where it was.
func TestRealReplicasFollow(t *testing.T) {
	for program, diskless := range map[string]string{"redis-server": "disabled", "valkey-server": "swapdb"} {
		t.Run(program, func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			s := start(t, "--repl-backlog-size", "512mb")
			w := dial(t, s.addr)
			fill(t, w, "large", 20_000)
			ended, end := context.WithCancel(t.Context())
			var load sync.WaitGroup
			defer load.Wait()
			defer end()
			for i := range 2 {
				c := changer{rand.New(rand.NewPCG(seed, uint64(i))), dial(t, s.addr)}
				load.Go(func() {
					for ended.Err() == nil {
						c.change()
					}
				})
			}
			link := newBridge(t, s.addr)
			p := peertest.Start(t, program, "", "--replicaof", "127.0.0.1 "+link.port(), "--repl-diskless-load", diskless, "--repl-timeout", "5")
			r := dial(t, p.Addr)
			eventually(t, "a replica is online", func() bool { return strings.Contains(w.do("INFO", "replication"), "state=online") })
			for cuts := 1; cuts <= 3; cuts++ {
				w.do("FLUSHALL") // as Redis 8 waits for one, it would forget where it was: hence ASYNC
				link.cut(true)
				eventually(t, "the cut is noticed", func() bool { return w.info("connected_slaves") == 0 })
				link.cut(false)
				eventually(t, "it goes on where it was", func() bool {
					return w.info("sync_partial_ok") == cuts && strings.Contains(w.do("INFO", "replication"), "state=online")
				})
			}
			fill(t, w, "large", 5000)
			at := w.info("master_repl_offset")
			eventually(t, "some more changes", func() bool { return w.info("master_repl_offset") > at+1<<20 })
			end()
			load.Wait()
			same(t, w, r)
			if n := w.info("sync_full"); n != 1 {
				t.Errorf("%d times all data was sent", n)
			}
			eventually(t, "the replica confirmed all", func() bool { return r.info("master_repl_offset") == w.info("master_repl_offset") })
		})
	}
}

// The programs that take copies of a server's data like ours, and the files pass the checks.
func TestCopiesByRealClients(t *testing.T) {
	folder := os.Getenv("PEERS")
	if folder == "" {
		t.Skip("set PEERS to a folder with redis-cli and valkey-cli")
	}
	s := start(t)
	w := dial(t, s.addr)
	fill(t, w, "large", 5000)
	w.do("ZADD", "small", "1", "a")
	w.do("PEXPIRE", "small", "1000000")
	w.do("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)")
	host, port, _ := net.SplitHostPort(s.addr)
	run := func(ctx context.Context, program string, args ...string) *exec.Cmd {
		return exec.CommandContext(ctx, filepath.Join(folder, program), args...)
	}
	for _, kind := range []string{"redis", "valkey"} {
		file := filepath.Join(t.TempDir(), "copy.rdb")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if out, err := run(ctx, kind+"-cli", "-h", host, "-p", port, "--rdb", file).CombinedOutput(); err != nil {
			t.Fatalf("%s-cli --rdb: %v\n%s", kind, err, out)
		}
		out, err := run(ctx, kind+"-check-rdb", file).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "2 keys read") {
			t.Errorf("%s-check-rdb: %v\n%s", kind, err, out)
		}

		var seen syncBuffer
		following, stop := context.WithCancel(t.Context())
		cli := run(following, kind+"-cli", "-h", host, "-p", port, "--replica")
		cli.Stdout, cli.Stderr = &seen, &seen
		if err := cli.Start(); err != nil {
			t.Fatal(err)
		}
		member := "seen-by-" + kind
		w.do("ZADD", "small", "2", member)
		eventually(t, kind+"-cli prints what changes", func() bool {
			w.do("ZADD", "small", fmt.Sprint(time.Now().UnixNano()), member)
			return strings.Contains(seen.String(), member)
		})
		stop()
		cli.Wait()
	}
	eventually(t, "nobody follows", func() bool { return w.info("connected_slaves") == 0 })
}

// syncBuffer is a buffer that one writes and another reads.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer // guarded by mu
}

func (s *syncBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// A real replica of a replica of ours has the primary's data and log, and goes on where it was when that replica becomes primary.
func TestRealReplicaOfAReplica(t *testing.T) {
	for _, program := range []string{"redis-server", "valkey-server"} {
		t.Run(program, func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			a := start(t)
			b := start(t)
			w, middle := dial(t, a.addr), dial(t, b.addr)
			_, port, _ := net.SplitHostPort(a.addr)
			middle.expect("+OK\r\n", "REPLICAOF", "127.0.0.1", port)
			eventually(t, "the replica is online", func() bool { return strings.Contains(w.do("INFO", "replication"), "state=online") })
			_, port, _ = net.SplitHostPort(b.addr)
			p := peertest.Start(t, program, "", "--replicaof", "127.0.0.1 "+port)
			r := dial(t, p.Addr)
			c := changer{rand.New(rand.NewPCG(seed, 0)), w}
			eventually(t, "its replica is online", func() bool {
				c.change()
				return strings.Contains(middle.do("INFO", "replication"), "state=online")
			})
			for range 1000 {
				c.change()
			}
			same(t, w, r)
			middle.expect("+OK\r\n", "REPLICAOF", "NO", "ONE")
			c.w = middle
			eventually(t, "it goes on where it was", func() bool { return middle.info("sync_partial_ok") == 1 })
			for range 100 {
				c.change()
			}
			same(t, middle, r)
			if n := middle.info("sync_full"); n != 1 {
				t.Errorf("%d times all data was sent", n)
			}
		})
	}
}
