package zset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// testRoom keeps one block, with room for a multiple of 24 bytes, and overwrites memory that is no longer used.
type testRoom struct {
	block []byte
	full  bool
	calls int
}

func (r *testRoom) Resize(block []byte, size int) []byte {
	r.calls++
	if len(block) > 0 && &block[0] != &r.block[:1][0] {
		panic("resized what is not attached")
	}
	if r.full {
		return nil
	}
	fresh := append(make([]byte, 0, (size+23)/24*24), block...)
	old := r.block[:cap(r.block)]
	for i := range old {
		old[i] = 0xdd
	}
	r.block = fresh
	return fresh
}

// TestAttach works on many small sets with one Set, and holds each against a model.
func TestAttach(t *testing.T) {
	const keys = 50
	random := rand.New(rand.NewPCG(1, 2))
	o := DefaultOptions()
	o.ListpackMaxEntries, o.ListpackMaxValueBytes = 30, 40
	tuning, err := NewTuning(o)
	if err != nil {
		t.Fatal(err)
	}
	var blocks [keys][]byte
	var large [keys]*Set
	var models [keys]*model
	for key := range models {
		models[key] = newModel()
	}
	view := New(tuning)
	refused, grown := 0, 0
	for step := range 40_000 {
		key := random.IntN(keys)
		room := &testRoom{block: blocks[key], full: random.IntN(10) == 0}
		s := large[key]
		if s == nil {
			s = view
			s.Attach(blocks[key], room)
		}
		m := models[key]
		if s.Len() != len(m.sorted) || large[key] == nil && PackedLen(blocks[key]) != s.Len() {
			t.Fatalf("step %d: %d members, want %d", step, s.Len(), len(m.sorted))
		}
		member := bytes.Repeat([]byte{byte('a' + random.IntN(26))}, random.IntN(20))
		if random.IntN(500) == 0 {
			member = bytes.Repeat(member, 4)
		}
		if s.Len() > 0 && random.IntN(4) == 0 {
			member, _, _ = s.At(random.IntN(s.Len())) // its own bytes, which may move
		}
		name, score := string(member), float64(random.IntN(200))*0.5
		switch random.IntN(8) {
		case 0, 1, 2, 3:
			if _, _, err := s.Add(member, score, 0); err == nil {
				m.add(name, score, 0)
			} else if refused++; err != ErrFull || !room.full {
				t.Fatalf("step %d: %v", step, err)
			}
		case 4, 5, 6:
			if _, ok := s.Remove(member); ok {
				m.remove(name)
			}
		case 7:
			r := s.ByScore(ScoreRange{Min: score, Max: score + 5})
			m.removeRange(r.Start, r.End)
			s.RemoveRange(r)
		}
		if err := s.check(); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		i := 0
		for member, score := range s.All() {
			if i >= len(m.sorted) || !isPair(m.sorted[i], member, score) {
				t.Fatalf("step %d: rank %d is %q %v", step, i, member, score)
			}
			i++
		}
		if i != len(m.sorted) {
			t.Fatalf("step %d: %d members, want %d", step, i, len(m.sorted))
		}
		if large[key] == nil {
			if blocks[key], large[key] = s.Detach(); large[key] != nil {
				grown++
			}
			if len(blocks[key]) > 0 && room.calls > 0 && !room.full && &blocks[key][0] != &room.block[:1][0] {
				t.Fatalf("step %d: the block is not where the room put it", step)
			}
		} else if s.Len() == 0 {
			large[key] = nil
		}
	}
	if refused == 0 || grown == 0 {
		t.Errorf("%d were refused, %d became skip lists", refused, grown)
	}
}

// TestAttachAllocates shows that working on a set that has room needs no memory of the Go heap.
func TestAttachAllocates(t *testing.T) {
	view := New(nil)
	block := make([]byte, 0, 1000)
	view.Attach(nil, &testRoom{})
	for i := range 20 {
		view.Add(fmt.Appendf(nil, "member %d", i), float64(i)/3, 0)
	}
	packed, _ := view.Detach()
	block = append(block, packed...)
	member, room := []byte("member 7"), &testRoom{block: block}
	allocs := testing.AllocsPerRun(100, func() {
		view.Attach(block, room)
		view.Add(member, 0.1, Incr)
		view.Rank(member)
		block, _ = view.Detach()
	})
	if allocs != 0 && !invariants { // their checks do allocate
		t.Errorf("%v allocations", allocs)
	}
	// Ranges of one set are not taken for those of the next.
	view.Attach(block, room)
	r := view.ByScore(ScoreRange{Min: 2, Max: 5})
	view.Detach()
	view.Attach(nil, room)
	if n := view.RemoveRange(r); n != 0 {
		t.Errorf("removed %d from an empty set", n)
	}
}
