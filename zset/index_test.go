package zset

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// testHasher counts how often it is asked.
type testHasher struct {
	hashes *[]uint64
	asked  int
}

func (h *testHasher) hashOf(r ref) uint64 { h.asked++; return (*h.hashes)[r] }
func (h *testHasher) touch([]ref)         {}

// TestIndex puts hashes chosen to collide into an index, takes some out, and asks for all after each step. The hash
// of ref r is hashes[r].
func TestIndex(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			hashes := []uint64{0}
			h := &testHasher{hashes: &hashes}
			ix := newIndex(nil)
			there := map[ref]bool{}
			for range 600 {
				if len(there) == 0 || random.IntN(5) < 3-int(seed%2)*len(there)/60 {
					// Homes at a few places, the last buckets among them, and tags of few kinds.
					hash := uint64(random.IntN(4))*0x5555555500000000 | uint64(random.IntN(8))
					r := ref(len(hashes))
					hashes = append(hashes, hash)
					ix.reserve(hash, h)
					ix.insert(hash, r)
					there[r] = true
				} else {
					r := ref(1 + random.IntN(len(hashes)-1))
					if ok := holds(&ix, hashes[r], r); ok != there[r] {
						t.Fatalf("ref %d: found %v, want %v", r, ok, there[r])
					} else if ok {
						ix.remove(hashes[r], r)
						ix.shrink(hashes[r], h)
						delete(there, r)
					}
				}
				for r := ref(1); int(r) < len(hashes); r++ {
					if ok := holds(&ix, hashes[r], r); ok != there[r] {
						t.Fatalf("ref %d of hash %#x: found %v, want %v", r, hashes[r], ok, there[r])
					}
				}
			}
			ix.free()
			if ix.bytes() != 0 {
				t.Errorf("freed, it has %d bytes", ix.bytes())
			}
		})
	}
}

// holds looks for a ref as a lookup does.
func holds(ix *index, hash uint64, want ref) bool {
	if len(ix.tables) == 0 {
		return false
	}
	t := ix.tableOf(hash)
	fraction := t.fraction(hash)
	at := t.home(fraction)
	for range t.buckets {
		b := t.bucket(at)
		for slot := range bucketSlots {
			if b[slot] == tagOf(fraction) && bucketRef(b, slot) == want {
				return true
			}
		}
		if overflow(b) == 0 {
			return false
		}
		at = t.after(at)
	}
	return false
}

// TestIndexGrowth lets an index grow and shrink, and bounds what each step does by counting the hashes that it asks
// for: no insert waits for more than one table, of whatever size the index is.
func TestIndexGrowth(t *testing.T) {
	const members = 300_000
	random := rand.New(rand.NewPCG(1, 2))
	hashes := make([]uint64, members+1)
	for i := range hashes {
		hashes[i] = random.Uint64()
	}
	h, most := &testHasher{hashes: &hashes}, 0
	ix := newIndex(nil)
	total := 0
	for r := ref(1); r <= members; r++ {
		h.asked = 0
		ix.reserve(hashes[r], h)
		ix.insert(hashes[r], r)
		most, total = max(most, h.asked), total+h.asked
	}
	if limit := (tableBuckets + 1) * bucketSlots; most > limit {
		t.Errorf("an insert moved %d members, want at most %d", most, limit)
	}
	if total > 16*members {
		t.Errorf("%d inserts moved %d members", members, total)
	}
	if got := float64(ix.bytes()) / members; got > 7 {
		t.Errorf("%.2f bytes a member", got)
	}
	most, total = 0, 0
	for r := ref(1); r <= members-100; r++ {
		h.asked = 0
		ix.remove(hashes[r], r)
		ix.shrink(hashes[r], h)
		most, total = max(most, h.asked), total+h.asked
	}
	if limit := tableBuckets * bucketSlots; most > limit {
		t.Errorf("a removal moved %d members, want at most %d", most, limit)
	}
	if total > 16*members {
		t.Errorf("%d removals moved %d members", members, total)
	}
	if ix.bytes() > 3000 || ix.depth != 0 {
		t.Errorf("100 members are left in %d bytes at depth %d", ix.bytes(), ix.depth)
	}
	for r := ref(1); r <= members; r++ {
		if holds(&ix, hashes[r], r) != (r > members-100) {
			t.Fatalf("ref %d", r)
		}
	}
}

// TestIndexHomes shows that homes divide the hashes evenly and in order, for any number of buckets and any depth.
func TestIndexHomes(t *testing.T) {
	for _, depth := range []int32{0, 1, 5, 14} {
		for _, buckets := range []int32{1, 2, 9, 100, 255} {
			table := table{buckets: buckets, depth: depth}
			within := uint64(0x9e3779b9)
			start := within &^ (1<<(32-depth) - 1)
			for bucket := range int(buckets) {
				first := table.firstHash(within, bucket)
				if home := table.home(table.fraction(first << 32)); home != bucket {
					t.Fatalf("%d buckets: the first hash of %d is %#x, its home %d", buckets, bucket, first, home)
				}
				if first > start && table.home(table.fraction(first<<32-1)) != bucket-1 {
					t.Fatalf("%d buckets: the hash before %#x has home %d, want %d", buckets, first, table.home(table.fraction(first<<32-1)), bucket-1)
				}
			}
			if end := table.firstHash(within, int(buckets)); end != start+1<<(32-depth) {
				t.Errorf("%d buckets at depth %d: after the last %#x", buckets, depth, end)
			}
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
