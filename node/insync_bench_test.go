package node

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
)

// BenchmarkReplicatedWrites measures writes of 50 clients, 16 at a time, with nobody who follows, with a replica, and with one that all wait for.
// The replica only reads and confirms. deep is one client with a long pipeline.
//
//	go test ./node -run xxx -bench ReplicatedWrites
func BenchmarkReplicatedWrites(b *testing.B) {
	const sets = 5000
	for _, c := range []struct {
		name              string
		clients, pipeline int
	}{{"clients=50/pipeline=16", 50, 16}, {"clients=1/pipeline=4096", 1, 4096}} {
		for _, mode := range []string{"alone", "async", "sync"} {
			b.Run(c.name+"/"+mode, func(b *testing.B) {
				var args []string
				if mode == "sync" {
					args = []string{"--min-sync-replicas", "1"}
				}
				s := start(b, args...)
				if mode != "alone" {
					name := ""
					if mode == "sync" {
						name = "a"
					}
					a := joinAs(b, s.addr, name)
					a.mu.Lock()
					a.forget = true
					a.mu.Unlock()
					a.confirmAlways(mode == "sync")
					if mode == "sync" {
						s.inSyncAre(b, "a")
					}
				}
				var left atomic.Int64
				left.Store(int64(b.N))
				b.ResetTimer()
				done := make(chan error, c.clients)
				for n := range c.clients {
					rng := rand.New(rand.NewPCG(1, uint64(n)))
					var batches [16][]byte
					for i := range batches {
						for range c.pipeline {
							batches[i] = append(batches[i], array("ZADD", fmt.Sprintf("set:%04d", rng.IntN(sets)), fmt.Sprint(rng.IntN(1e9)), fmt.Sprintf("member:%02d", rng.IntN(50)))...)
						}
					}
					conn, err := net.Dial("tcp", s.addr)
					if err != nil {
						b.Fatal(err)
					}
					defer conn.Close()
					go func() {
						in := bufio.NewReaderSize(conn, 64<<10)
						for i := 0; left.Add(-int64(c.pipeline)) > -int64(c.pipeline); i++ {
							sent := make(chan error, 1)
							send := func() {
								_, err := conn.Write(batches[i%len(batches)])
								sent <- err
							}
							if c.clients == 1 {
								go send() // more than fits into sockets
							} else {
								send()
							}
							for range c.pipeline {
								if err := discardReply(in); err != nil {
									done <- err
									return
								}
							}
							if err := <-sent; err != nil {
								done <- err
								return
							}
						}
						done <- nil
					}()
				}
				for range c.clients {
					if err := <-done; err != nil {
						b.Error(err)
					}
				}
				b.StopTimer()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cmd/s")
			})
		}
	}
}
