package zset

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"zset.dev/operator/zset/slab"
)

// countedMemory counts what a set holds by looking at all its fields, so that a field which MemoryUsage forgets
// makes the two differ.
func countedMemory(s *Set) int {
	return int(reflect.TypeFor[Set]().Size()) + behind(reflect.ValueOf(s).Elem())
}

// behind is the memory that a value refers to, beside its own.
func behind(v reflect.Value) int {
	total := 0
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			total += behind(v.Field(i))
		}
	case reflect.Slice:
		element := v.Type().Elem()
		total = v.Cap() * int(element.Size())
		if element.Kind() == reflect.Slice || element.Kind() == reflect.Struct {
			for i := range v.Len() {
				total += behind(v.Index(i))
			}
		}
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*Tuning]() && !v.IsNil() { // a Tuning is shared
			total = int(v.Type().Elem().Size()) + behind(v.Elem())
		}
	}
	return total
}

// testMemory is a Memory that fills what it gives and what comes back with bytes that mean nothing, knows
// what is out, and may be told to have no more than so many bytes.
type testMemory struct {
	taken map[uint32]int // bytes by id
	last  uint32
	bytes int
	limit int // 0: none
}

func newTestMemory() *testMemory { return &testMemory{taken: map[uint32]int{}} }

func (m *testMemory) Alloc(n int) ([]byte, uint32, error) {
	size := (n + 15) &^ 15
	if m.limit > 0 && m.bytes+size > m.limit {
		return nil, 0, errors.New("no memory")
	}
	b := make([]byte, size)
	fill := b
	for i := range fill {
		fill[i] = 0xa5
	}
	m.last++
	m.taken[m.last] = size
	m.bytes += size
	return b, m.last, nil
}

func (m *testMemory) Free(b []byte, id uint32) {
	if m.taken[id] != len(b) {
		panic("freed what is not there")
	}
	for i := range b {
		b[i] = 0xdd
	}
	m.bytes -= len(b)
	delete(m.taken, id)
}

// The histories compare after each step; here it is shown that the count sees what there is.
func TestCountedMemory(t *testing.T) {
	s := NewSeeded(nil, 1)
	empty := countedMemory(s)
	s.Add(make([]byte, 50), 1, 0)
	if packed := countedMemory(s); packed < empty+50 {
		t.Errorf("with a member of 50 bytes %d, empty %d", packed, empty)
	}
	s.Add(make([]byte, 100_000), 1, 0)
	if listed := countedMemory(s); s.Encoding() != SkipList || listed < empty+100_000 {
		t.Errorf("%v with a member of 100000 bytes %d, empty %d", s.Encoding(), listed, empty)
	}
	if got, want := s.MemoryUsage(), countedMemory(s); got != want {
		t.Errorf("MemoryUsage = %d, counted %d", got, want)
	}
	s.Release()
	if s.MemoryUsage() != empty {
		t.Errorf("released %d, empty %d", s.MemoryUsage(), empty)
	}
}

// TestOffHeap holds sets in one heap outside the Go heap, and shows that each gives back all it took.
func TestOffHeap(t *testing.T) {
	heap := slab.New(slab.Options{})
	defer heap.Close()
	memory := OffHeap(heap)
	for _, members := range []int{10, 200, 5000, 100_000} {
		s := NewIn(memory, nil)
		for i := range members {
			s.Add(fmt.Appendf(nil, "%d", i), float64(i*7919%members), 0)
		}
		s.Add(make([]byte, 100_000), 0, 0)
		for i := range members / 2 {
			s.Remove(fmt.Appendf(nil, "%d", i))
		}
		if err := s.check(); err != nil {
			t.Fatal(err)
		}
		inUse := int(heap.InUse())
		if usage := s.MemoryUsage(); usage < inUse || usage > inUse+inUse/8+4096 {
			t.Errorf("%d members: MemoryUsage is %d, the heap has %d in use", members, usage, inUse)
		}
		if s.Release(); s.Len() != 0 || heap.InUse() != 0 {
			t.Errorf("released, the set has %d members, the heap %d bytes", s.Len(), heap.InUse())
		}
		s.Add([]byte("again"), 1, 0)
		if s.Len() != 1 {
			t.Error("a released set cannot be used")
		}
	}
}
