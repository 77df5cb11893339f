package zset

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"zset.dev/operator/zset/memory"
)

// TestCheckSeesDamage damages sets in all the ways that check is there to find. Without it a check that finds nothing
// would prove nothing.
func TestCheckSeesDamage(t *testing.T) {
	first := func(l *skipList) block { return l.blocks.at(l.head.next(0)) }
	tall := func(l *skipList) block {
		for r := l.head.next(0); ; r = l.blocks.at(r).next(0) {
			if at := l.blocks.at(r); at.levels() > 1 && at.next(1) != 0 {
				return at
			}
		}
	}
	indexed := func(l *skipList, i int) (hash uint64, r uint32) {
		r = uint32(first(l).ref(i))
		return l.HashOf(r), r
	}
	lists := []struct {
		damage func(l *skipList)
		found  string
	}{
		{func(l *skipList) { first(l).setBack(99) }, "back is 99"},
		{func(l *skipList) { first(l).setCount(0) }, "block 0 has 0 members"},
		{func(l *skipList) { first(l).setCount(200) }, "block 0 has 200 members with room for"},
		{func(l *skipList) { l.records.setScore(first(l).ref(0), math.NaN()) }, "not a number"},
		{func(l *skipList) { first(l).setBound(0, 1e9) }, "does not separate"},
		{func(l *skipList) { first(l).setBound(0, -1) }, "does not separate"},
		{func(l *skipList) { at := first(l); at.setKey(1, at.key(1)+1) }, "key is"},
		{func(l *skipList) { l.records.setScore(first(l).ref(1), 1e9) }, "key is"},
		{func(l *skipList) {
			at := first(l)
			r, s := at.ref(0), at.ref(1)
			at.setRef(0, s)
			at.setRef(1, r)
		}, "out of order"},
		{func(l *skipList) { l.last = 0 }, "last is 0"},
		{func(l *skipList) { l.length++ }, "length is 201"},
		{func(l *skipList) { tall(l).setNext(1, 0) }, "next is 0"},
		{func(l *skipList) { tall(l).setSpan(1, 1000) }, "span is 1000"},
		{func(l *skipList) { tall(l).setBound(1, 1000) }, "bound is 1000"},
		{func(l *skipList) { l.head.setBound(0, 0) }, "bound is 0"},
		{func(l *skipList) { l.head.setSpan(l.levels-1, 1000) }, "span is 1000"},
		{func(l *skipList) { l.levels-- }, "levels, the list"},
		{func(l *skipList) { l.raise(l.levels + 1) }, "its tallest block"},
		{func(l *skipList) { l.index.Remove(indexed(l, 0)) }, "index finds 0"},
		{func(l *skipList) {
			hash, r := indexed(l, 0)
			_, other := indexed(l, 1)
			l.index.Replace(hash, r, other)
		}, "index finds 0"},
		{func(l *skipList) { l.index.Insert(indexed(l, 0)) }, "index has 201 members"},
		{func(l *skipList) { l.records.live++ }, "bytes held and"},
		{func(l *skipList) { l.records.held++ }, "bytes held and"},
		{func(l *skipList) { l.records.books[0].live++ }, "bytes live, want"},
		{func(l *skipList) { l.records.books[0].filled-- }, "its last piece ends at"},
		{func(l *skipList) { l.records.some[2] = 1 }, "marks are"},
		{func(l *skipList) { l.records.alloc(40) }, "hole false, in the list false"},
		{func(l *skipList) { r := first(l).ref(1); l.records.dig(r, recordBytes(len(l.records.member(r)))) }, "hole"},
		{func(l *skipList) {
			r, _ := l.records.alloc(40)
			l.records.alloc(40)
			l.records.release(r, 40)
			binary.LittleEndian.PutUint32(l.records.at(r), uint32(r))
		}, "is not linked right"},
		{func(l *skipList) { l.records.longs = append(l.records.longs, memory.Extent{Buf: make([]byte, 5)}) }, "long members"},
		{func(l *skipList) { l.blocks.live++ }, "bytes held and"},
		{func(l *skipList) { l.blocks.add(1, 2) }, "hole false, in the list false"},
		{func(l *skipList) { l.blocks.some = 1 << 40 }, "marks are"},
		{func(l *skipList) {
			r, _, _ := l.blocks.add(1, 3)
			l.blocks.add(1, 3)
			l.blocks.remove(r)
			binary.LittleEndian.PutUint32(l.blocks.at(r)[8:], 2)
		}, "is not linked right"},
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
		{func(b []byte) []byte { b[4] = 0x76; return b }, "out of order"},
		{func(b []byte) []byte { b[4] = 0xfe; return b[:8] }, "is cut off"},
		{func(b []byte) []byte { b[5] = 0xff; return b }, "length of 9 bytes"},
		{func(b []byte) []byte { b[5] = 100; return b }, "member of 100 bytes is cut off"},
		{func([]byte) []byte { return []byte{1, 0, 0, 0, 0x80, 0x01, 1, 'a'} }, "bytes are"},
		{func(b []byte) []byte { return b[:len(b)-1] }, "member of 1 bytes is cut off"},
		{func([]byte) []byte { return []byte{1, 0, 0, 0, 0x79, 0, 0, 0} }, "score of 8 bytes is cut off"},
		{func(b []byte) []byte { b[9] = b[6]; return b }, "occurs twice"},
		{func(b []byte) []byte {
			nan := binary.BigEndian.AppendUint64([]byte{1, 0, 0, 0, notPacked}, math.Float64bits(math.NaN()))
			return append(nan, 1, 'a')
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
	tuning, err := NewTuning(Options{P: 0.5, MaxLevel: 32, BlockEntries: 8})
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
