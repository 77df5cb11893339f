package main

import (
	"math/rand/v2"
	"time"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/workload"
)

// leastTotal is how many members there are at least in all. Sets smaller than this come in numbers, as they do
// in a server, and operations pick among them at random; otherwise a small set would be measured as it is
// when nothing else has been touched for a long time.
const leastTotal = 100_000

// A subject is the sets that a child process measures, each of the same size. Member numbers from 0 to size-1 are
// in every set.
type subject struct {
	form    contender.Form
	sets    []contender.Set
	size    int
	random  *rand.Rand
	members workload.Members
	fresh   int // the next member number that is in no set
	batch   batch
	sweep   []byte // read through to put a set out of the nearer caches
}

func newSubject(r request) *subject {
	s := &subject{
		form:    r.Form,
		size:    r.Members,
		random:  workload.Random(r.Seed),
		members: workload.NewMembers(r.MemberBytes),
		fresh:   r.Members,
		sweep:   make([]byte, 4<<20),
	}
	if r.Members >= 1_000_000 {
		s.sweep = make([]byte, 64<<20)
	}
	s.batch.make(s.members.Size())
	s.sets = make([]contender.Set, max(1, leastTotal/s.size))
	for i := range s.sets {
		s.sets[i] = s.form.New(s.random.Uint64())
	}
	return s
}

// total is the number of members in all.
func (s *subject) total() int { return s.size * len(s.sets) }

func (s *subject) release() {
	for _, set := range s.sets {
		set.Release()
	}
}

// build puts all members in, one into each set in turn, and gives the CPU time that took without making them.
func (s *subject) build(order workload.Order) (took time.Duration) {
	total := s.total()
	for done := 0; done < total; {
		s.batch.clear()
		for ; s.batch.len() < batchSize && done < total; done++ {
			number := done / len(s.sets)
			s.batch.add(s.members, done%len(s.sets), number, order.Score(s.random, number, s.size))
		}
		took += s.addBatch()
	}
	return took
}

// addBatch adds what the batch has and times it.
func (s *subject) addBatch() time.Duration {
	b, sets := &s.batch, s.sets
	began := measure.ThreadTime()
	for i := range b.sets {
		sets[b.sets[i]].Add(b.member(i), b.scores[i])
	}
	return measure.ThreadTime() - began
}

// evict reads through enough memory to put the sets out of the nearer caches, where the untimed preparation of an
// operation has just brought what it is about to touch.
func (s *subject) evict() {
	for i := 0; i < len(s.sweep); i += 64 {
		s.sweep[i]++
	}
}

// memory gives the bytes per member beside its own, by the sets' own account or the heap's growth, and by that of the
// process.
func (s *subject) memory(grown measure.Memory) (held, resident float64) {
	bytes := grown.Heap
	if s.form.Accounts() {
		bytes = 0
		for _, set := range s.sets {
			bytes += set.Bytes()
		}
	}
	n, own := float64(s.total()), float64(s.members.Size())
	return float64(bytes)/n - own, float64(grown.Resident)/n - own
}

// measureSets builds sets and measures their memory, and the operations if the request is for them.
func measureSets(r request) ([]value, error) {
	s := newSubject(r)
	s.evict() // the pages of all that is not to be measured are there before it begins
	before := measure.Settled()
	took := s.build(r.Order)
	held1, resident := s.memory(measure.Settled().Since(before))
	values := []value{
		{r.Members, held(bytesHeld, r.Order), "B", held1},
		{r.Members, held(bytesResident, r.Order), "B", resident},
		{r.Members, held(growth, r.Order), "ns", nanoseconds(took, s.total())},
	}
	if r.Kind == operationTimes {
		values = append(values, s.operations(r)...)
	}
	s.release()
	return values, nil
}

func nanoseconds(took time.Duration, operations int) float64 {
	return float64(took.Nanoseconds()) / float64(operations)
}
