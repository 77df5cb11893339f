package slab

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

func BenchmarkAllocFree(b *testing.B) {
	for _, size := range []int{24, 64, 256, 1000, 4000, 20000, 64 << 10} {
		b.Run(fmt.Sprintf("%d bytes", size), func(b *testing.B) {
			h := newHeap(b, Options{})
			keep, _ := mustAlloc(b, h, size) // the slab stays
			for b.Loop() {
				r, _, _ := h.Alloc(size)
				h.Free(r)
			}
			h.Free(keep)
		})
	}
	b.Run("64 bytes alone", func(b *testing.B) { // a slab comes and goes each time
		h := newHeap(b, Options{})
		for b.Loop() {
			r, _, _ := h.Alloc(64)
			h.Free(r)
		}
	})
	b.Run("64 bytes parallel", func(b *testing.B) {
		h := newHeap(b, Options{})
		b.RunParallel(func(pb *testing.PB) {
			keep, _ := mustAlloc(b, h, 64)
			for pb.Next() {
				r, _, _ := h.Alloc(64)
				h.Free(r)
			}
			h.Free(keep)
		})
	})
	b.Run("mixed parallel", func(b *testing.B) {
		h := newHeap(b, Options{})
		var worker atomic.Int64
		b.RunParallel(func(pb *testing.PB) {
			size := int(worker.Add(1)) * 8
			for pb.Next() {
				r, _, _ := h.Alloc(size)
				h.Free(r)
				size = size%256 + 8
			}
		})
	})
}

// BenchmarkFill allocates a million entries and frees them in the order they came, or any.
func BenchmarkFill(b *testing.B) {
	const entries = 1 << 20
	refs := make([]Ref, entries)
	order := rand.New(rand.NewPCG(1, 1)).Perm(entries)
	for _, huge := range []bool{false, true} {
		b.Run(fmt.Sprintf("huge pages %v", huge), func(b *testing.B) {
			h := newHeap(b, Options{HugePages: huge})
			for b.Loop() {
				for i := range refs {
					r, m, _ := h.Alloc(64)
					m[0] = 1
					refs[i] = r
				}
				for _, i := range order {
					h.Free(refs[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/entries, "ns/entry")
		})
	}
}

var sink int

func BenchmarkBytes(b *testing.B) {
	for _, entries := range []int{1 << 10, 1 << 20, 4 << 20} {
		h := newHeap(b, Options{})
		refs := make([]Ref, entries)
		for i := range refs {
			refs[i], _ = mustAlloc(b, h, 24+i%30*8)
		}
		rand.New(rand.NewPCG(1, 1)).Shuffle(entries, func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
		b.Run(fmt.Sprintf("find/%d", entries), func(b *testing.B) {
			i, n := 0, 0
			for b.Loop() {
				n += len(h.Bytes(refs[i&(entries-1)]))
				i++
			}
			sink = n
		})
		b.Run(fmt.Sprintf("read/%d", entries), func(b *testing.B) {
			i, n := 0, 0
			for b.Loop() {
				n += int(h.Bytes(refs[i&(entries-1)])[0])
				i++
			}
			sink = n
		})
		for _, r := range refs {
			h.Free(r)
		}
	}
}

func BenchmarkPages(b *testing.B) {
	for _, size := range []int{64 << 10, 2 << 20, 64 << 20, 1 << 30} {
		b.Run(fmt.Sprintf("untouched %d KiB", size>>10), func(b *testing.B) {
			h := newHeap(b, Options{})
			for b.Loop() {
				p, _ := h.AllocPages(size)
				h.FreePages(p)
			}
		})
	}
	for _, huge := range []bool{false, true} {
		b.Run(fmt.Sprintf("free of a touched GiB, huge pages %v", huge), func(b *testing.B) {
			h := newHeap(b, Options{HugePages: huge})
			for b.Loop() {
				b.StopTimer()
				p, _ := h.AllocPages(1 << 30)
				for i := 0; i < len(p); i += PageSize {
					p[i] = 1
				}
				b.StartTimer()
				h.FreePages(p)
			}
		})
	}
}

// BenchmarkChurn replaces entries at random until each was replaced ten times, and reports what is mapped for a byte in
// use: when sizes stay as they are, when they drift from small to large, and when their number shrinks to a third.
func BenchmarkChurn(b *testing.B) {
	const entries = 200_000
	for _, kind := range []string{"steady", "drift", "shrink"} {
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				random := rand.New(rand.NewPCG(1, 1))
				h := New(Options{})
				refs := make([]Ref, entries)
				left := entries
				for step := range entries * 11 {
					size := 24 + random.IntN(400)
					if kind == "drift" {
						size += step / entries * 100
					}
					i := random.IntN(left)
					if step < entries {
						i = step
					}
					h.Free(refs[i])
					refs[i], _ = mustAlloc(b, h, size)
					if kind == "shrink" && step > entries && left > entries/3 && step%10 == 0 {
						left--
						h.Free(refs[left])
					}
				}
				b.ReportMetric(float64(h.Mapped())/float64(h.InUse()), "mapped/used")
				h.Close()
			}
		})
	}
}
