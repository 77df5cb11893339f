package slab

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"
)

// A history is a sequence of operations on a Heap, decoded from bytes, four each, and held against a model: what
// is allocated, with its own content.
type history struct {
	t      testing.TB
	h      *Heap
	live   []allocation
	inUse  int64
	serial uint64
}

type allocation struct {
	ref    Ref // 0 for pages
	b      []byte
	serial uint64
}

// play takes the operations and frees what is left.
func (y *history) play(ops []byte) {
	for ; len(ops) >= 4; ops = ops[4:] {
		y.step(ops[0], int(ops[1]), int(binary.LittleEndian.Uint16(ops[2:])))
		if got := y.h.InUse(); got != y.inUse {
			y.t.Fatalf("%d bytes in use, want %d", got, y.inUse)
		}
		if mapped := y.h.Mapped(); mapped < y.inUse || mapped > y.h.budget.limit {
			y.t.Fatalf("%d bytes mapped, %d in use", mapped, y.inUse)
		}
	}
	y.disjoint()
	for len(y.live) > 0 {
		y.free(len(y.live) - 1)
	}
	y.h.Trim()
	if y.h.InUse() != 0 || y.h.Mapped() != 0 && returns {
		y.t.Fatalf("at the end %d bytes in use, %d mapped", y.h.InUse(), y.h.Mapped())
	}
}

func (y *history) step(op byte, scale, n int) {
	switch op % 16 {
	case 0, 1, 2, 3: // like entries
		y.alloc(n % 257)
	case 4, 5:
		y.alloc(n % (MaxSlot + 1))
	case 6:
		y.alloc(MaxSlot + n)
	case 7:
		y.pages(n * (scale%32 + 1))
	case 8: // many of one size
		for range scale {
			y.alloc(n % 600)
		}
	case 9: // many frees in a row
		for i := range min(scale, len(y.live)) {
			y.free((n + i*7) % len(y.live))
		}
	case 10:
		if n%64 == 0 {
			y.h.Trim()
		}
	default:
		if len(y.live) > 0 {
			y.free(n % len(y.live))
		}
	}
}

func (y *history) alloc(n int) {
	r, b, err := y.h.Alloc(n)
	if y.refused(err) {
		return
	}
	if len(b) != n || cap(b) != Size(n) {
		y.t.Fatalf("Alloc(%d): length %d, capacity %d", n, len(b), cap(b))
	}
	y.keep(r, b[:cap(b)])
}

func (y *history) pages(n int) {
	b, err := y.h.AllocPages(n)
	if y.refused(err) {
		return
	}
	y.keep(0, b)
}

// refused says whether there was no memory, which must be true.
func (y *history) refused(err error) bool {
	if err != nil && (!errors.Is(err, ErrFull) || y.h.budget.limit > 1<<40) {
		y.t.Fatal(err)
	}
	return err != nil
}

func (y *history) keep(r Ref, b []byte) {
	y.serial++
	y.live = append(y.live, allocation{r, b, y.serial})
	y.inUse += int64(len(b))
	write(b, y.serial)
}

func (y *history) free(i int) {
	a := y.live[i]
	y.live[i] = y.live[len(y.live)-1]
	y.live = y.live[:len(y.live)-1]
	y.inUse -= int64(len(a.b))
	if a.ref == 0 {
		if !intact(a.b, a.serial) {
			y.t.Fatalf("pages at %p of length %d were written to", a.b, len(a.b))
		}
		y.h.FreePages(a.b)
		return
	}
	b := y.h.Bytes(a.ref)
	if unsafe.SliceData(b) != unsafe.SliceData(a.b) || len(b) != len(a.b) || !intact(b, a.serial) {
		y.t.Fatalf("Ref %#x is %p of length %d, was %p of %d", a.ref, b, len(b), a.b, len(a.b))
	}
	y.h.Free(a.ref)
}

// disjoint looks whether allocations overlap.
func (y *history) disjoint() {
	sorted := slices.Clone(y.live)
	start := func(a allocation) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(a.b))) }
	slices.SortFunc(sorted, func(a, b allocation) int { return int(start(a)) - int(start(b)) })
	for i := 1; i < len(sorted); i++ {
		if a, b := sorted[i-1], sorted[i]; start(a)+uintptr(len(a.b)) > start(b) {
			y.t.Fatalf("%#x of length %d overlaps %#x", start(a), len(a.b), start(b))
		}
	}
}

// write gives memory a content of its own: numbers throughout, or in what is long at its edges and in each page.
func write(b []byte, serial uint64) {
	for i := 0; i+8 <= len(b); i += step(b) {
		binary.LittleEndian.PutUint64(b[i:], serial+uint64(i))
	}
	b[len(b)-1] = byte(serial)
}

func intact(b []byte, serial uint64) bool {
	for i := 0; i+8 <= len(b); i += step(b) {
		want := serial + uint64(i)
		if i+8 == len(b) {
			want = want&(1<<56-1) | serial<<56
		}
		if binary.LittleEndian.Uint64(b[i:]) != want {
			return false
		}
	}
	return b[len(b)-1] == byte(serial)
}

func step(b []byte) int {
	if len(b) > 2*PageSize {
		return PageSize / 2
	}
	return 8
}

var historyOptions = []Options{{}, {HugePages: true}, {Limit: 4 << 20}, {Limit: 16 << 20, HugePages: true}}

func FuzzHistory(f *testing.F) {
	f.Add(uint8(0), []byte{0, 0, 24, 0, 8, 255, 100, 0, 9, 255, 0, 0, 10, 0, 0, 0})
	f.Add(uint8(1), []byte{7, 31, 255, 255, 7, 31, 0, 255, 6, 0, 0, 1, 11, 0, 0, 0, 10, 0, 64, 0})
	f.Add(uint8(2), []byte{8, 255, 88, 2, 8, 255, 88, 2, 9, 200, 1, 0, 7, 31, 0, 200, 9, 255, 0, 0})
	f.Fuzz(func(t *testing.T, option uint8, ops []byte) {
		h := New(historyOptions[int(option)%len(historyOptions)])
		defer h.Close()
		(&history{t: t, h: h}).play(ops[:min(len(ops), 4*400)])
	})
}

// Systems with pages of 16 KiB take and return memory four pages at a time.
func TestLargerSystemPages(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	h := New(Options{})
	defer h.Close()
	h.refs.granule *= 4
	ops := make([]byte, 4*2000)
	for i := range ops {
		ops[i] = byte(random.Uint32())
	}
	(&history{t: t, h: h}).play(ops)
}

func TestRandomHistories(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	steps := 4000
	if testing.Short() || invariants {
		steps = 1000
	}
	for range 3 {
		for _, o := range historyOptions {
			h := New(o)
			ops := make([]byte, 4*steps)
			for i := range ops {
				ops[i] = byte(random.Uint32())
			}
			(&history{t: t, h: h}).play(ops)
			h.Close()
		}
	}
}
