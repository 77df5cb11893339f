package slab

import (
	"math/rand/v2"
	"testing"
)

// After nine of ten slots were freed at random, moving what is sparse gives most of the memory back, and comes to an end.
func TestSparse(t *testing.T) {
	for _, size := range []int{24, 104, 600, 20_000} {
		h := newHeap(t, Options{})
		random := rand.New(rand.NewPCG(1, uint64(size)))
		var refs []Ref
		for range 20_000_000 / size {
			r, _ := mustAlloc(t, h, size)
			refs = append(refs, r)
		}
		random.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
		kept := refs[:len(refs)/10]
		for _, r := range refs[len(kept):] {
			h.Free(r)
		}
		h.Trim()
		before, passes := h.Mapped(), 0
		for moved := 1; moved > 0; passes++ {
			if passes > 20 {
				t.Fatalf("size %d: never done", size)
			}
			moved = 0
			for i, r := range kept {
				if h.Sparse(r) {
					fresh, b := mustAlloc(t, h, size)
					copy(b, h.Bytes(r))
					h.Free(r)
					kept[i] = fresh
					moved++
				}
			}
		}
		h.Trim()
		if after, limit := h.Mapped(), h.InUse()*4/3+h.Mapped()/20+256<<10; after > limit || size < 4096 && after > before/2 {
			t.Errorf("size %d: %d bytes in use, mapped were %d, are %d, want at most %d", size, h.InUse(), before, after, limit)
		}
		for _, r := range kept {
			h.Free(r)
		}
	}
}
