package zset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestSizeClasses(t *testing.T) {
	last := 0
	for units := 1; units <= singleUnits; units++ {
		class, size := sizeClass(units)
		if size < units || size > units+units/8 || classUnits(class) != size {
			t.Fatalf("%d units: class %d of %d units, which holds %d", units, class, size, classUnits(class))
		}
		if class != last && class != last+1 {
			t.Fatalf("%d units: class %d after %d", units, class, last)
		}
		last = class
		if again, same := sizeClass(size); again != class || same != size {
			t.Fatalf("class %d of %d units is class %d of %d", class, size, again, same)
		}
	}
}

// TestArena takes and gives back blocks of all sizes, each filled with a byte of its own, and looks whether another
// block's bytes ever appear in it.
func TestArena(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			a := newArena()
			type taken struct {
				r    ref
				size int
				fill byte
			}
			var blocks []taken
			live := 0
			for step := range 3000 {
				if len(blocks) > 0 && random.IntN(100) < 40+step/100 {
					i := random.IntN(len(blocks))
					b := blocks[i]
					if got := a.at(b.r)[:b.size]; !bytes.Equal(got, bytes.Repeat([]byte{b.fill}, b.size)) {
						t.Fatalf("block %d of %d bytes was written to by another", b.r, b.size)
					}
					a.release(b.r, b.size)
					live -= blockBytes(b.size)
					blocks[i] = blocks[len(blocks)-1]
					blocks = blocks[:len(blocks)-1]
				} else {
					size := 4 + random.IntN(100)
					switch random.IntN(50) {
					case 0:
						size = random.IntN(singleUnits*unitBytes) + 4
					case 1:
						size = random.IntN(3*chunkBytes) + singleUnits*unitBytes + 1
					}
					r, ok := a.alloc(size)
					if !ok || r == 0 {
						t.Fatalf("alloc(%d) = %d, %v", size, r, ok)
					}
					b := taken{r, size, byte(step)}
					copy(a.at(r)[:size], bytes.Repeat([]byte{b.fill}, size))
					blocks = append(blocks, b)
					live += blockBytes(size)
				}
				if a.live != live {
					t.Fatalf("%d bytes live, want %d", a.live, live)
				}
			}
			held := 0
			for _, chunk := range a.chunks {
				held += cap(chunk)
			}
			if a.held != held {
				t.Errorf("%d bytes held, want %d", a.held, held)
			}
		})
	}
}

// TestArenaUsesRests fills a chunk with blocks that do not divide it: small ones must come from what is left.
func TestArenaUsesRests(t *testing.T) {
	a := newArena()
	const size = 5000 * unitBytes
	for len(a.chunks) < 2 {
		a.alloc(size)
	}
	held, rest := a.held, chunkUnits%5000*unitBytes/2
	for taken := 0; taken < rest; taken += 60 {
		if r, ok := a.alloc(60); !ok || r >= chunkUnits {
			t.Fatalf("after %d bytes of the rest: ref %d, %v", taken, r, ok)
		}
	}
	if a.held != held {
		t.Errorf("%d bytes held, before %d", a.held, held)
	}
}

// TestFull lowers the number of chunks that an arena may have, and shows what a set does at that limit.
func TestFull(t *testing.T) {
	tuning, err := NewTuning(Options{P: 0.25, MaxLevel: 16})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{20, 20_000, 200_000} { // of a member: many to a chunk, a few, one
		t.Run(fmt.Sprintf("members of %d bytes", size), func(t *testing.T) {
			s := NewSeeded(tuning, 1)
			member := func(i int) []byte { return fmt.Appendf(nil, "%0*d", size, i) }
			s.Add(member(0), 0, 0)
			s.list.arena.limit = 3
			n := 1
			for ; ; n++ {
				before := s.MemoryUsage()
				now, r, err := s.Add(member(n), float64(n), 0)
				if err == nil {
					continue
				}
				if err != ErrFull || r != Skipped || now != 0 {
					t.Fatalf("Add to a full set = %v, %v, %v", now, r, err)
				}
				if s.MemoryUsage() != before || s.Len() != n {
					t.Errorf("%d members in %d bytes, before %d in %d", s.Len(), s.MemoryUsage(), n, before)
				}
				break
			}
			if err := s.check(); err != nil {
				t.Fatal(err)
			}
			// Members that are there can still move, even when towers should change.
			flat, err := NewTuning(Options{P: 0.75, MaxLevel: 64})
			if err != nil {
				t.Fatal(err)
			}
			s.SetTuning(flat)
			for i := range n {
				if _, r, err := s.Add(member(i), float64(-i-1), 0); r != Updated || err != nil {
					t.Fatalf("Add of a member of a full set = %v, %v", r, err)
				}
			}
			if err := s.check(); err != nil {
				t.Fatal(err)
			}
			// Where one left there is room for one.
			s.SetTuning(tuning)
			for i := range min(n/2, 30) {
				s.Remove(member(i))
			}
			if _, r, err := s.Add(member(n), 1, 0); r != Added || err != nil {
				t.Errorf("Add after Remove = %v, %v", r, err)
			}
			// A rebuild that does not fit leaves the set as it was.
			before := s.Len()
			s.list.arena.limit = 1
			if size > 20 && s.list.rebuild(0, 0, tuning) {
				t.Error("rebuilt beyond the limit")
			}
			if err := s.check(); err != nil || s.Len() != before {
				t.Errorf("%d members, before %d: %v", s.Len(), before, err)
			}
		})
	}
}

func TestTooLong(t *testing.T) {
	s := NewSeeded(nil, 1)
	long := make([]byte, maxMember+1) // never touched, so it takes no memory
	if _, r, err := s.Add(long, 1, 0); r != Skipped || err != ErrFull || s.Len() != 0 {
		t.Errorf("Add of %d bytes = %v, %v", len(long), r, err)
	}
	if _, ok := s.Score(long); ok {
		t.Error("found")
	}
}

// TestLongMember adds a member whose length does not fit into a node's header.
func TestLongMember(t *testing.T) {
	s := NewSeeded(nil, 1)
	long := bytes.Repeat([]byte("x"), longMember)
	s.Add([]byte("a"), 1, 0)
	for _, size := range []int{longMember - 1, longMember} {
		s.Add(long[:size], 0, 0)
		if member, _, ok := s.At(0); !ok || len(member) != size {
			t.Errorf("the first member has %d bytes, want %d", len(member), size)
		}
		if got, want := s.list.arena.live, nodeBytes(s.list.at(s.list.head.next(0)).levels(), size); got < want {
			t.Errorf("%d bytes live, want %d", got, want)
		}
		if score, ok := s.Remove(long[:size]); !ok || score != 0 {
			t.Errorf("Remove = %v, %v", score, ok)
		}
		if err := s.check(); err != nil || s.MemoryUsage() > 1<<20 {
			t.Errorf("removed, %d bytes are left: %v", s.MemoryUsage(), err)
		}
	}
}

// TestWaste changes the size of all members of a set again and again: what the blocks of old sizes leave behind must not
// pile up.
func TestWaste(t *testing.T) {
	s := NewSeeded(nil, 1)
	const members = 2000
	for round := range 20 {
		for i := range members {
			s.Remove(fmt.Appendf(nil, "%0*d", 20+(round-1)*4, i))
			s.Add(fmt.Appendf(nil, "%0*d", 20+round*4, i), float64(i*7919%members), 0)
		}
		if got, live := s.list.arena.held, s.list.arena.live; got > 2*live+4096 {
			t.Errorf("round %d: %d bytes held for %d live", round, got, live)
		}
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	for i := range members - 10 {
		s.Remove(fmt.Appendf(nil, "%0*d", 20+19*4, i))
	}
	if s.Len() != 10 || s.MemoryUsage() > 10_000 {
		t.Errorf("%d members are left in %d bytes", s.Len(), s.MemoryUsage())
	}
}
