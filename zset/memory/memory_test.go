package memory

import (
	"testing"

	"zset.dev/operator/zset/slab"
)

// TestObtain takes arrays of all kinds of size from each source and gives them back.
func TestObtain(t *testing.T) {
	heap := slab.New(slab.Options{})
	defer heap.Close()
	for name, source := range map[string]Source{"Go heap": nil, "off heap": OffHeap(heap)} {
		var taken []Extent
		total := 0
		for _, n := range []int{1, 64, 1000, 16448, 32 << 10, 32<<10 + 1, 100_000, 1 << 20} {
			e, ok := Obtain(source, n)
			if !ok || len(e.Buf) < n || len(e.Buf) != cap(e.Buf) || len(e.Buf) > n+n/4+8<<10 {
				t.Errorf("%s: asked for %d bytes, got %d of %d, %v", name, n, len(e.Buf), cap(e.Buf), ok)
			}
			for i := range e.Buf { // all of it is the caller's
				e.Buf[i] = byte(n)
			}
			taken = append(taken, e)
			total += len(e.Buf)
		}
		if source != nil && heap.InUse() != int64(total) {
			t.Errorf("%s: %d bytes are in use, want %d", name, heap.InUse(), total)
		}
		for _, e := range taken {
			e.Dismiss(source)
		}
		Extent{}.Dismiss(source)
		if heap.InUse() != 0 {
			t.Errorf("%s: %d bytes are left", name, heap.InUse())
		}
	}
}

// TestObtainFails shows that where there is no memory nothing is taken.
func TestObtainFails(t *testing.T) {
	heap := slab.New(slab.Options{Limit: 64 << 10})
	defer heap.Close()
	for _, n := range []int{32 << 10, 1 << 20} {
		var taken []Extent
		for {
			e, ok := Obtain(OffHeap(heap), n)
			if !ok {
				break
			}
			taken = append(taken, e)
		}
		if len(taken) > 2 {
			t.Errorf("%d arrays of %d bytes within 64 KiB", len(taken), n)
		}
		for _, e := range taken {
			e.Dismiss(OffHeap(heap))
		}
	}
	if heap.InUse() != 0 {
		t.Errorf("%d bytes are left", heap.InUse())
	}
}
