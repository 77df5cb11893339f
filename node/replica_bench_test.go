package node

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"zset.dev/operator/node/rdb"
)

// BenchmarkReplicaApplies is how fast a replica does what comes over a socket: b.N effects of the kinds that clients cause.
func BenchmarkReplicaApplies(b *testing.B) {
	for name, effect := range map[string]func(rng *rand.Rand) []byte{
		"OneLargeSet": func(rng *rand.Rand) []byte {
			return array("ZADD", "board", fmt.Sprint(rng.IntN(1e6)), fmt.Sprintf("member:%08d", rng.IntN(1e5)))
		},
		"ManySmallSets": func(rng *rand.Rand) []byte {
			return array("ZADD", fmt.Sprintf("key:%08d", rng.IntN(1e5)), fmt.Sprint(rng.IntN(1e6)), fmt.Sprintf("member:%d", rng.IntN(20)))
		},
		"Transactions": func(rng *rand.Rand) []byte {
			key := fmt.Sprintf("key:%08d", rng.IntN(1e5))
			return []byte(string(array("MULTI")) + string(array("ZADD", key, fmt.Sprint(rng.IntN(1e6)), fmt.Sprintf("member:%d", rng.IntN(20)))) +
				string(array("PEXPIREAT", key, "32503680000000")) + string(array("EXEC")))
		},
	} {
		b.Run(name, func(b *testing.B) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			rng := rand.New(rand.NewPCG(1, 2))
			var pattern []byte
			const distinct = 1 << 16
			ends := make([]int, 0, distinct)
			for range distinct {
				pattern = append(pattern, effect(rng)...)
				ends = append(ends, len(pattern))
			}
			s := start(b, "--replicaof", "127.0.0.1 "+strings.Split(l.Addr().String(), ":")[1])
			conn, err := l.Accept()
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			playPrimary(b, conn)
			eventually(b, "the link is up", func() bool { return infoOf(b, s.addr, "replication", "master_link_status") == "up" })
			from := s.env.Replication.Offset()
			b.ResetTimer()
			var sent int64
			for left := b.N; left > 0; {
				n := min(left, distinct)
				if _, err := conn.Write(pattern[:ends[n-1]]); err != nil {
					b.Fatal(err)
				}
				sent += int64(ends[n-1])
				left -= n
			}
			eventually(b, "all is done", func() bool { return s.env.Replication.Offset() == from+sent })
		})
	}
}

// playPrimary answers a replica's handshake with an empty file.
func playPrimary(b *testing.B, conn net.Conn) {
	b.Helper()
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		switch {
		case strings.HasPrefix(line, "PING"):
			io.WriteString(conn, "+PONG\r\n")
		case strings.HasPrefix(line, "REPLCONF"):
			io.WriteString(conn, "+OK\r\n")
		case strings.HasPrefix(line, "PSYNC"):
			var file strings.Builder
			if err := rdb.NewEncoder(&file).Close(); err != nil {
				b.Fatal(err)
			}
			fmt.Fprintf(conn, "+FULLRESYNC %s 0\r\n$%d\r\n%s", strings.Repeat("a", 40), file.Len(), file.String())
			go io.Copy(io.Discard, in)
			return
		}
	}
}
