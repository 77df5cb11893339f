package zset

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"zset.dev/operator/zset/slab"
)

// BenchmarkPopRun pops runs of members from either end of a set in memory outside the Go heap, and without the time for
// it puts as many back there.
func BenchmarkPopRun(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		for _, highest := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/highest=%v", n, highest), func(b *testing.B) {
				heap := slab.New(slab.Options{})
				defer heap.Close()
				s := NewIn(OffHeap(heap), nil)
				random := rand.New(rand.NewPCG(1, 2))
				name := []byte("member:0000000000000")
				add := func(i int, score float64) {
					binary.BigEndian.PutUint64(name[7:], uint64(i)*0x9e3779b97f4a7c15)
					s.Add(name, score, 0)
				}
				for i := range n {
					add(i, random.Float64())
				}
				next := n
				rank := 0
				if highest {
					rank = -1
				}
				b.ResetTimer()
				for i := range b.N {
					if i%(n/10) == 0 {
						b.StopTimer()
						for s.Len() < n+n/10 {
							score := random.Float64()
							if highest {
								score += 1
							} else {
								score -= 1
							}
							add(next, score)
							next++
						}
						b.StartTimer()
					}
					r := s.ByRank(rank, rank)
					s.At(r.Start)
					s.RemoveRange(r)
				}
			})
		}
	}
}
