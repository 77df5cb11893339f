package zset

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestCheckSeesDamage damages sets in all the ways that check is there to find. Without it a check that finds nothing
// would prove nothing.
func TestCheckSeesDamage(t *testing.T) {
	first := func(l *skipList) node { return l.at(l.head.next(0)) }
	tall := func(l *skipList) node {
		for r := l.head.next(0); ; r = l.at(r).next(0) {
			if nd := l.at(r); nd.levels() > 1 && nd.next(1) != 0 {
				return nd
			}
		}
	}
	lists := []struct {
		damage func(l *skipList)
		found  string
	}{
		{func(l *skipList) { first(l).setBack(99) }, "back is 99"},
		{func(l *skipList) { first(l).setScore(math.NaN()) }, "not a number"},
		{func(l *skipList) { first(l).setScore(1e9) }, "out of order"},
		{func(l *skipList) { l.last = 0 }, "last is 0"},
		{func(l *skipList) { l.head.setNext(0, 0); l.last = 0 }, "without members"},
		{func(l *skipList) { tall(l).setNext(1, 0) }, "next is 0"},
		{func(l *skipList) { tall(l).setSpan(1, 1000) }, "span is 1000"},
		{func(l *skipList) { l.from(0).setSpan(l.levels-1, 1000) }, "span is 1000"},
		{func(l *skipList) { l.levels-- }, "levels, the list"},
		{func(l *skipList) { l.raise(l.levels + 1) }, "its tallest node"},
		{func(l *skipList) {
			r := l.head.next(l.levels - 1)
			for next := r; next != 0; next = l.at(r).next(l.levels - 1) {
				r = next
			}
			l.at(r).setSpan(l.levels-1, 1000)
		}, "span is 1000"},
		{func(l *skipList) { l.index.used-- }, "index has 199 members"},
		{func(l *skipList) { l.index = newIndex(1000); l.index.used = 200 }, "index finds 0"},
		{func(l *skipList) { l.index = newIndex(200); l.index.used = 200 }, "index has 200 slots"},
		{func(l *skipList) {
			slot, _, _ := l.find(first(l).member())
			l.index.tags[slot] ^= 0xff
		}, "index finds 0"},
		{func(l *skipList) { l.index.set(slotWithoutMember(&l.index), 1, 5) }, "slots taken"},
		{func(l *skipList) { l.index.refs[slotWithoutMember(&l.index)] = 5 }, "ref 5 with tag 0"},
		{func(l *skipList) {
			for slot := range tagGroup - 1 {
				if l.index.tags[slot] != 0 {
					l.index.tags[l.index.slots()+slot]++
					return
				}
			}
			panic("no tag to damage")
		}, "tags at the end"},
		{func(l *skipList) { l.arena.live++ }, "bytes live"},
		{func(l *skipList) { l.arena.held++ }, "arena holds"},
		{func(l *skipList) { l.arena.some = 1 }, "classes marked"},
		{func(l *skipList) { l.arena.put(10, l.head.next(0)+1) }, "belongs to nothing"},
		{func(l *skipList) { l.arena.free = append(make([]ref, 10), 1<<20); l.arena.some = 1 << 9 }, "index out of range"},
		{func(l *skipList) { l.arena.alloc(40); l.arena.live -= 40 }, "belongs to nothing"},
		{func(l *skipList) {
			r, _ := l.arena.alloc(40)
			l.arena.release(r, 40)
			binary.LittleEndian.PutUint32(l.arena.at(r), uint32(r))
		}, "in a circle"},
		{func(l *skipList) { l.arena.chunks[0] = l.arena.chunks[0][:len(l.arena.chunks[0])-4] }, "its last block at"},
		{func(l *skipList) {
			r, _ := l.arena.alloc(40)
			l.arena.release(r, 40)
			l.arena.chunks[0] = l.arena.chunks[0][:r*unitBytes]
		}, "out of range"},
	}
	for i, test := range lists {
		t.Run(fmt.Sprintf("list/%d", i), func(t *testing.T) {
			s := damageable(t)
			test.damage(s.list)
			expectDamage(t, s, test.found)
		})
	}
	t.Run("both", func(t *testing.T) {
		s := damageable(t)
		s.packed.buf = []byte{1}
		expectDamage(t, s, "a skip list beside a listpack")
	})

	packs := []struct {
		damage func(block []byte) []byte
		found  string
	}{
		{func(b []byte) []byte { return b[:4] }, "holds no entry"},
		{func(b []byte) []byte { return append(make([]byte, 0, 1000), b...) }, "block of 1000 bytes"},
		{func(b []byte) []byte { b[0]++; return b }, "count is"},
		{func(b []byte) []byte { b[4] = 0x7e; return b }, "out of order"},
		{func(b []byte) []byte { b[4] = 0xfe; return b[:8] }, "is cut off"},
		{func(b []byte) []byte { b[5] = 0xff; return b }, "length of 9 bytes"},
		{func(b []byte) []byte { b[5] = 100; return b }, "member of 100 bytes is cut off"},
		{func(b []byte) []byte { b[7]++; return b }, "bytes are"},
		{func(b []byte) []byte { return b[:len(b)-1] }, "bytes are"},
		{func(b []byte) []byte { b[10] = b[6]; return b }, "occurs twice"},
		{func(b []byte) []byte {
			nan := binary.LittleEndian.AppendUint64([]byte{1, 0, 0, 0, notPacked}, math.Float64bits(math.NaN()))
			return append(nan, 1, 'a', 11)
		}, "not a number"},
	}
	for i, test := range packs {
		t.Run(fmt.Sprintf("listpack/%d", i), func(t *testing.T) {
			s := NewSeeded(nil, 1)
			for i := range 5 {
				s.Add([]byte{'a' + byte(i)}, float64(i), 0)
			}
			s.packed.buf = test.damage(s.packed.buf)
			expectDamage(t, s, test.found)
		})
	}
}

func damageable(t *testing.T) *Set {
	tuning, err := NewTuning(Options{P: 0.25, MaxLevel: 32})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSeeded(tuning, 1)
	for i := range 200 {
		s.Add(fmt.Appendf(nil, "%d", i), float64(i%50), 0)
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	return s
}

func slotWithoutMember(ix *index) int {
	slot := tagGroup
	for ix.refs[slot] != 0 {
		slot++
	}
	return slot
}

// expectDamage wants check to say what it found, or to stumble over it.
func expectDamage(t *testing.T, s *Set, found string) {
	t.Helper()
	said := "nothing"
	func() {
		defer func() {
			if stumbled := recover(); stumbled != nil {
				said = fmt.Sprint(stumbled)
			}
		}()
		if err := s.check(); err != nil {
			said = err.Error()
		}
	}()
	if !strings.Contains(said, found) {
		t.Errorf("check found %s, want %q", said, found)
	}
}
