package zset

import (
	"fmt"
	"slices"
	"testing"
)

// The lines are those that a lookup reads: where the member's record is, for all but the few that the index has elsewhere.
func TestLinesAreThoseOfTheMember(t *testing.T) {
	const members = 50_000
	s := New(nil)
	room := make([]*byte, 0, 8)
	if len(s.IndexLines(room, []byte("m")))+len(s.RecordLines(room, []byte("m"))) != 0 {
		t.Error("an empty set has lines")
	}
	for i := range members {
		s.Add(fmt.Append(nil, "member", i), float64(i), 0)
	}
	found := 0
	for i := range members {
		member := fmt.Append(nil, "member", i)
		r, _, _ := s.list.find(member)
		if len(s.IndexLines(room, member)) != 2 {
			t.Fatal("a skip list has no index")
		}
		if slices.Contains(s.RecordLines(room, member), &s.list.records.at(r)[0]) {
			found++
		}
	}
	if found < members*9/10 {
		t.Errorf("the lines of %d in %d members", found, members)
	}
	for most := range 4 {
		little := make([]*byte, 0, most)
		if n := max(len(s.RecordLines(little, []byte("member7"))), len(s.IndexLines(little, []byte("member7")))); n > most {
			t.Errorf("%d lines where there is room for %d", n, most)
		}
	}
	small := New(nil)
	small.Add([]byte("m"), 1, 0)
	if len(small.IndexLines(room, []byte("m")))+len(small.RecordLines(room, []byte("m"))) != 0 {
		t.Error("a listpack has lines of an index")
	}
}
