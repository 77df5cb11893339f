package workload

import "testing"

func TestMembersHaveTheirSizeAndDiffer(t *testing.T) {
	for _, size := range []int{13, 16, 20} {
		m, seen := NewMembers(size), map[string]bool{}
		for _, i := range []int{0, 1, 9, 10, 99_999_999, 999_999_999_999} {
			member := string(m.Append(nil, i))
			if len(member) != size || m.Size() != size || seen[member] {
				t.Errorf("member %d of %d bytes is %q", i, size, member)
			}
			seen[member] = true
		}
	}
	if got := string(NewMembers(16).Append([]byte("-"), 1203)); got != "-mxxx000000001203" {
		t.Errorf("got %q", got)
	}
}

func TestAscendingScoresAscend(t *testing.T) {
	r, last := Random(1), -1.0
	for i := range 1000 {
		s := Ascending.Score(r, i, 1000)
		if s <= last || s >= 1 {
			t.Fatalf("score %d is %v after %v", i, s, last)
		}
		last = s
	}
}
