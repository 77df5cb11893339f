package slab

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"unsafe"
)

// newHeap makes a Heap that is closed, and must be empty by then, when the test ends.
func newHeap(t testing.TB, o Options) *Heap {
	h := New(o)
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		h.Trim()
		wantEmpty(t, h)
		h.Close()
		wantEmpty(t, h)
	})
	return h
}

func wantEmpty(t testing.TB, h *Heap) {
	t.Helper()
	if h.InUse() != 0 {
		t.Errorf("%d bytes are still in use", h.InUse())
	}
	if h.Mapped() != 0 && returns {
		t.Errorf("%d bytes are still mapped", h.Mapped())
	}
}

// returns says whether memory can be given back to the system here.
var returns = release(memory{}) == nil

func mustAlloc(t testing.TB, h *Heap, n int) (Ref, []byte) {
	t.Helper()
	r, b, err := h.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return r, b
}

func TestAlloc(t *testing.T) {
	h := newHeap(t, Options{})
	var inUse int64
	var refs []Ref
	for _, n := range []int{0, 1, 24, 100, 256, 257, 4096, 5000, MaxSlot, MaxSlot + 1, 1 << 20, 70 << 20} {
		r, b := mustAlloc(t, h, n)
		if r == 0 || len(b) != n || cap(b) != Size(n) {
			t.Errorf("Alloc(%d) = %d, length %d, capacity %d", n, r, len(b), cap(b))
		}
		all := h.Bytes(r)
		if len(all) != Size(n) || cap(all) != Size(n) || unsafe.SliceData(all) != unsafe.SliceData(b) {
			t.Errorf("Bytes of Alloc(%d): length %d, capacity %d", n, len(all), cap(all))
		}
		inUse += int64(Size(n))
		if h.InUse() != inUse || h.Mapped() < inUse {
			t.Errorf("in use %d, want %d; mapped %d", h.InUse(), inUse, h.Mapped())
		}
		refs = append(refs, r)
	}
	for _, r := range refs {
		h.Free(r)
	}
}

func TestZeroRef(t *testing.T) {
	h := newHeap(t, Options{})
	h.Free(0)
	if b := h.Bytes(0); b != nil {
		t.Errorf("Bytes(0) has length %d", len(b))
	}
}

func TestNewMapsNothing(t *testing.T) {
	for _, huge := range []bool{false, true} {
		h := newHeap(t, Options{HugePages: huge})
		if h.Mapped() != 0 || h.refs.base != nil {
			t.Errorf("huge pages %v: an unused heap has mapped %d bytes", huge, h.Mapped())
		}
	}
}

func TestSmallUseStaysSmall(t *testing.T) {
	h := newHeap(t, Options{})
	r, _ := mustAlloc(t, h, 40)
	if limit := int64(64 << 10); h.Mapped() > limit {
		t.Errorf("one allocation maps %d bytes, more than %d", h.Mapped(), limit)
	}
	h.Free(r)
}

func TestAllocPages(t *testing.T) {
	for _, huge := range []bool{false, true} {
		h := newHeap(t, Options{HugePages: huge})
		var blocks [][]byte
		for _, n := range []int{1, PageSize, PageSize + 1, 64 << 10, hugePage, hugePage + 1, 4 * hugePage} {
			b, err := h.AllocPages(n)
			if err != nil {
				t.Fatal(err)
			}
			address := uintptr(unsafe.Pointer(&b[0]))
			if want := (n + PageSize - 1) / PageSize * PageSize; len(b) != want || cap(b) != want {
				t.Errorf("AllocPages(%d): length %d, capacity %d", n, len(b), cap(b))
			}
			if align := uintptr(PageSize); address%align != 0 {
				t.Errorf("AllocPages(%d) is at %#x", n, address)
			}
			if h.huge && n%hugePage == 0 && address%hugePage != 0 {
				t.Errorf("AllocPages(%d) of huge pages is at %#x", n, address)
			}
			b[0], b[len(b)-1] = 1, 1
			blocks = append(blocks, b)
		}
		for _, b := range blocks {
			h.FreePages(b[:1])
		}
		h.FreePages(nil)
	}
}

func TestPagesBeyondOneRegion(t *testing.T) {
	if reservable < regionPages*2 {
		t.Skip("needs as many addresses as it likes")
	}
	h := newHeap(t, Options{})
	var blocks [][]byte
	for range 3 { // mapped, never touched
		b, err := h.AllocPages(regionPages / 2 * PageSize)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, b)
	}
	if n := len(*h.extra.Load()); n < 2 {
		t.Errorf("%d regions", n)
	}
	for _, b := range blocks {
		h.FreePages(b)
	}
}

func TestLimit(t *testing.T) {
	for _, huge := range []bool{false, true} {
		const limit = 16 << 20
		h := newHeap(t, Options{Limit: limit, HugePages: huge})
		var refs []Ref
		for {
			r, _, err := h.Alloc(1000)
			if err != nil {
				if !errors.Is(err, ErrFull) {
					t.Error(err)
				}
				break
			}
			refs = append(refs, r)
			if h.Mapped() > limit {
				t.Fatalf("mapped %d, the limit is %d", h.Mapped(), limit)
			}
		}
		least := int64(limit * 95 / 100)
		if h.huge {
			least = limit - 2*hugePage
		}
		if invariants {
			least = least * 3 / 4 // room for canaries
		}
		if h.InUse() < least {
			t.Errorf("full with %d bytes in use of %d", h.InUse(), limit)
		}
		if _, err := h.AllocPages(1 << 20); !errors.Is(err, ErrFull) && !huge {
			t.Errorf("AllocPages at the limit: %v", err)
		}
		for _, r := range refs {
			h.Free(r)
		}
		if !returns {
			continue
		}
		// What the slots have in reserve must not stand in the way of pages.
		rest := 512 << 10 // for tables
		if h.huge {
			rest = hugePage
		}
		if int64(rest) > h.Mapped() {
			t.Errorf("only %d bytes in reserve: the limit would not be met", h.Mapped())
		}
		b, err := h.AllocPages(limit - rest)
		if err != nil {
			t.Fatal(err)
		}
		h.FreePages(b)
	}
}

func TestTooLarge(t *testing.T) {
	h := newHeap(t, Options{})
	for _, n := range []int{math.MaxInt, math.MaxInt / 4 * 3, -1} {
		if _, _, err := h.Alloc(n); !errors.Is(err, ErrFull) {
			t.Errorf("Alloc(%d): %v", n, err)
		}
		if _, err := h.AllocPages(n); !errors.Is(err, ErrFull) {
			t.Errorf("AllocPages(%d): %v", n, err)
		}
	}
}

func TestClosed(t *testing.T) {
	h := New(Options{})
	mustAlloc(t, h, 50)
	mustAlloc(t, h, 50000)
	if _, err := h.AllocPages(1); err != nil {
		t.Fatal(err)
	}
	h.Close()
	h.Close()
	h.Trim()
	wantEmpty(t, h)
	if _, _, err := h.Alloc(50); err != ErrClosed {
		t.Error(err)
	}
	if _, _, err := h.Alloc(50000); err != ErrClosed {
		t.Error(err)
	}
	if _, err := h.AllocPages(1); err != ErrClosed {
		t.Error(err)
	}
}

func TestFreeOfForeignPanics(t *testing.T) {
	h := newHeap(t, Options{})
	run, _ := mustAlloc(t, h, 100000)
	small, _ := mustAlloc(t, h, 24)
	for name, f := range map[string]func(){
		"inside a run":      func() { h.Free(run + 1) },
		"page of a run":     func() { h.Free(run + pageUnits) },
		"far away":          func() { h.Free(1 << 26) },
		"bytes of far away": func() { h.Bytes(1 << 26) },
		"bytes of a run":    func() { h.Bytes(run + pageUnits) },
		"pages of Go":       func() { h.FreePages(make([]byte, PageSize)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
	h.Free(run)
	h.Free(small)
}

// Slabs that run empty must serve other classes and large runs: sizes change in the life of a node.
func TestMemoryMovesBetweenClasses(t *testing.T) {
	h := newHeap(t, Options{})
	const total = 8 << 20
	var most int64
	for _, n := range []int{24, 200, 3000, 30000, 24, 1 << 20} {
		var refs []Ref
		for range total / n {
			r, _ := mustAlloc(t, h, n)
			refs = append(refs, r)
		}
		most = max(most, h.Mapped())
		for _, r := range refs {
			h.Free(r)
		}
	}
	if limit := int64(total * 5 / 4); most > limit && !invariants {
		t.Errorf("%d bytes mapped for %d of changing size", most, total)
	}
}

// One slot that was freed in a full slab is as good as any.
func TestFreedSlotsAreReused(t *testing.T) {
	for _, size := range []int{64, 1000, 2048} {
		h := newHeap(t, Options{})
		refs := make([]Ref, 4<<20/size)
		for i := range refs {
			refs[i], _ = mustAlloc(t, h, size)
		}
		mapped := h.Mapped()
		every := int(h.pools[classOf[(size+unitBytes-1)/unitBytes]].slots)
		for i := 0; i < len(refs); i += every {
			h.Free(refs[i])
		}
		for i := 0; i < len(refs); i += every {
			refs[i], _ = mustAlloc(t, h, size)
		}
		if h.Mapped() != mapped {
			t.Errorf("%d bytes: mapped %d, and %d after a slot of each slab was replaced", size, mapped, h.Mapped())
		}
		for _, r := range refs {
			h.Free(r)
		}
	}
}

func TestContentOfReleasedPagesIsNotKept(t *testing.T) {
	if !returns {
		t.Skip("memory is not released here")
	}
	h := newHeap(t, Options{})
	b, err := h.AllocPages(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	copy(b, bytes.Repeat([]byte{1}, len(b)))
	h.FreePages(b)
	h.Trim()
	if h.Mapped() != 0 {
		t.Errorf("%d bytes mapped", h.Mapped())
	}
	if b, err = h.AllocPages(1 << 20); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b, []byte{0}); n != len(b) {
		t.Errorf("%d bytes of the page's former life remain", len(b)-n)
	}
	h.FreePages(b)
}
