package zset

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
)

// Aggregate says how the scores that a member has in several inputs become one.
type Aggregate uint8

const (
	Sum   Aggregate = iota // of the weighted scores
	Min                    // the least weighted score
	Max                    // the greatest weighted score
	Count                  // the sum of the weights, whatever the scores: with weights of 1, in how many inputs it is
)

// String gives the name under which clients know the aggregate.
func (g Aggregate) String() string {
	if int(g) < len(aggregateNames) {
		return aggregateNames[g]
	}
	return "unknown"
}

var aggregateNames = [...]string{Sum: "sum", Min: "min", Max: "max", Count: "count"}

// Input is a set to combine, each of its scores to be multiplied by Weight. A nil Set is an empty one. A Weight
// that is not a number counts as 0.
type Input struct {
	Set    *Set
	Weight float64
}

// An Algebra combines sets. The zero value is ready for use. It keeps its working memory from one call to the
// next, so it pays to have one and use it again; Reset limits what it keeps. It is for one goroutine at a time.
//
// A call only reads its inputs, of which several may be the same set. Its Result is good until one of them
// changes, or until the next call or Reset.
//
// Scores are combined exactly as servers do that clients know, down to the last bit: inputs are taken in
// ascending order of their lengths, those of the same length as given, and a score that would not be a number
// becomes 0, both a product (0 × inf) and a sum (inf - inf). Servers make one exception, and so does Intersect: a
// product that is not a number in any but the first of the inputs, so ordered, makes the sum 0, and does
// not count for the minimum and the maximum.
//
// Working memory follows the smaller inputs: the largest one of a union, or the first of a difference, is not
// copied when the rest is small; what an intersection needs follows its smallest.
type Algebra struct {
	inputs []Input // of the call under way: not empty, the smallest first
	tally  tally
	order  order
	// met holds the ranks in ascending order of those members of a set that are in the tally too, see meet.
	met []int
}

// Reset drops working memory if it is more than keep bytes.
func (a *Algebra) Reset(keep int) {
	if a.bytes() > keep {
		*a = Algebra{}
	}
}

// bytes is the working memory.
func (a *Algebra) bytes() int {
	const word, input = 8, 16
	return a.tally.memory() + a.order.memory() + cap(a.met)*word + cap(a.inputs)*input
}

// A Result is what combining sets gave: members with scores, in the order of a set. It serves to answer from
// without making a set, or to make one.
type Result struct {
	n   int
	all iter.Seq2[[]byte, float64]
}

// Len is the number of members.
func (r Result) Len() int { return r.n }

// All gives the members and their scores in ascending order. The members' bytes are good until the caller goes on.
func (r Result) All() iter.Seq2[[]byte, float64] {
	if r.all == nil {
		return func(func([]byte, float64) bool) {}
	}
	return r.all
}

// Build makes a set of the result; a nil t stands for the default options. Its error is ErrFull when a set
// cannot be so large.
func (r Result) Build(t *Tuning) (*Set, error) { return Build(t, r.n, r.All()) }

// Union gives the members of all inputs.
func (a *Algebra) Union(g Aggregate, in ...Input) Result {
	a.begin(in)
	defer a.end()
	if len(a.inputs) == 0 {
		return Result{}
	}
	// All but the largest are put together in the tally. The largest is woven in as it is, unless weighing its
	// scores changes its order.
	rest := len(a.inputs) - 1
	largest := a.inputs[rest]
	for _, x := range a.inputs[:rest] {
		a.tally.gather(g, x)
	}
	if !g.keepsOrder(largest) {
		a.tally.gather(g, largest)
		return a.sorted()
	}
	a.meet(largest.Set, func(i int, score float64) {
		e := &a.tally.entries[i]
		e.score = g.join(e.score, number(g.weigh(largest.Weight, score)))
	})
	a.order.sort(&a.tally)
	return Result{largest.Set.Len() + a.tally.len() - len(a.met), a.woven(g, largest)}
}

// Intersect gives the members that are in every input. Without inputs there are none.
func (a *Algebra) Intersect(g Aggregate, in ...Input) Result {
	a.begin(in)
	defer a.end()
	if len(a.inputs) < len(in) || len(in) == 0 { // one is empty
		return Result{}
	}
	smallest := a.inputs[0]
	for member, score := range smallest.Set.All() {
		a.tally.push(member, number(g.weigh(smallest.Weight, score)))
	}
	for _, x := range a.inputs[1:] {
		a.tally.retain(x.Set, true, func(e *tallied, score float64) {
			e.score = g.join(e.score, g.weigh(x.Weight, score))
		})
	}
	return a.sorted()
}

// IntersectCount is how many members are in every input, but at most limit; a limit of 0 or less is none. It
// stops as soon as it has counted so many, and needs little working memory however large the inputs are.
func (a *Algebra) IntersectCount(limit int, in ...*Set) int {
	a.tally.reset()
	a.inputs = a.inputs[:0]
	for _, s := range in {
		a.input(Input{Set: s})
	}
	a.arrange()
	defer a.end()
	if len(a.inputs) < len(in) || len(in) == 0 {
		return 0
	}
	// The smallest is taken in batches. The first ones are not larger than the limit suggests.
	const least, most = 16, 512
	batch := most
	if limit > 0 {
		batch = min(max(limit, least), most)
	}
	count, left := 0, a.inputs[0].Set.Len()
	for member := range a.inputs[0].Set.All() {
		a.tally.push(member, 0)
		if left--; left > 0 && a.tally.len() < batch {
			continue
		}
		for _, x := range a.inputs[1:] {
			a.tally.retain(x.Set, true, nil)
		}
		count += a.tally.len()
		if limit > 0 && count >= limit {
			return limit
		}
		a.tally.reset()
		batch = min(2*batch, most)
	}
	return count
}

// Diff gives the members of the first set that are in none of the others, with their scores.
func (a *Algebra) Diff(in ...*Set) Result {
	a.tally.reset()
	a.inputs, a.met = a.inputs[:0], a.met[:0]
	if len(in) == 0 || in[0] == nil {
		return Result{}
	}
	first, others := in[0], 0
	for _, s := range in[1:] {
		if s == first {
			return Result{}
		}
		if s != nil {
			others += s.Len()
		}
		a.input(Input{Set: s})
	}
	a.arrange()
	defer a.end()
	// Whichever is smaller goes into the tally: what is to be taken away, or what it is to be taken from.
	if others <= first.Len() {
		for _, x := range a.inputs {
			a.tally.gather(Count, x)
		}
		a.meet(first, nil)
		return Result{first.Len() - len(a.met), a.unmet(first)}
	}
	for member, score := range first.All() {
		a.tally.push(member, score)
	}
	for _, x := range slices.Backward(a.inputs) { // the largest leaves the fewest
		a.tally.retain(x.Set, false, nil)
	}
	a.order.keep(&a.tally)
	return Result{a.tally.len(), a.tallied}
}

// begin takes in the inputs of a call.
func (a *Algebra) begin(in []Input) {
	a.tally.reset()
	a.inputs, a.met = a.inputs[:0], a.met[:0]
	for _, x := range in {
		a.input(x)
	}
	a.arrange()
}

// input takes in one input, unless it is empty.
func (a *Algebra) input(x Input) {
	if x.Set != nil && x.Set.Len() > 0 {
		x.Weight = number(x.Weight)
		a.inputs = append(a.inputs, x)
	}
}

// arrange puts the inputs in the order in which they are taken. That decides how sums are rounded, so those of
// the same length must stay as they were given.
func (a *Algebra) arrange() {
	slices.SortStableFunc(a.inputs, func(x, y Input) int { return cmp.Compare(x.Set.Len(), y.Set.Len()) })
}

// end lets go of the sets.
func (a *Algebra) end() { clear(a.inputs) }

// weigh is what a member with this score adds to the result.
func (g Aggregate) weigh(weight, score float64) float64 {
	if g == Count {
		return weight
	}
	return weight * score
}

// join combines what the inputs so far have given with what one more gives, which may be NaN.
func (g Aggregate) join(have, more float64) float64 {
	switch g {
	case Min:
		if more < have {
			return more
		}
		return have
	case Max:
		if more > have {
			return more
		}
		return have
	}
	return number(have + more)
}

// number is f, or 0 for what is none.
func number(f float64) float64 {
	if f != f {
		return 0
	}
	return f
}

// keepsOrder says that the members of an input are in order by their weighted scores too. Most weights above 0 do
// that, and any does when all scores are the same; but two scores can become one by rounding.
func (g Aggregate) keepsOrder(x Input) bool {
	if g != Count && x.Weight == 1 {
		return true
	}
	var last []byte
	var lastScore float64
	first := true
	for member, score := range x.Set.All() {
		score = number(g.weigh(x.Weight, score))
		if !first && (score < lastScore || score == lastScore && bytes.Compare(member, last) < 0) {
			return false
		}
		last, lastScore, first = member, score, false
	}
	return true
}
