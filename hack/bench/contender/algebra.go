package contender

import (
	"math"

	"zset.dev/operator/zset"
)

// An algebraic set has operations of its own on sets of its kind. The others are combined by the operations that all
// have.
type algebraic interface {
	union(smaller Set) Set
	inter(smaller Set) Set
	diff(other Set) Set
}

// Union makes the union of two sets, scores summed: the larger is copied in order, then the smaller added.
func (f Form) Union(smaller, larger Set, seed uint64) Set {
	if l, ok := larger.(algebraic); ok {
		return l.union(smaller)
	}
	result := f.New(seed)
	all(larger, result.Add)
	all(smaller, result.Increment)
	return result
}

// Inter makes the intersection of two sets, scores summed: each member of the smaller is looked up in the larger.
func (f Form) Inter(smaller, larger Set, seed uint64) Set {
	if l, ok := larger.(algebraic); ok {
		return l.inter(smaller)
	}
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
	if a, ok := a.(algebraic); ok {
		return a.diff(b)
	}
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

// algebra has the scratch memory that the engine's operations share, as in a server.
var algebra zset.Algebra

func (e engine) union(smaller Set) Set {
	return e.built(algebra.Union(zset.Sum, zset.Input{Set: e.Set, Weight: 1}, zset.Input{Set: smaller.(engine).Set, Weight: 1}))
}

func (e engine) inter(smaller Set) Set {
	return e.built(algebra.Intersect(zset.Sum, zset.Input{Set: e.Set, Weight: 1}, zset.Input{Set: smaller.(engine).Set, Weight: 1}))
}

func (e engine) diff(other Set) Set { return e.built(algebra.Diff(e.Set, other.(engine).Set)) }

// built makes a set of a result. It is on the Go heap, wherever e is.
func (e engine) built(r zset.Result) Set {
	s, err := r.Build(e.tuning)
	if err != nil {
		panic(err) // two sets that fit make one that does
	}
	return engine{s, e.tuning}
}
