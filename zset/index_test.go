package zset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestIndex puts hashes chosen to collide into an index, takes some out, and asks for all after each step. The hash
// of ref r is hashes[r].
func TestIndex(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			hashes := []uint64{0}
			hashOf := func(r ref) uint64 { return hashes[r] }
			ix := newIndex(indexSlots(0))
			there := map[ref]bool{}
			for range 600 {
				if len(there) == 0 || random.IntN(5) < 3-int(seed%2)*len(there)/60 {
					// Homes at a few places, the last slots among them, and tags of few kinds.
					hash := uint64(random.IntN(4))*0x5555555500000000 | uint64(random.IntN(8))
					r := ref(len(hashes))
					hashes = append(hashes, hash)
					ix.reserve(hashOf)
					ix.insert(hash, r)
					there[r] = true
				} else {
					r := ref(random.IntN(len(hashes)))
					if slot, ok := lookup(&ix, hashOf(r), r); ok != there[r] {
						t.Fatalf("ref %d: found %v, want %v", r, ok, there[r])
					} else if ok {
						ix.remove(slot, hashOf)
						ix.shrink(hashOf)
						delete(there, r)
					}
				}
				for r := range ref(len(hashes)) {
					if _, ok := lookup(&ix, hashOf(r), r); ok != there[r] {
						t.Fatalf("ref %d of hash %#x: found %v, want %v", r, hashOf(r), ok, there[r])
					}
				}
				if ix.used != len(there) {
					t.Fatalf("%d used, want %d", ix.used, len(there))
				}
			}
		})
	}
}

func lookup(ix *index, hash uint64, want ref) (slot int, ok bool) {
	p := ix.probe(hash)
	for slot, ok := p.next(ix); ok; slot, ok = p.next(ix) {
		if ix.refs[slot] == want {
			return slot, true
		}
	}
	return 0, false
}

// TestIndexHomes shows that homes divide the hashes evenly and in order, for any number of slots.
func TestIndexHomes(t *testing.T) {
	for _, slots := range []int{8, 9, 100, 12345, 1 << 20} {
		ix := newIndex(slots)
		for slot := range slots {
			first := ix.firstHash(slot)
			if home := ix.home(first << 32); home != slot {
				t.Fatalf("%d slots: the first hash of %d is %#x, its home %d", slots, slot, first, home)
			}
			if first > 0 && ix.home(first<<32-1) != slot-1 {
				t.Fatalf("%d slots: the hash before %#x has home %d, want %d", slots, first, ix.home(first<<32-1), slot-1)
			}
		}
		if ix.firstHash(slots) != 0 {
			t.Errorf("%d slots: after the last %#x", slots, ix.firstHash(slots))
		}
		if home := ix.home(math.MaxUint64); home != slots-1 {
			t.Errorf("%d slots: the last hash has home %d", slots, home)
		}
	}
}

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
