package zset

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestHash shows that members that differ little fall evenly: by upper bits, which choose the home, and by the lowest
// byte, which is the tag. Both are held to the chi-square bound of TestLevels, for a fixed key.
func TestHash(t *testing.T) {
	random := rand.NewPCG(3, 4)
	key := hashKey{random.Uint64(), random.Uint64()}
	const members, cells = 200_000, 256
	kinds := map[string]func(i int) []byte{
		"short":       func(i int) []byte { return fmt.Appendf(nil, "%d", i) },
		"two bytes":   func(i int) []byte { return []byte{byte(i), byte(i >> 8)} },
		"fixed width": func(i int) []byte { return fmt.Appendf(nil, "member:%09d", i) },
		"long":        func(i int) []byte { return fmt.Appendf(nil, "%032d%d:suffix-of-some-length", 7, i) },
		"early bytes": func(i int) []byte { return fmt.Appendf(nil, "%d%040d", i, 0) },
		"zeros":       func(i int) []byte { return make([]byte, i) },
		"little end":  func(i int) []byte { return []byte{byte(i), byte(i >> 8), byte(i >> 16), 0, 0, 0, 0, 0} },
		"seven bytes": func(i int) []byte { return []byte{0, byte(i), byte(i >> 8), byte(i >> 16), 0, 0, 0} },
		"binary ids": func(i int) []byte {
			return []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, byte(i >> 16), byte(i >> 8), byte(i)}
		},
		"single bytes": func(i int) []byte { return []byte{byte(i)} },
	}
	limits := map[string]int{"two bytes": 1 << 16, "zeros": 4000, "single bytes": 0}
	for name, member := range kinds {
		n := members
		if limit, ok := limits[name]; ok {
			n = limit
		}
		homes, tags := make([]float64, cells), make([]float64, cells)
		for i := range n {
			hash := key.sum(member(i))
			homes[hash>>56]++
			tags[byte(hash)]++
		}
		for part, counts := range map[string][]float64{"home": homes, "tag": tags} {
			statistic := 0.0
			for _, count := range counts {
				expected := float64(n) / cells
				if n > 0 {
					statistic += (count - expected) * (count - expected) / expected
				}
			}
			if bound := chiSquareBound(cells - 1); statistic > bound {
				t.Errorf("%s, %s: chi-square is %.0f, bound %.0f", name, part, statistic, bound)
			}
		}
		seen := map[uint64][]byte{}
		for i := range max(n, 256) {
			m := member(i)
			if other, ok := seen[key.sum(m)]; ok {
				t.Fatalf("%s: %q and %q have one hash", name, m, other)
			}
			seen[key.sum(m)] = m
		}
	}
}
