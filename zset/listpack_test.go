package zset

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestListpackBytes gives the bytes of entries, field by field.
func TestListpackBytes(t *testing.T) {
	tests := []struct {
		member string
		score  float64
		entry  string // hexadecimal: score, length, member
	}{
		{"a", 0, "00 01 61"},
		{"", 0, "00 00"},
		{"ab", 1, "02 02 6162"},
		{"ab", -1, "01 02 6162"},
		{"ab", 59, "76 02 6162"},
		{"ab", -60, "77 02 6162"},
		{"ab", 60, "8078 02 6162"},
		{"ab", -64, "807f 02 6162"},
		{"ab", 64, "8080 02 6162"},
		{"ab", 1 << 54, "fe80000000000000 02 6162"},
		{"ab", math.Copysign(0, -1), "ff8000000000000000 02 6162"},
		{"ab", 0.5, "79e0000000000000 02 6162"},
		{"ab", 1e-7, "787ad7f29abcaf48 02 6162"},
		{"ab", 3.3, "7a0a666666666666 02 6162"},
		{"ab", 1785412345.678, "7bda9acebe6b645a 02 6162"},
		{"ab", -0.5, "7de0000000000000 02 6162"},
		{"ab", 1e-30, "ff39b4484bfeebc2a0 02 6162"},
		{"ab", 1 << 55, "ff4360000000000000 02 6162"},
		{"ab", -(1 << 55), "ffc360000000000000 02 6162"},
		{"ab", math.Inf(1), "ff7ff0000000000000 02 6162"},
		{strings.Repeat("x", 127), 0, "00 7f " + strings.Repeat("78", 127)},
		{strings.Repeat("x", 128), 0, "00 8080 " + strings.Repeat("78", 128)},
	}
	for _, test := range tests {
		var lp listpack
		lp.insert(0, []byte(test.member), test.score)
		want := "01000000" + strings.ReplaceAll(test.entry, " ", "")
		if got := fmt.Sprintf("%x", lp.buf); got != want {
			t.Errorf("%.10q %v is %s, want %s", test.member, test.score, got, want)
		}
		if err := lp.check(); err != nil {
			t.Errorf("%.10q %v: %v", test.member, test.score, err)
		}
	}
}

// TestListpackMoves counts what a removal of many costs: the block is the same one, and what followed lies where the
// run was.
func TestListpackMoves(t *testing.T) {
	s := NewSeeded(nil, 1)
	for i := range 100 {
		s.Add(fmt.Appendf(nil, "member%02d", i), float64(i), 0)
	}
	block := s.packed.buf
	from := s.packed.walk(10, place{}, place{}).pos
	to := s.packed.walk(40, place{}, place{}).pos
	tail := bytes.Clone(block[to:])
	if n := s.RemoveRange(s.ByRank(10, 39)); n != 30 {
		t.Fatalf("removed %d", n)
	}
	if &s.packed.buf[0] != &block[0] {
		t.Error("the block was copied though most of it is in use")
	}
	if !bytes.Equal(s.packed.buf[from:], tail) {
		t.Error("what followed the run is not where the run began")
	}
}

// TestListpackRoom holds the capacity of blocks against what it may be while a set grows and shrinks.
func TestListpackRoom(t *testing.T) {
	tuning, err := NewTuning(Options{P: 0.25, MaxLevel: 8, ListpackMaxEntries: 2000, ListpackMaxValueBytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSeeded(tuning, 1)
	check := func(growing bool) {
		t.Helper()
		used, room := len(s.packed.buf), cap(s.packed.buf)
		most := max(used*2+1, listpackKeep)
		if growing {
			most = used*4/3 + 64 // an eighth, and the allocator's rounding by as much
		}
		if room > most {
			t.Fatalf("%d members: %d bytes for %d", s.Len(), room, used)
		}
	}
	for i := range 2000 {
		s.Add(fmt.Appendf(nil, "%d", i*37%2000), float64(i), 0)
		check(true)
	}
	for s.Len() > 0 {
		s.RemoveRange(s.ByRank(3, 3))
		s.RemoveRange(s.ByRank(0, 0))
		check(false)
	}
	if s.packed.buf != nil {
		t.Errorf("empty set holds %d bytes", cap(s.packed.buf))
	}
}

// TestListpackGivesWay sets the length a member may have too high for a block's bound.
func TestListpackGivesWay(t *testing.T) {
	o := DefaultOptions()
	o.ListpackMaxValueBytes = math.MaxInt
	tuning, err := NewTuning(o)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSeeded(tuning, 1)
	s.Add([]byte("a"), 1, 0)
	if s.outgrown(2, listpackLimit) != true || s.outgrown(2, listpackLimit/2) != false {
		t.Errorf("outgrown by %d bytes: %v, by %d: %v", listpackLimit, s.outgrown(2, listpackLimit),
			listpackLimit/2, s.outgrown(2, listpackLimit/2))
	}
}
