package zset

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The benchmarks of listpacks work on many sets of 100 members with random scores, so that what a set's branches do
// cannot be learned.
const (
	packedSets    = 200
	packedMembers = 100
)

func packedBoards() (sets []*Set, names [][][]byte, random *rand.Rand) {
	random = rand.New(rand.NewPCG(1, 1))
	sets, names = make([]*Set, packedSets), make([][][]byte, packedSets)
	for i := range sets {
		sets[i] = New(nil)
		for j := range packedMembers {
			names[i] = append(names[i], fmt.Appendf(nil, "member:%06d%07d", i, j))
			sets[i].Add(names[i][j], random.Float64(), 0)
		}
	}
	return sets, names, random
}

func benchmarkPacked(b *testing.B, do func(s *Set, member []byte, rank int, score float64)) {
	sets, names, random := packedBoards()
	b.ReportAllocs()
	for b.Loop() {
		at := random.Uint64()
		i, j := at%packedSets, at>>32%packedMembers
		do(sets[i], names[i][j], int(j), float64(at>>11)/(1<<53))
	}
}

func BenchmarkListpackScore(b *testing.B) {
	benchmarkPacked(b, func(s *Set, member []byte, _ int, _ float64) { s.Score(member) })
}

func BenchmarkListpackUpdate(b *testing.B) {
	benchmarkPacked(b, func(s *Set, member []byte, _ int, score float64) { s.Add(member, score, 0) })
}

func BenchmarkListpackAt(b *testing.B) {
	benchmarkPacked(b, func(s *Set, _ []byte, rank int, _ float64) { s.At(rank) })
}
