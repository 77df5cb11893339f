package zset

import (
	"bytes"
	"iter"
	"slices"
)

// To find which members two collections share, walk one of them and look each member up in the other. What each
// costs is measured by BenchmarkMeet, which has both ways at sizes around where they cost the same. A walk over a set
// with a look into the tally costs about as much for a member as a look for its score in a skip list, so the smaller
// one is walked. A lookup in a listpack is itself a walk.
const (
	// rankCost is how many members of a skip list can be walked over and looked up in a tally in the time of one
	// lookup of a rank, its share of sorting the ranks included. In sets of a thousand to a million members that is
	// from 2.5 to 4 where half of the tally is in the set, as what is not there is known without a search for its
	// rank, and from 4 to 6.5 where all of it is.
	rankCost = 4
	// packedLookups is from how many lookups on a table and one walk over a listpack of a hundred members are faster:
	// from 6 where half of the tally is there, from 9 where all of it is.
	packedLookups = 6
)

// meet finds the members of s that are in the tally too: hit, if not nil, is called for each with its entry in the
// tally and its score in s, and a.met is set to their ranks in s.
func (a *Algebra) meet(s *Set, hit func(entry int, score float64)) {
	t := &a.tally
	a.met = a.met[:0]
	if t.len() == 0 {
		return
	}
	if s.Encoding() == SkipList && t.len() < s.Len()/rankCost {
		for i := range t.entries {
			if rank, score, ok := s.Rank(t.member(i)); ok {
				a.met = append(a.met, rank)
				if hit != nil {
					hit(i, score)
				}
			}
		}
		slices.Sort(a.met)
		return
	}
	t.makeTable(t.len())
	rank := 0
	for member, score := range s.All() {
		if _, i, ok := t.find(member); ok {
			a.met = append(a.met, rank)
			if hit != nil {
				hit(i, score)
			}
		}
		rank++
	}
}

// retain keeps of the tally what is in s, having called hit, if not nil, for each; or, with in false, what is not
// in s. The order of entries stays.
func (t *tally) retain(s *Set, in bool, hit func(e *tallied, score float64)) {
	found := 0
	if t.cheaperByWalk(s) {
		t.makeTable(t.len())
		for member, score := range s.All() {
			if _, i, ok := t.find(member); ok {
				e := &t.entries[i]
				e.found = true
				if hit != nil {
					hit(e, score)
				}
				if found++; found == t.len() {
					break
				}
			}
		}
	} else {
		for i := range t.entries {
			e := &t.entries[i]
			var score float64
			if score, e.found = s.Score(t.member(i)); e.found {
				if hit != nil {
					hit(e, score)
				}
				found++
			}
		}
	}
	t.sift(in)
}

func (t *tally) cheaperByWalk(s *Set) bool {
	if s.Encoding() == Listpack {
		return t.len() >= packedLookups
	}
	return s.Len() < t.len()
}

// sift keeps the entries that were found, or those that were not, and makes all ready to be sought again.
func (t *tally) sift(found bool) {
	kept := t.entries[:0]
	for _, e := range t.entries {
		if e.found == found {
			e.found = false
			kept = append(kept, e)
		}
	}
	if len(kept) < len(t.entries) {
		t.slots = t.slots[:0] // it has numbers of entries that have moved
	}
	t.entries = kept
}

// sorted is the tally as a result, in order.
func (a *Algebra) sorted() Result {
	a.order.sort(&a.tally)
	return Result{a.tally.len(), a.tallied}
}

// tallied gives the tally in order.
func (a *Algebra) tallied(yield func([]byte, float64) bool) {
	for i := range a.tally.len() {
		if !yield(a.order.at(i)) {
			return
		}
	}
}

// unmet gives the members of s that meet did not find.
func (a *Algebra) unmet(s *Set) iter.Seq2[[]byte, float64] {
	return func(yield func([]byte, float64) bool) {
		met, rank := a.met, 0
		for member, score := range s.All() {
			if len(met) > 0 && met[0] == rank {
				met = met[1:]
			} else if !yield(member, score) {
				return
			}
			rank++
		}
	}
}

// woven gives the members of x that meet did not find, weighted, and those of the tally, in one order.
func (a *Algebra) woven(g Aggregate, x Input) iter.Seq2[[]byte, float64] {
	return func(yield func([]byte, float64) bool) {
		next, n := 0, a.tally.len()
		for member, score := range a.unmet(x.Set) {
			score = number(g.weigh(x.Weight, score))
			for ; next < n; next++ {
				m, sc := a.order.at(next)
				if sc > score || sc == score && bytes.Compare(m, member) > 0 {
					break
				}
				if !yield(m, sc) {
					return
				}
			}
			if !yield(member, score) {
				return
			}
		}
		for ; next < n; next++ {
			if !yield(a.order.at(next)) {
				return
			}
		}
	}
}
