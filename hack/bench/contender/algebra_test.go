package contender

import (
	"fmt"
	"testing"
)

func TestAlgebra(t *testing.T) {
	f := Form{Zset, 0.25}
	a, b := f.New(1), f.New(2)
	for i := range 6 {
		a.Add(fmt.Append(nil, i), float64(i))
	}
	for i := range 9 {
		if i > 3 {
			b.Add(fmt.Append(nil, i), 10)
		}
	}
	for _, c := range []struct {
		name string
		set  Set
		want string
	}{
		{"union", f.Union(a, b, 3), "0=0 1=1 2=2 3=3 6=10 7=10 8=10 4=14 5=15 "},
		{"intersection", f.Inter(a, b, 3), "4=14 5=15 "},
		{"difference", f.Diff(a, b, 3), "0=0 1=1 2=2 3=3 "},
	} {
		got := ""
		all(c.set, func(member []byte, score float64) { got += fmt.Sprintf("%s=%v ", member, score) })
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
