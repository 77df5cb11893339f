package zset

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
)

// A model is a sorted set so plain that it can be believed: a sorted slice and a map.
type model struct {
	scores map[string]float64
	sorted []pair
}

type pair struct {
	member string
	score  float64
}

func newModel() *model { return &model{scores: map[string]float64{}} }

func comparePairs(a, b pair) int {
	// cmp.Compare takes -0 and +0 for equal, as the order of a set does.
	return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.member, b.member))
}

// add follows the words of ZADD's documentation, one condition after the other.
func (m *model) add(member string, score float64, f AddFlags) (now float64, r AddResult, err error) {
	old, exists := m.scores[member]
	if math.IsNaN(score) {
		return 0, Skipped, ErrNaN
	}
	if exists && f&NX != 0 || !exists && f&XX != 0 {
		return old, Skipped, nil
	}
	if exists && f&Incr != 0 {
		score = old + score
	}
	if math.IsNaN(score) {
		return old, Skipped, ErrNaN
	}
	if exists && (f&GT != 0 && !(score > old) || f&LT != 0 && !(score < old)) {
		return old, Skipped, nil
	}
	if exists && score == old {
		return old, Unchanged, nil
	}
	r = Added
	if exists {
		m.remove(member)
		r = Updated
	}
	m.scores[member] = score
	p := pair{member, score}
	at, _ := slices.BinarySearchFunc(m.sorted, p, comparePairs)
	m.sorted = slices.Insert(m.sorted, at, p)
	return score, r, nil
}

func (m *model) remove(member string) (float64, bool) {
	score, ok := m.scores[member]
	if ok {
		at := m.rank(member)
		m.sorted = slices.Delete(m.sorted, at, at+1)
		delete(m.scores, member)
	}
	return score, ok
}

func (m *model) rank(member string) int {
	at, _ := slices.BinarySearchFunc(m.sorted, pair{member, m.scores[member]}, comparePairs)
	return at
}

// within is the ranks of the pairs that satisfy in, which are next to each other.
func (m *model) within(in func(pair) bool) (start, end int) {
	start = slices.IndexFunc(m.sorted, in)
	if start < 0 {
		return 0, 0
	}
	for end = start; end < len(m.sorted) && in(m.sorted[end]); end++ {
	}
	return start, end
}

func (m *model) byScore(r ScoreRange) (start, end int) {
	return m.within(func(p pair) bool {
		return (p.score > r.Min || p.score == r.Min && !r.MinExclusive) &&
			(p.score < r.Max || p.score == r.Max && !r.MaxExclusive)
	})
}

func (m *model) byLex(r LexRange) (start, end int) {
	side := func(member string, b LexBound) int {
		if b.Infinite != 0 {
			return -b.Infinite
		}
		return bytes.Compare([]byte(member), b.Value)
	}
	return m.within(func(p pair) bool {
		low, high := side(p.member, r.Min), side(p.member, r.Max)
		return (low > 0 || low == 0 && !r.Min.Exclusive) && (high < 0 || high == 0 && !r.Max.Exclusive)
	})
}

func (m *model) removeRange(start, end int) {
	for _, p := range m.sorted[start:end] {
		delete(m.scores, p.member)
	}
	m.sorted = slices.Delete(m.sorted, start, end)
}

// ordered says that the members are in the order of their bytes, without which a lexicographic range means nothing.
func (m *model) ordered() bool {
	return slices.IsSortedFunc(m.sorted, func(a, b pair) int { return strings.Compare(a.member, b.member) })
}

// sort puts pairs that were appended in order.
func (m *model) sort() { slices.SortFunc(m.sorted, comparePairs) }
