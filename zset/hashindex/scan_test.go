package hashindex

import (
	"math/rand/v2"
	"testing"
)

// TestScan scans while the index grows and shrinks, all of it or what begins with certain bits. What is there throughout
// is given exactly once.
func TestScan(t *testing.T) {
	const stay, others = 3000, 40_000
	for _, spread := range spreads {
		for _, bounds := range [][2]uint64{{0, Positions}, {PositionOf(77 << 57), PositionOf(78 << 57)}} {
			t.Run(spread.name, func(t *testing.T) {
				random := rand.New(rand.NewPCG(6, bounds[0]))
				h := &testHasher{}
				ix := New(nil)
				insert := func() {
					hash := spread.hash(random)
					r := h.add(hash)
					ix.Reserve(hash, h)
					ix.Insert(hash, r)
				}
				for range stay {
					insert()
				}
				seen := map[Ref]int{}
				within := func(r Ref) bool {
					p := PositionOf(h.hashes[r])
					return bounds[0] <= p && p < bounds[1]
				}
				gone := stay
				for position, calls := bounds[0], 0; position < bounds[1]; calls++ {
					next := ix.Scan(position, bounds[1], 20, h, func(r Ref) bool {
						if !within(r) {
							t.Fatalf("ref %d of hash %#x is outside", r, h.hashes[r])
						}
						seen[r]++
						return true
					})
					if next <= position || next > bounds[1] {
						t.Fatalf("after %#x comes %#x", position, next)
					}
					position = next
					for range 50 { // the index grows, later it shrinks
						if len(h.hashes) < others {
							insert()
						} else if gone < len(h.hashes) {
							ix.Remove(h.hashes[gone], Ref(gone))
							ix.Shrink(h.hashes[gone], h)
							gone++
						}
					}
				}
				for r := range Ref(stay) {
					if want := map[bool]int{true: 1}[within(r)]; seen[r] != want {
						t.Errorf("ref %d was given %d times, want %d", r, seen[r], want)
					}
				}
				for r, times := range seen {
					if times > 1 {
						t.Errorf("ref %d was given %d times", r, times)
					}
				}
			})
		}
	}
}

// TestScanEnds shows that a scan of nothing is over at once, and that yield may end a call.
func TestScanEnds(t *testing.T) {
	h := &testHasher{}
	ix := New(nil)
	if next := ix.Scan(5, 77, 1, h, nil); next != 77 {
		t.Errorf("in an empty index the scan goes on at %d", next)
	}
	for range 5 {
		hash := uint64(0)
		ix.Reserve(hash, h)
		ix.Insert(hash, h.add(hash))
	}
	if next := ix.Scan(Positions, Positions, 1, h, nil); next != Positions {
		t.Errorf("behind the end the scan goes on at %d", next)
	}
	given := 0
	ix.Scan(0, Positions, 10, h, func(Ref) bool { given++; return given < 2 })
	if given != 2 {
		t.Errorf("%d were given, want 2", given)
	}
}
