package hashindex

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// testHasher knows the hash of ref r as its element r, and counts how often it is asked.
type testHasher struct {
	hashes []uint64
	asked  int
}

func (h *testHasher) HashOf(r Ref) uint64 { h.asked++; return h.hashes[r] }
func (h *testHasher) Touch([]Ref)         {}

// add makes a ref for a hash.
func (h *testHasher) add(hash uint64) Ref {
	h.hashes = append(h.hashes, hash)
	return Ref(len(h.hashes) - 1)
}

// holds looks for a ref as an owner does.
func holds(ix *Index, hash uint64, want Ref) bool {
	if ix.Held() == 0 {
		return false
	}
	for p := ix.Probe(hash); ; p = p.Next() {
		for m := p.Matches(); m != 0; m &= m - 1 {
			if p.Ref(m) == want {
				return true
			}
		}
		if p.Last() {
			return false
		}
	}
}

func mustCheck(t *testing.T, ix *Index, h *testHasher, refs int) {
	t.Helper()
	if n, err := ix.Check(h); err != nil || n != refs {
		t.Fatalf("check: %d refs, %v; want %d", n, err, refs)
	}
}

// TestIndex puts hashes chosen to collide into an index, takes some out, and asks for all after each step.
func TestIndex(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			h := &testHasher{}
			ix := New(nil)
			there := map[Ref]bool{}
			for step := range 600 {
				if len(there) == 0 || random.IntN(5) < 3-int(seed%2)*len(there)/60 {
					// Homes at a few places, the last buckets among them, and tags of few kinds.
					hash := uint64(random.IntN(4))*0x5555555500000000 | uint64(random.IntN(8))
					r := h.add(hash)
					ix.Reserve(hash, h)
					ix.Insert(hash, r)
					there[r] = true
				} else {
					r := Ref(random.IntN(len(h.hashes)))
					if ok := holds(&ix, h.hashes[r], r); ok != there[r] {
						t.Fatalf("ref %d: found %v, want %v", r, ok, there[r])
					} else if ok {
						ix.Remove(h.hashes[r], r)
						ix.Shrink(h.hashes[r], h)
						delete(there, r)
					}
				}
				for r, hash := range h.hashes {
					if ok := holds(&ix, hash, Ref(r)); ok != there[Ref(r)] {
						t.Fatalf("ref %d of hash %#x: found %v, want %v", r, hash, ok, there[Ref(r)])
					}
				}
				if step%20 == 0 {
					mustCheck(t, &ix, h, len(there))
				}
			}
			ix.Free()
			if ix.Bytes() != 0 || holds(&ix, 0, 0) {
				t.Errorf("freed, it has %d bytes", ix.Bytes())
			}
		})
	}
}

// spreads are ways for hashes to fall: evenly, or as those of keys whose upper seven bits are a slot.
var spreads = []struct {
	name string
	hash func(random *rand.Rand) uint64
}{
	{"even", func(random *rand.Rand) uint64 { return random.Uint64() }},
	{"slots", func(random *rand.Rand) uint64 { return uint64(random.IntN(128))<<57 | random.Uint64()>>7 }},
	{"one slot", func(random *rand.Rand) uint64 { return 77<<57 | random.Uint64()>>7 }},
	{"a hot slot", func(random *rand.Rand) uint64 {
		if random.IntN(100) > 0 {
			return 127<<57 | random.Uint64()>>7
		}
		return uint64(random.IntN(128))<<57 | random.Uint64()>>7
	}},
}

// TestGrowth lets an index grow and shrink, and bounds what each step does by counting the hashes that it asks for: no
// insert waits for more than one table, of whatever size the index is.
func TestGrowth(t *testing.T) {
	const members = 120_000
	for _, spread := range spreads {
		t.Run(spread.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			h := &testHasher{}
			for range members {
				h.add(spread.hash(random))
			}
			ix := New(nil)
			most, total := 0, 0
			for r, hash := range h.hashes {
				h.asked = 0
				if !ix.Reserve(hash, h) {
					t.Fatalf("ref %d: no room", r)
				}
				ix.Insert(hash, Ref(r))
				most, total = max(most, h.asked), total+h.asked
			}
			if limit := (tableBuckets + depthLimit) * bucketSlots; most > limit {
				t.Errorf("an insert moved %d refs, want at most %d", most, limit)
			}
			if total > 16*members {
				t.Errorf("%d inserts moved %d refs", members, total)
			}
			if got := float64(ix.Bytes()) / members; got > 7 {
				t.Errorf("%.2f bytes a ref", got)
			}
			mustCheck(t, &ix, h, members)
			most, total = 0, 0
			for r, hash := range h.hashes[:members-100] {
				h.asked = 0
				ix.Remove(hash, Ref(r))
				ix.Shrink(hash, h)
				most, total = max(most, h.asked), total+h.asked
			}
			if limit := tableBuckets * bucketSlots; most > limit {
				t.Errorf("a removal moved %d refs, want at most %d", most, limit)
			}
			if total > 16*members {
				t.Errorf("%d removals moved %d refs", members, total)
			}
			if ix.Bytes() > 3000 || ix.depth != 0 {
				t.Errorf("100 refs are left in %d bytes at depth %d", ix.Bytes(), ix.depth)
			}
			mustCheck(t, &ix, h, 100)
			for r, hash := range h.hashes {
				if holds(&ix, hash, Ref(r)) != (r >= members-100) {
					t.Fatalf("ref %d", r)
				}
			}
		})
	}
}

// TestBeyondDepthLimit fills an index with hashes that agree in all the bits that divide tables.
func TestBeyondDepthLimit(t *testing.T) {
	const members = 20_000
	random := rand.New(rand.NewPCG(3, 4))
	h := &testHasher{}
	ix := New(nil)
	insert := func(hash uint64) {
		r := h.add(hash)
		if !ix.Reserve(hash, h) {
			t.Fatal("no room")
		}
		ix.Insert(hash, r)
	}
	for range members {
		insert(0xabcde<<44 | random.Uint64()>>20)
	}
	insert(0)
	mustCheck(t, &ix, h, members+1)
	if ix.depth != depthLimit || ix.Bytes() > 7*members+8<<depthLimit {
		t.Errorf("depth %d, %d bytes", ix.depth, ix.Bytes())
	}
	for r, hash := range h.hashes {
		if !holds(&ix, hash, Ref(r)) {
			t.Fatalf("ref %d is not found", r)
		}
	}
	for r, hash := range h.hashes[:members] {
		ix.Remove(hash, Ref(r))
		ix.Shrink(hash, h)
	}
	mustCheck(t, &ix, h, 1)
	if ix.depth != 0 {
		t.Errorf("depth %d is left", ix.depth)
	}
}

// TestPrepare shows that what was prepared for does not need to grow, but for the unevenness of hashes.
func TestPrepare(t *testing.T) {
	for _, members := range []int{0, 1, 100, 3000, 100_000} {
		random := rand.New(rand.NewPCG(5, uint64(members)))
		h := &testHasher{}
		ix := New(nil)
		ix.Prepare(members)
		mustCheck(t, &ix, h, 0)
		before := ix.Bytes()
		for range members {
			hash := random.Uint64()
			r := h.add(hash)
			ix.Reserve(hash, h)
			ix.Insert(hash, r)
		}
		mustCheck(t, &ix, h, members)
		if ix.Bytes() > before+before/20 {
			t.Errorf("%d refs: %d bytes were prepared, it took %d", members, before, ix.Bytes())
		}
	}
}

// TestHomes shows that homes divide the hashes evenly and in order, for any number of buckets and any depth.
func TestHomes(t *testing.T) {
	at := func(position uint64) uint64 { return position << (64 - positionBits) }
	for _, depth := range []int32{0, 1, 5, 14, 20} {
		for _, buckets := range []int32{1, 2, 9, 100, 255, 5000} {
			start := PositionOf(0x9e3779b97f4a7c15) &^ (1<<(positionBits-depth) - 1)
			table := table{buckets: buckets, depth: depth, prefix: uint32(start >> (positionBits - 32))}
			for bucket := range int(buckets) {
				first := table.firstPosition(bucket)
				if home := table.home(table.fraction(at(first))); home != bucket {
					t.Fatalf("%d buckets: the first position of %d is %#x, its home %d", buckets, bucket, first, home)
				}
				if home := table.home(table.fraction(at(first) - 1)); first > start && home != bucket-1 {
					t.Fatalf("%d buckets: the position before %#x has home %d, want %d", buckets, first, home, bucket-1)
				}
			}
			if end := table.firstPosition(int(buckets)); end != start+1<<(positionBits-depth) {
				t.Errorf("%d buckets at depth %d: after the last %#x", buckets, depth, end)
			}
		}
	}
}
