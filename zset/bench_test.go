package zset

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The benchmarks measure calls on sets of a given size whose members are of 13 bytes and whose scores are random, by
// P. Run them all the same way to compare two runs:
//
//	go test -run '^$' -bench . -benchtime 1s ./zset
//
// B/member is MemoryUsage over the number of members.

var benchSizes = []int{100, 1_000, 100_000, 1_000_000}

var benchPs = []struct {
	name string
	p    float64
}{{"0.25", 0.25}, {"1/e", 1 / math.E}, {"0.50", 0.5}}

// benchEach runs a benchmark for each size and P. Sets of 100 are listpacks, to which P does not matter, as by default.
func benchEach(b *testing.B, run func(b *testing.B, t *Tuning, n int)) {
	for _, n := range benchSizes {
		if n >= 1_000_000 && testing.Short() {
			continue
		}
		for i, p := range benchPs {
			o := DefaultOptions()
			o.P = p.p
			t, err := NewTuning(o)
			if err != nil {
				b.Fatal(err)
			}
			name := fmt.Sprintf("n=%d/P=%s", n, p.name)
			if n <= o.ListpackMaxEntries {
				if i > 0 {
					continue
				}
				name = fmt.Sprintf("n=%d/listpack", n)
			}
			b.Run(name, func(b *testing.B) { run(b, t, n) })
		}
	}
}

// benchMember writes the member of number i into buf, which has 13 bytes.
func benchMember(buf []byte, i int) []byte {
	copy(buf, "member:")
	for at := 12; at >= 7; at-- {
		buf[at] = '0' + byte(i%10)
		i /= 10
	}
	return buf
}

// benchSet makes a set of n members, which were added in the order of their numbers with random scores in [0, 1).
func benchSet(t *Tuning, n int) (*Set, *rand.Rand) {
	s := NewSeeded(t, 1)
	random := rand.New(rand.NewPCG(1, uint64(n)))
	var buf [13]byte
	for i := range n {
		s.Add(benchMember(buf[:], i), random.Float64(), 0)
	}
	return s, random
}

// BenchmarkAdd builds sets; the time is for one member of them.
func BenchmarkAdd(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		random := rand.New(rand.NewPCG(1, 1))
		var buf [13]byte
		s := NewSeeded(t, 1)
		left := n
		usage := 0.0
		for b.Loop() {
			if left == 0 {
				usage = float64(s.MemoryUsage()) / float64(n)
				s, left = NewSeeded(t, 1), n
			}
			left--
			s.Add(benchMember(buf[:], left), random.Float64(), 0)
		}
		if usage > 0 {
			b.ReportMetric(usage, "B/member")
		}
	})
}

// BenchmarkAddInOrder builds sets from members that arrive in order.
func BenchmarkAddInOrder(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		var buf [13]byte
		s := NewSeeded(t, 1)
		i := 0
		for b.Loop() {
			if i == n {
				s, i = NewSeeded(t, 1), 0
			}
			s.Add(benchMember(buf[:], i), float64(i), 0)
			i++
		}
	})
}

// BenchmarkUpdate gives members other random scores.
func BenchmarkUpdate(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, random := benchSet(t, n)
		var buf [13]byte
		for b.Loop() {
			s.Add(benchMember(buf[:], random.IntN(n)), random.Float64(), 0)
		}
		b.ReportMetric(float64(s.MemoryUsage())/float64(n), "B/member")
	})
}

// BenchmarkIncr adds little to scores, so that most members keep their place.
func BenchmarkIncr(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, random := benchSet(t, n)
		var buf [13]byte
		for b.Loop() {
			s.Add(benchMember(buf[:], random.IntN(n)), 0.1/float64(n), Incr)
		}
	})
}

func BenchmarkScore(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, random := benchSet(t, n)
		var buf [13]byte
		for b.Loop() {
			s.Score(benchMember(buf[:], random.IntN(n)))
		}
	})
}

func BenchmarkRank(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, random := benchSet(t, n)
		var buf [13]byte
		for b.Loop() {
			s.Rank(benchMember(buf[:], random.IntN(n)))
		}
	})
}

// BenchmarkRangeByRank reads the ten members from a random rank on.
func BenchmarkRangeByRank(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, random := benchSet(t, n)
		sum := 0.0
		for b.Loop() {
			start := random.IntN(n - 10)
			for _, score := range s.Ascend(s.ByRank(start, start+9)) {
				sum += score
			}
		}
	})
}

// BenchmarkRangeByScore reads about ten members from a random score on.
func BenchmarkRangeByScore(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, random := benchSet(t, n)
		sum := 0.0
		for b.Loop() {
			low := random.Float64()
			for _, score := range s.Ascend(s.ByScore(ScoreRange{Min: low, Max: low + 10/float64(n)})) {
				sum += score
			}
		}
	})
}

// BenchmarkCount counts the members between two random scores.
func BenchmarkCount(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, random := benchSet(t, n)
		total := 0
		for b.Loop() {
			total += s.ByScore(ScoreRange{Min: random.Float64() / 2, Max: 0.5 + random.Float64()/2}).Len()
		}
	})
}

// BenchmarkWalk reads a whole set; the time is for one member.
func BenchmarkWalk(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, _ := benchSet(t, n)
		sum := 0.0
		for b.Loop() {
			for _, score := range s.All() {
				sum += score
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/member")
	})
}

// BenchmarkPop takes the first member and adds it again with a random score.
func BenchmarkPop(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, random := benchSet(t, n)
		var buf [13]byte
		for b.Loop() {
			member, _, _ := s.At(0)
			copy(buf[:], member)
			s.RemoveRange(s.ByRank(0, 0))
			s.Add(buf[:], random.Float64(), 0)
		}
	})
}

// BenchmarkRemove takes a random member and adds it again with a random score.
func BenchmarkRemove(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, random := benchSet(t, n)
		var buf [13]byte
		for b.Loop() {
			member := benchMember(buf[:], random.IntN(n))
			s.Remove(member)
			s.Add(member, random.Float64(), 0)
		}
	})
}

// BenchmarkRemoveRange removes a tenth of a set, a part in the middle chosen by score. The time is for one member removed,
// without that of building the set.
func BenchmarkRemoveRange(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, _ := benchSet(t, n)
		removed := 0
		for b.Loop() {
			if s.Len() < n/2 {
				b.StopTimer()
				s, _ = benchSet(t, n)
				b.StartTimer()
			}
			middle, _, _ := s.At(s.Len() / 2)
			low, _ := s.Score(middle)
			removed += s.RemoveRange(s.ByScore(ScoreRange{Min: low, Max: 1}).Limit(0, n/10))
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(removed), "ns/member")
	})
}

func BenchmarkScan(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		s, _ := benchSet(t, n)
		cursor, given := uint64(0), 0
		for b.Loop() {
			cursor = s.Scan(cursor, 10, func([]byte, float64) { given++ })
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(given), "ns/member")
	})
}

func BenchmarkHash(b *testing.B) {
	key := hashKey{1234567, 7654321}
	for _, size := range []int{8, 13, 64, 1000} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			member := make([]byte, size)
			sum := uint64(0)
			for b.Loop() {
				binary.LittleEndian.PutUint32(member, uint32(sum))
				sum += key.sum(member)
			}
		})
	}
}

// BenchmarkFill loads sets by a Filler; the time is for one member.
func BenchmarkFill(b *testing.B) {
	benchEach(b, func(b *testing.B, t *Tuning, n int) {
		for _, a := range arrivals[:3] {
			b.Run(a.name, func(b *testing.B) {
				random := rand.New(rand.NewPCG(1, uint64(n)))
				pairs := make([]pair, n)
				for i := range pairs {
					pairs[i] = pair{string(benchMember(make([]byte, 13), i)), random.Float64()}
				}
				slices.SortFunc(pairs, comparePairs)
				pairs = a.arrange(random, pairs)
				var f Filler
				for b.Loop() {
					s := New(t)
					f.Begin(s, n)
					var member []byte
					for _, p := range pairs {
						member = append(member[:0], p.member...)
						if f.Add(member, p.score) != nil {
							b.Fatal("not filled")
						}
					}
					if err := f.End(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/member")
			})
		}
	})
}
