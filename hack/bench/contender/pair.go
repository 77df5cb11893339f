package contender

import (
	"strings"
	"unsafe"
)

// pair is what peers keep in order.
type pair struct {
	score  float64
	member string
}

func before(a, b pair) bool {
	if a.score != b.score {
		return a.score < b.score
	}
	return a.member < b.member
}

func compare(a, b pair) int {
	switch {
	case a.score < b.score:
		return -1
	case a.score > b.score:
		return 1
	}
	return strings.Compare(a.member, b.member)
}

// view is the string of bytes that will not change while it is used: for lookups, so that peers need not make
// garbage for them.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf is view's inverse: bytes not to be written.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// collector sums up to a number of pairs, as Set.SumScores says.
type collector struct {
	count, n int
	total    float64
}

// take says whether another is wanted.
func (c *collector) take(p pair) bool {
	c.total += sum(float64(len(p.member)), p.score)
	c.n++
	return c.n < c.count
}
