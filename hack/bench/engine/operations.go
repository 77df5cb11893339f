package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
)

// An operation is something that is done to sets and timed.
type operation struct {
	name  string
	about string
	ranks bool // finds ranks, which some contenders can only by counting
	least int  // members that a set must have
	// run does the operation some times and leaves the sets at their size; it gives the CPU time of the operations alone.
	run func(*subject) (time.Duration, int)
}

const (
	growth     = "grow"
	insert     = "insert"
	update     = "update"
	increment  = "increment"
	score      = "score"
	rank       = "rank"
	rangeRank  = "range of 10 by rank"
	rangeScore = "range of 10 by score"
	popMin     = "pop min"
	removeRun  = "remove range of 100"
	iterate    = "iterate 1000"
	union      = "union 200x400"

	// unionMembers is the size under which the union is filed: that of both sets.
	unionMembers = 600
	// countingLimit is the largest set in which contenders are measured that find ranks by counting.
	countingLimit = 1000
	// preparing bounds what an operation takes in all, in budgets.
	preparing = 5
)

var operations = []operation{
	{insert, "a new member with a random score", false, 1, (*subject).insert},
	{update, "a random member gets a random score, so that it moves", false, 1, (*subject).update},
	{increment, "a random member's score grows by up to a thousandth of the range of scores", false, 1, (*subject).increment},
	{score, "score of a random member", false, 1, (*subject).score},
	{rank, "rank of a random member", true, 1, (*subject).rank},
	{rangeRank, "10 members and scores from a random rank on", true, 10, (*subject).rangeRank},
	{rangeScore, "10 members and scores from a random score on", false, 10, (*subject).rangeScore},
	{popMin, "take out the first member", false, 1, (*subject).popMin},
	{removeRun, "take out 100 members by a range of scores (in a set of 100: all)", false, 100, (*subject).removeRun},
	{iterate, "1,000 members and scores in order from a random score on", false, 1000, (*subject).iterate},
	{union, "a new set of the members of one of 200 and one of 400, 200 in both, scores summed", false, 1000, nil},
}

func operationNames() (names []string) {
	for _, o := range operations {
		names = append(names, o.name)
	}
	return names
}

// sink takes results, so that the compiler cannot leave out what made them.
//
//lint:ignore U1000 for just that
var sink float64

// operations times those that the request asks for, each for the request's budget after a batch to warm up.
func (s *subject) operations(r request) (values []value) {
	for _, o := range operations {
		if len(r.Operations) > 0 && !slices.Contains(r.Operations, o.name) {
			continue
		}
		run, members := o.run, r.Members
		switch {
		case r.Members < o.least, o.ranks && !r.Form.Ranks() && r.Members > countingLimit:
			continue
		case o.name == union:
			if r.Members != o.least || r.Form.Name == contender.Listpack {
				continue // it is of sets of its own, so once is enough
			}
			run, members = newUnions(s), unionMembers
		}
		run(s)
		var took time.Duration
		times := 0
		began := measure.ThreadTime()
		// What is not timed, to prepare and to put back, may take several times as long as what is.
		for took < r.Budget && measure.ThreadTime()-began < preparing*r.Budget {
			t, n := run(s)
			took += t
			times += n
		}
		values = append(values, value{members, o.name, "ns", nanoseconds(took, times)})
	}
	return values
}

// existing prepares operations on random members of random sets.
func (s *subject) existing() *batch {
	b := &s.batch
	b.clear()
	for range batchSize {
		b.add(s.members, s.random.IntN(len(s.sets)), s.random.IntN(s.size), s.random.Float64())
	}
	return b
}

func (s *subject) insert() (time.Duration, int) {
	b := &s.batch
	b.clear()
	for range batchSize {
		b.add(s.members, s.random.IntN(len(s.sets)), s.fresh, s.random.Float64())
		s.fresh++
	}
	took := s.addBatch()
	for i := range b.sets {
		s.sets[b.sets[i]].Remove(b.member(i))
	}
	return took, b.len()
}

func (s *subject) update() (time.Duration, int) {
	s.existing()
	return s.addBatch(), s.batch.len()
}

func (s *subject) increment() (time.Duration, int) {
	b, sets := s.existing(), s.sets
	for i := range b.scores {
		b.scores[i] /= 1000
	}
	began := measure.ThreadTime()
	for i := range b.sets {
		sets[b.sets[i]].Increment(b.member(i), b.scores[i])
	}
	return measure.ThreadTime() - began, b.len()
}

func (s *subject) score() (time.Duration, int) {
	b, sets := s.existing(), s.sets
	began := measure.ThreadTime()
	for i := range b.sets {
		at, _ := sets[b.sets[i]].Score(b.member(i))
		sink += at
	}
	return measure.ThreadTime() - began, b.len()
}

func (s *subject) rank() (time.Duration, int) {
	b, sets := s.existing(), s.sets
	began := measure.ThreadTime()
	for i := range b.sets {
		sink += float64(sets[b.sets[i]].Rank(b.member(i)))
	}
	return measure.ThreadTime() - began, b.len()
}

func (s *subject) rangeRank() (time.Duration, int) {
	b, sets := s.existing(), s.sets
	for i := range b.scores { // here the rank
		b.scores[i] = float64(s.random.IntN(s.size - 9))
	}
	began := measure.ThreadTime()
	for i := range b.sets {
		_, sum := sets[b.sets[i]].SumRanks(int(b.scores[i]), 10)
		sink += sum
	}
	return measure.ThreadTime() - began, b.len()
}

func (s *subject) rangeScore() (time.Duration, int) {
	b, sets := s.existing(), s.sets
	for i := range b.scores { // leave out the end, where there would be fewer than 10
		b.scores[i] *= 1 - 10/float64(s.size)
	}
	began := measure.ThreadTime()
	for i := range b.sets {
		_, sum := sets[b.sets[i]].SumScores(b.scores[i], 10)
		sink += sum
	}
	return measure.ThreadTime() - began, b.len()
}

func (s *subject) iterate() (time.Duration, int) {
	const times, members = 20, 1000
	b, sets := s.existing(), s.sets
	visited := 0
	began := measure.ThreadTime()
	for i := range times {
		n, sum := sets[b.sets[i]].SumScores(b.scores[i]*(1-members/float64(s.size)), members)
		sink += sum
		visited += n
	}
	took := measure.ThreadTime() - began
	// Per thousand, as few sets have exactly as many from there on.
	return took * time.Duration(times*members) / time.Duration(visited), times
}

func (s *subject) popMin() (time.Duration, int) {
	// What will be popped is read first, to be put back.
	b, sets := &s.batch, s.sets
	b.clear()
	first := s.random.IntN(len(sets))
	pops := max(1, min(batchSize, s.size/10))
	count := min(len(sets), batchSize/pops)
	for i := range count {
		set := (first + i) % len(sets)
		sets[set].Visit(math.Inf(-1), pops, func(member []byte, score float64) { b.copy(set, member, score) })
	}
	s.evict()
	began := measure.ThreadTime()
	for i := range count {
		set := sets[(first+i)%len(sets)]
		for range pops {
			score, length := set.PopMin()
			sink += score + float64(length)
		}
	}
	took := measure.ThreadTime() - began
	s.addBatch()
	return took, count * pops
}

// removeRun takes runs of 100 members out of different parts of sets.
func (s *subject) removeRun() (time.Duration, int) {
	const times, run = 50, 100
	type cut struct {
		set       int
		low, high float64
		members   int
	}
	b, sets := &s.batch, s.sets
	b.clear()
	perSet := min(max(1, s.size/2000), times)
	first := s.random.IntN(len(sets))
	var cuts []cut
	for i := range times {
		set, part := (first+i/perSet)%len(sets), i%perSet
		// A part has room for two runs or more, so the cuts of a set do not meet.
		from := (float64(part) + s.random.Float64()/2) / float64(perSet) * (1 - run/float64(s.size))
		if s.size < 2*run {
			from = math.Inf(-1)
		}
		c := cut{set: set, low: from, high: math.Inf(1)}
		seen := 0
		sets[set].Visit(from, run+1, func(member []byte, score float64) {
			if seen++; seen > run {
				c.high = score
				return
			}
			b.copy(set, member, score)
			c.members++
		})
		cuts = append(cuts, c)
	}
	s.evict()
	members := 0
	began := measure.ThreadTime()
	for _, c := range cuts {
		members += sets[c.set].RemoveScores(c.low, c.high)
	}
	took := measure.ThreadTime() - began
	if members != b.len() {
		panic(fmt.Sprintf("%v: removed %d members where there were %d", s.form, members, b.len()))
	}
	s.addBatch()
	return took * time.Duration(times*run) / time.Duration(members), times
}

// newUnions makes pairs of sets to unite.
func newUnions(s *subject) func(*subject) (time.Duration, int) {
	const pairs, small, large = 100, 200, 400
	var smaller, larger [pairs]contender.Set
	var member []byte
	for i := range pairs {
		smaller[i], larger[i] = s.form.New(s.random.Uint64()), s.form.New(s.random.Uint64())
		for j := range large {
			member = s.members.Append(member[:0], j)
			if j < small {
				smaller[i].Add(member, s.random.Float64())
			}
			larger[i].Add(member, s.random.Float64())
		}
	}
	return func(s *subject) (time.Duration, int) {
		var results [pairs]contender.Set
		began := measure.ThreadTime()
		for i := range pairs {
			results[i] = s.form.Union(smaller[i], larger[i], uint64(i))
		}
		took := measure.ThreadTime() - began
		for _, u := range results {
			if u.Len() != large {
				panic(fmt.Sprintf("%v: a union has %d members instead of %d", s.form, u.Len(), large))
			}
			u.Release()
		}
		return took, pairs
	}
}
