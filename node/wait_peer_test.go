package node

import (
	"net"
	"testing"

	"zset.dev/operator/node/peertest"
)

// Real servers that follow confirm when they are asked to, in memory and on disk.
func TestPeersConfirm(t *testing.T) {
	for _, program := range []string{"redis-server", "valkey-server"} {
		t.Run(program, func(t *testing.T) {
			s := start(t)
			host, port, _ := net.SplitHostPort(s.addr)
			w := dial(t, s.addr)
			w.do("ZADD", "k", "1", "a")
			p := peertest.Start(t, program, "", "--replicaof", host, port, "--appendonly", "yes", "--appendfsync", "always")
			w.expect(":1\r\n", "ZADD", "k", "2", "b")
			w.expect(":1\r\n", "WAIT", "1", "0")
			if got := p.Do("ZRANGE k 0 -1"); got != "a b" {
				t.Errorf("it has %q", got)
			}
			for range 3 {
				w.expect(":0\r\n", "ZADD", "k", "2", "b") // nothing new to wait for
				w.do("ZINCRBY", "k", "1", "a")
				w.expect("*2\r\n:0\r\n:1\r\n", "WAITAOF", "0", "1", "0")
			}
			w.do("ZADD", "k", "3", "c")
			w.expect(":1\r\n", "WAIT", "2", "30")
			eventually(t, "it to be a good one", func() bool {
				w.do("CONFIG", "SET", "min-replicas-to-write", "1")
				return w.do("ZADD", "k", "3", "d") == ":1\r\n" || w.do("ZSCORE", "k", "d") == bulk("3")
			})
		})
	}
}
