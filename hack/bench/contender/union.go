package contender

import "math"

// Union makes the union of two sets, scores summed: the larger is copied in order, then the smaller added.
//
// The engine is to do this by its set algebra once it has one; until then it does as the others.
func (f Form) Union(smaller, larger Set, seed uint64) Set {
	u := f.New(seed)
	larger.Visit(math.Inf(-1), larger.Len(), u.Add)
	smaller.Visit(math.Inf(-1), smaller.Len(), u.Increment)
	return u
}
