package node

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"zset.dev/operator/node/peertest"
)

// changing lets clients change what a server has in every way, until the function returned is called.
func changing(t *testing.T, addr string, clients int) (end func()) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	ended, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	for i := range clients {
		c := changer{rand.New(rand.NewPCG(seed, uint64(i))), dial(t, addr)}
		load.Go(func() {
			for ended.Err() == nil {
				c.change()
			}
		})
	}
	end = func() {
		stop()
		load.Wait()
	}
	t.Cleanup(end)
	return end
}

// more waits until the log of a primary that is being changed has grown.
func more(t *testing.T, w *wire, bytes int) {
	t.Helper()
	at := w.info("master_repl_offset")
	eventually(t, "some more changes", func() bool { return w.info("master_repl_offset") > at+bytes })
}

func up(t *testing.T, w *wire) {
	t.Helper()
	eventually(t, "the link is up", func() bool { return strings.Contains(w.do("INFO", "replication"), "master_link_status:up") })
}

// A node follows an unmodified real server, which changes in every way, over a link that is cut and mended; another node follows it; and
// when it is made a primary that one goes on where it was.
func TestFollowsRealPrimaries(t *testing.T) {
	for _, program := range []string{"redis-server", "valkey-server"} {
		for _, diskless := range []string{"yes", "no"} {
			t.Run(program+", diskless "+diskless, func(t *testing.T) {
				p := peertest.Start(t, program, "", "--repl-diskless-sync", diskless, "--repl-diskless-sync-delay", "0", "--repl-backlog-size", "512mb")
				primary := dial(t, p.Addr)
				fill(t, primary, "large", 20_000)
				primary.do("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)")
				end := changing(t, p.Addr, 2)
				link := newBridge(t, p.Addr)
				first := start(t, "--replicaof", "127.0.0.1 "+link.port())
				replica := dial(t, first.addr)
				up(t, replica)
				second := start(t, "--replicaof", strings.Replace(first.addr, ":", " ", 1))
				chained := dial(t, second.addr)
				up(t, chained)
				for cuts := 1; cuts <= 3; cuts++ {
					link.cut(true)
					more(t, primary, 1<<16)
					link.cut(false)
					eventually(t, "it goes on where it was", func() bool { return primary.info("sync_partial_ok") == cuts })
					up(t, replica)
					more(t, primary, 1<<16)
				}
				primary.do("FLUSHALL")
				fill(t, primary, "large", 5000)
				more(t, primary, 1<<18)
				end()
				same(t, primary, replica)
				same(t, primary, chained)
				if n := primary.info("sync_full"); n != 1 {
					t.Errorf("%d times all data was sent", n)
				}
				eventually(t, "the replica confirmed all", func() bool {
					return replica.info("slave_repl_offset") == primary.info("master_repl_offset") && strings.Contains(primary.do("INFO", "replication"),
						fmt.Sprint("offset=", primary.info("master_repl_offset")))
				})
				if got := chained.do("FUNCTION", "LIST"); !strings.Contains(got, "lib") {
					t.Errorf("the primary's libraries are not here: %q", got)
				}

				full := replica.info("sync_full")
				replica.expect("+OK\r\n", "REPLICAOF", "NO", "ONE")
				replica.expect(":1\r\n", "ZADD", "promoted", "1", "a")
				up(t, chained)
				same(t, replica, chained)
				if n := replica.info("sync_full"); n != full {
					t.Errorf("the replica's replica got all data again: %d", n)
				}
			})
		}
	}
}

// What a node has no type for ends the link with an error that names the key, or is left out, whether it is in the file or comes
// later.
func TestOtherTypesOfAPrimary(t *testing.T) {
	for _, program := range []string{"redis-server", "valkey-server"} {
		t.Run(program, func(t *testing.T) {
			p := peertest.Start(t, program, "", "--repl-diskless-sync-delay", "0")
			primary := dial(t, p.Addr)
			primary.do("ZADD", "board", "1", "a")
			primary.do("RPUSH", "queue", "x")
			at := strings.Replace(p.Addr, ":", " ", 1)
			s := start(t, "--replicaof", at)
			replica := dial(t, s.addr)
			reason := func(says string) {
				t.Helper()
				eventually(t, "the link is down: "+says, func() bool {
					return strings.Contains(infoOf(t, s.addr, "replication", "master_link_down_reason"), says)
				})
			}
			reason(`key "queue" holds a list, and this server holds sorted sets only`)
			replica.expect("-LOADING Redis is loading the dataset in memory\r\n", "ZCARD", "board")
			primary.do("DEL", "queue")
			same(t, primary, replica)

			primary.do("SET", "text", "1")
			reason(`SET of key "text": this server holds sorted sets only`)
			replica.do("CONFIG", "SET", "skip-other-types", "yes")
			primary.do("ZADD", "board", "2", "b")
			primary.do("SELECT", "3")
			primary.do("ZADD", "elsewhere", "2", "b")
			primary.do("SELECT", "0")
			primary.do("ZADD", "other", "2", "b")
			primary.do("SET", "other", "1")
			primary.do("ZADD", "board", "3", "c")
			eventually(t, "the last change", func() bool { return replica.do("ZCARD", "board") == ":3\r\n" })
			replica.expect("*1\r\n$5\r\nboard\r\n", "KEYS", "*")
			if n := replica.info("replica_skipped"); n != 3 {
				t.Errorf("%d left out", n)
			}

			fresh := start(t, "--replicaof", at, "--skip-other-types", "yes")
			eventually(t, "a replica that leaves other types out", func() bool { return dial(t, fresh.addr).do("ZCARD", "board") == ":3\r\n" })
		})
	}
}

// Roles are swapped by FAILOVER, without a write lost, between a node and a real server in both directions.
func TestFailoverWithRealServers(t *testing.T) {
	for _, program := range []string{"redis-server", "valkey-server"} {
		t.Run(program, func(t *testing.T) {
			p := peertest.Start(t, program, "", "--repl-diskless-sync-delay", "0")
			peer := dial(t, p.Addr)
			s := start(t, "--replicaof", strings.Replace(p.Addr, ":", " ", 1))
			node := dial(t, s.addr)
			up(t, node)
			peer.do("ZADD", "board", "1", "a")
			eventually(t, "the peer knows its replica", func() bool { return strings.Contains(peer.do("INFO", "replication"), "state=online") })
			peer.expect("+OK\r\n", "FAILOVER")
			eventually(t, "the node is the primary", func() bool { return role(t, s.addr) == "master" && role(t, p.Addr) == "slave" })
			node.expect(":1\r\n", "ZADD", "board", "2", "b")
			up(t, peer)
			same(t, node, peer)

			node.do("ZINCRBY", "board", "1", "a")
			node.expect("+OK\r\n", "FAILOVER", "TO", "127.0.0.1", strings.Split(p.Addr, ":")[1], "TIMEOUT", "10000")
			eventually(t, "the peer is the primary", func() bool { return role(t, p.Addr) == "master" && role(t, s.addr) == "slave" })
			peer.do("ZADD", "board", "3", "c")
			up(t, node)
			same(t, peer, node)
			if got := infoOf(t, s.addr, "replication", "master_failover_state"); got != "no-failover" {
				t.Errorf("the failover is at %s", got)
			}
			if n := peer.info("sync_full") + node.info("sync_full"); n != 1 {
				t.Errorf("%d times all data was sent", n)
			}
		})
	}
}

func role(t *testing.T, addr string) string {
	t.Helper()
	return infoOf(t, addr, "replication", "role")
}
