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
	if s.IndexLine([]byte("m")) != nil || len(s.RecordLines(nil, []byte("m"))) != 0 {
		t.Error("an empty set has lines")
	}
	for i := range members {
		s.Add(fmt.Append(nil, "member", i), float64(i), 0)
	}
	found := 0
	lines := make([]*byte, 0, 8)
	for i := range members {
		member := fmt.Append(nil, "member", i)
		r, _, _ := s.list.find(member)
		if s.IndexLine(member) == nil {
			t.Fatal("a skip list has no index")
		}
		if slices.Contains(s.RecordLines(lines, member), &s.list.records.at(r)[0]) {
			found++
		}
	}
	if found < members*9/10 {
		t.Errorf("the lines of %d in %d members", found, members)
	}
	for room := range 4 {
		if n := len(s.RecordLines(make([]*byte, 0, room), []byte("member7"))); n > room {
			t.Errorf("%d lines where there is room for %d", n, room)
		}
	}
	small := New(nil)
	small.Add([]byte("m"), 1, 0)
	if small.IndexLine([]byte("m")) != nil || len(small.RecordLines(lines, []byte("m"))) != 0 {
		t.Error("a listpack has lines of an index")
	}
}
