package zset

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestRecordClasses(t *testing.T) {
	last := leastRecord
	for size := leastRecord; size <= segmentBytes; size++ {
		class := recordClass(size)
		if class != last && class != last+1 || class >= recordClasses {
			t.Fatalf("%d bytes: class %d after %d", size, class, last)
		}
		last = class
	}
}

// TestRecords makes and removes records of all sizes, and looks whether any ever changes by itself, and whether what is
// in no record is all in holes.
func TestRecords(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			memory := newTestMemory()
			a := newRecords(memory)
			type made struct {
				r      ref
				member []byte
				score  float64
			}
			var all []made
			live := 0
			for step := range 3000 {
				if len(all) > 0 && random.IntN(100) < 40+step/100 {
					i := random.IntN(len(all))
					m := all[i]
					if member, score := a.pair(m.r); !bytes.Equal(member, m.member) || score != m.score || !bytes.Equal(a.member(m.r), member) {
						t.Fatalf("record %d of %d bytes was written to by another", m.r, len(m.member))
					}
					live -= recordBytes(len(m.member))
					a.remove(m.r)
					all[i] = all[len(all)-1]
					all = all[:len(all)-1]
				} else {
					size := random.IntN(100)
					switch random.IntN(50) {
					case 0:
						size = random.IntN(longMember)
					case 1:
						size = longMember + random.IntN(1000) - 500
					}
					m := made{member: bytes.Repeat([]byte{byte(step)}, size), score: float64(step)}
					var ok bool
					if m.r, ok = a.add(m.member, m.score); !ok || m.r == 0 {
						t.Fatalf("no record of %d bytes", size)
					}
					live += recordBytes(size)
					all = append(all, m)
				}
				if a.live != live || a.held+a.apart != memory.bytes {
					t.Fatalf("%d bytes live, want %d; %d held, want %d", a.live, live, a.held+a.apart, memory.bytes)
				}
			}
			a.free()
			if len(memory.taken) > 0 || a.bytes() != 0 {
				t.Errorf("%d arrays are left, %d bytes", len(memory.taken), a.bytes())
			}
		})
	}
}

// TestHolesJoin frees neighbours from the last to the first: they must come to be one hole, and the end of what is filled
// must recede.
func TestHolesJoin(t *testing.T) {
	a := newRecords(nil)
	var refs []ref
	for range 100 {
		r, _ := a.add(make([]byte, 20), 0)
		refs = append(refs, r)
	}
	for i := len(refs) - 2; i >= 0; i-- {
		a.remove(refs[i])
	}
	if size, hole := extentOf(a.at(refs[0])); !hole || size != 99*29 {
		t.Errorf("the first hole has %d bytes, want %d", size, 99*29)
	}
	if r, ok := a.add(make([]byte, 1000), math.Inf(1)); !ok || r != refs[0] {
		t.Errorf("a record that the hole has room for is at %d, want %d", r, refs[0])
	}
	filled := a.books[0].filled
	a.remove(refs[99])
	if got := a.books[0].filled; got != filled-29 {
		t.Errorf("filled to %d, want %d", got, filled-29)
	}
}

// TestWaste changes the size of all members of a set again and again: the holes of old sizes must not pile up.
func TestWaste(t *testing.T) {
	memory := newTestMemory()
	s := NewSeeded(nil, 1)
	s.memory = memory
	const members = 2000
	for round := range 20 {
		for i := range members {
			s.Remove(fmt.Appendf(nil, "%0*d", 20+(round-1)*4, i))
			s.Add(fmt.Appendf(nil, "%0*d", 20+round*4, i), float64(i*7919%members), 0)
		}
		if live := s.list.records.live; memory.bytes > 4*live {
			t.Errorf("round %d: %d bytes held for %d live", round, memory.bytes, live)
		}
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	for i := range members - 10 {
		s.Remove(fmt.Appendf(nil, "%0*d", 20+19*4, i))
	}
	if s.Len() != 10 || s.MemoryUsage() > 12_000 {
		t.Errorf("%d members are left in %d bytes", s.Len(), s.MemoryUsage())
	}
}

// TestShrink removes nearly all of a large set, one by one in random order, and bounds how far memory lags behind.
func TestShrink(t *testing.T) {
	const members = 200_000
	random := rand.New(rand.NewPCG(1, 2))
	memory := newTestMemory()
	s := NewSeeded(nil, 1)
	s.memory = memory
	for i := range members {
		s.Add(fmt.Appendf(nil, "%020d", i), random.Float64(), 0)
	}
	each := float64(memory.bytes) / members
	for left, i := range random.Perm(members) {
		if left = members - left - 1; left == 0 {
			break
		}
		s.Remove(fmt.Appendf(nil, "%020d", i))
		if left%1000 == 0 && float64(memory.bytes) > 2*each*float64(left)+3*segmentBytes {
			t.Fatalf("%d members hold %d bytes", left, memory.bytes)
		}
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	if memory.bytes > 20_000 {
		t.Errorf("one member is left in %d bytes", memory.bytes)
	}
}

// TestLongMember adds members about where these get arrays of their own.
func TestLongMember(t *testing.T) {
	s := NewSeeded(nil, 1)
	long := bytes.Repeat([]byte("x"), 2*segmentBytes)
	s.Add([]byte("a"), 1, 0)
	for _, size := range []int{longMember - 1, longMember, 2 * segmentBytes} {
		s.Add(long[:size], 0, 0)
		if member, _, ok := s.At(0); !ok || len(member) != size {
			t.Errorf("the first member has %d bytes, want %d", len(member), size)
		}
		if s.MemoryUsage() < size {
			t.Errorf("%d bytes with a member of %d", s.MemoryUsage(), size)
		}
		if score, ok := s.Remove(long[:size]); !ok || score != 0 {
			t.Errorf("Remove = %v, %v", score, ok)
		}
		if err := s.check(); err != nil || s.MemoryUsage() > 1<<17 {
			t.Errorf("removed, %d bytes are left: %v", s.MemoryUsage(), err)
		}
	}
}
