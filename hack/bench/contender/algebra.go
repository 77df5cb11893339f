package contender

import "math"

// Set algebra by the operations that all contenders have. Once the engine has an algebra of its own it is to be
// used here for the engine's forms.

// Union makes the union of two sets, scores summed: the larger is copied in order, then the smaller added.
func (f Form) Union(smaller, larger Set, seed uint64) Set {
	result := f.New(seed)
	all(larger, result.Add)
	all(smaller, result.Increment)
	return result
}

// Inter makes the intersection of two sets, scores summed: each member of the smaller is looked up in the larger.
func (f Form) Inter(smaller, larger Set, seed uint64) Set {
	result := f.New(seed)
	all(smaller, func(member []byte, score float64) {
		if other, ok := larger.Score(member); ok {
			result.Add(member, score+other)
		}
	})
	return result
}

// Diff makes the set of the members of a that are not in b.
func (f Form) Diff(a, b Set, seed uint64) Set {
	result := f.New(seed)
	all(a, func(member []byte, score float64) {
		if _, ok := b.Score(member); !ok {
			result.Add(member, score)
		}
	})
	return result
}

// all visits all members in order.
func all(s Set, each func(member []byte, score float64)) { s.Visit(math.Inf(-1), s.Len(), each) }
