package zset

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// An order is the entries of a tally in the order of a set.
type order struct {
	tally *tally
	// keys are the entries in order; none when the entries themselves are in order.
	keys  []orderKey
	spare []orderKey
}

// orderKey is an entry and its score in a form that compares as an integer.
type orderKey struct {
	score uint64
	entry int
}

const (
	orderKeyBytes = 16
	// From so many entries on it is faster to distribute keys by their bytes than to compare them.
	radixEntries = 128
)

func (o *order) memory() int { return (cap(o.keys) + cap(o.spare)) * orderKeyBytes }

// sortable maps scores to integers of the same order, and -0 to the same as +0.
func sortable(score float64) uint64 {
	b := math.Float64bits(score + 0) // -0 + 0 is +0
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// keep takes the entries as they are, which is in order.
func (o *order) keep(t *tally) { o.tally, o.keys = t, o.keys[:0] }

// sort finds the order of the entries.
func (o *order) sort(t *tally) {
	o.keep(t)
	if t.inOrder() {
		return
	}
	o.keys = slices.Grow(o.keys, t.len())
	for i := range t.entries {
		o.keys = append(o.keys, orderKey{sortable(t.entries[i].score), i})
	}
	if t.len() < radixEntries {
		slices.SortFunc(o.keys, o.compare)
		return
	}
	o.distribute()
	for rest := o.keys; len(rest) > 0; {
		same := 1
		for same < len(rest) && rest[same].score == rest[0].score {
			same++
		}
		// Members of one score often come from one set, in order.
		if ties := rest[:same]; same > 1 && !slices.IsSortedFunc(ties, o.compare) {
			slices.SortFunc(ties, o.compare)
		}
		rest = rest[same:]
	}
}

func (o *order) compare(a, b orderKey) int {
	if a.score != b.score {
		return cmp.Compare(a.score, b.score)
	}
	return bytes.Compare(o.tally.member(a.entry), o.tally.member(b.entry))
}

// distribute sorts the keys by score, byte by byte from the lowest (a radix sort). Bytes that are the same in
// all, as most are of whole numbers, are passed over. Keys of the same score keep their order.
func (o *order) distribute() {
	var counts [8][256]int
	for _, k := range o.keys {
		for b := range counts {
			counts[b][byte(k.score>>(8*b))]++
		}
	}
	n := len(o.keys)
	o.spare = slices.Grow(o.spare[:0], n)[:n]
	from, to := o.keys, o.spare
	for b := range counts {
		starts := &counts[b]
		shift := 8 * b
		if starts[byte(from[0].score>>shift)] == n {
			continue
		}
		next := 0
		for digit, count := range starts {
			starts[digit] = next
			next += count
		}
		for _, k := range from {
			at := &starts[byte(k.score>>shift)]
			to[*at] = k
			*at++
		}
		from, to = to, from
	}
	o.keys, o.spare = from, to
}

// at is the entry in place i.
func (o *order) at(i int) (member []byte, score float64) {
	if len(o.keys) > 0 {
		i = o.keys[i].entry
	}
	return o.tally.member(i), o.tally.entries[i].score
}

// inOrder says that the entries are in the order of a set already.
func (t *tally) inOrder() bool {
	for i := 1; i < len(t.entries); i++ {
		before, score := t.entries[i-1].score, t.entries[i].score
		if score < before || score == before && bytes.Compare(t.member(i-1), t.member(i)) > 0 {
			return false
		}
	}
	return true
}
