//go:build invariants

package slab

import (
	"strings"
	"testing"
	"unsafe"
)

func TestInvariantsCatch(t *testing.T) {
	for _, c := range []struct {
		name, message string
		do            func(h *Heap)
	}{
		{"a slot freed twice", "free of", func(h *Heap) {
			r, _, _ := h.Alloc(40)
			h.Free(r)
			h.Free(r)
		}},
		{"a slot freed twice among others", "free of", func(h *Heap) {
			r, _, _ := h.Alloc(40)
			_, _, _ = h.Alloc(40)
			h.Free(r)
			h.Free(r)
		}},
		{"a Ref into a slot", "free of", func(h *Heap) {
			r, _, _ := h.Alloc(40)
			h.Free(r + 1)
		}},
		{"use after free", "use of", func(h *Heap) {
			r, _, _ := h.Alloc(40)
			_, _, _ = h.Alloc(40)
			h.Free(r)
			h.Bytes(r)
		}},
		{"a write after free", "after it was freed", func(h *Heap) {
			r, b, _ := h.Alloc(40)
			_, _, _ = h.Alloc(40)
			h.Free(r)
			b[20] = 1
			_, _, _ = h.Alloc(40)
		}},
		{"a write past the end", "past the end", func(h *Heap) {
			r, b, _ := h.Alloc(40)
			unsafe.Slice(&b[0], 41)[40] = 0
			h.Free(r)
		}},
		{"a broken list", "in the list", func(h *Heap) {
			r, b, _ := h.Alloc(40)
			_, _, _ = h.Alloc(40)
			h.Free(r)
			b[0], b[1] = 7, 7
			_, _, _ = h.Alloc(40)
		}},
		{"a run freed twice", "free of", func(h *Heap) {
			r, _, _ := h.Alloc(MaxSlot + 1)
			h.Free(r)
			h.Free(r)
		}},
		{"pages freed twice", "free of", func(h *Heap) {
			b, _ := h.AllocPages(1)
			h.FreePages(b)
			h.FreePages(b)
		}},
		{"a Ref of another heap", "use of", func(h *Heap) {
			other := New(Options{})
			defer other.Close()
			r, _, _ := other.Alloc(40)
			_, _, _ = h.Alloc(400)
			h.Bytes(r + 1)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := New(Options{})
			defer func() {
				if p, _ := recover().(string); !strings.Contains(p, c.message) {
					t.Errorf("panic %q, want one with %q", p, c.message)
				}
			}()
			c.do(h)
		})
	}
}

func TestFreshMemoryIsNotZero(t *testing.T) {
	h := newHeap(t, Options{})
	r, b := mustAlloc(t, h, 100)
	if b[0] == 0 || b[99] == 0 {
		t.Error("zeros")
	}
	h.Free(r)
}
