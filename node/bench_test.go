package node

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
)

// BenchmarkServer measures commands through the whole server, over loopback,
// with clients that cost as little as they can: each sends prepared bytes and
// skips the replies. ns/op is per command, of all clients together.
//
//	go test ./node -run xxx -bench Server -cpu 2
//
// The same against a real server: hack/bench.
func BenchmarkServer(b *testing.B) {
	const members = 100_000
	for _, c := range []struct {
		name    string
		command func(rng *rand.Rand) []byte
	}{
		{"PING", func(*rand.Rand) []byte { return array("PING") }},
		{"ZADD", func(rng *rand.Rand) []byte {
			return array("ZADD", "board", fmt.Sprint(rng.IntN(1e6)), fmt.Sprintf("member:%06d", rng.IntN(members)))
		}},
		{"ZSCORE", func(rng *rand.Rand) []byte {
			return array("ZSCORE", "board", fmt.Sprintf("member:%06d", rng.IntN(members)))
		}},
		{"ZRANK", func(rng *rand.Rand) []byte {
			return array("ZRANK", "board", fmt.Sprintf("member:%06d", rng.IntN(members)))
		}},
		{"ZRANGE10", func(rng *rand.Rand) []byte {
			from := rng.IntN(members - 10)
			return array("ZRANGE", "board", fmt.Sprint(from), fmt.Sprint(from+9), "WITHSCORES")
		}},
		{"ZADDSmall", func(rng *rand.Rand) []byte {
			return array("ZADD", fmt.Sprintf("user:%05d", rng.IntN(20000)), fmt.Sprint(rng.IntN(1000)), fmt.Sprintf("item:%02d", rng.IntN(20)))
		}},
	} {
		for _, pipeline := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/pipeline=%d", c.name, pipeline), func(b *testing.B) {
				s := start(b)
				w := dial(b, s.addr)
				for i := 0; i < members; i += 1000 {
					args := []string{"ZADD", "board"}
					for j := i; j < i+1000; j++ {
						args = append(args, fmt.Sprint(j*7%members), fmt.Sprintf("member:%06d", j))
					}
					w.do(args...)
				}
				var seed atomic.Uint64
				b.SetParallelism(4)
				b.ReportAllocs()
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					rng := rand.New(rand.NewPCG(seed.Add(1), 0))
					var batches [64][]byte
					for i := range batches {
						for range pipeline {
							batches[i] = append(batches[i], c.command(rng)...)
						}
					}
					conn, err := net.Dial("tcp", s.addr)
					if err != nil {
						b.Error(err)
						return
					}
					defer conn.Close()
					in := bufio.NewReaderSize(conn, 64<<10)
					for batch, more := 0, true; more; batch++ {
						n := 0
						for ; n < pipeline; n++ {
							if more = pb.Next(); !more {
								break
							}
						}
						if n < pipeline {
							return // the rest of a batch is not worth another path
						}
						if _, err := conn.Write(batches[batch%len(batches)]); err != nil {
							b.Error(err)
							return
						}
						for range pipeline {
							if err := discardReply(in); err != nil {
								b.Error(err)
								return
							}
						}
					}
				})
				b.StopTimer()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cmd/s")
			})
		}
	}
}

func discardReply(in *bufio.Reader) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	n := 0
	for _, d := range line[1 : len(line)-2] {
		n = n*10 + int(d-'0')
	}
	switch line[0] {
	case '$':
		if line[1] == '-' {
			return nil
		}
		_, err = in.Discard(n + 2)
	case '*':
		for range n {
			if err := discardReply(in); err != nil {
				return err
			}
		}
	case '-':
		return fmt.Errorf("%w: %s", io.ErrUnexpectedEOF, line)
	}
	return err
}

// BenchmarkReadLoop measures cutting a received pipeline into commands.
func BenchmarkReadLoop(b *testing.B) {
	var pipeline []byte
	const commands = 64
	for i := range commands {
		pipeline = append(pipeline, array("ZADD", "board", fmt.Sprint(i), fmt.Sprintf("member:%06d", i))...)
	}
	limits := frameLimits{authenticated: true, bulkBytes: 1 << 20}
	var q query
	b.ReportAllocs()
	for n := 0; n < b.N; n += commands {
		for rest := pipeline; len(rest) > 0; {
			k := copy(q.space(), rest)
			q.received(k)
			rest = rest[k:]
			for {
				args, err := q.next(limits)
				if err != nil {
					b.Fatal(err)
				}
				if args == nil {
					break
				}
			}
		}
	}
}
