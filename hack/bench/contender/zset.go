package contender

import (
	"fmt"
	"math"

	"zset.dev/operator/zset"
)

// engine is a set of this project's.
type engine struct {
	*zset.Set
	tuning *zset.Tuning
}

func newZset(p float64, seed uint64) Set {
	o := zset.DefaultOptions()
	o.P, o.ListpackMaxEntries = p, 0
	return newEngine(o, seed)
}

// newListpack makes sets that are listpacks whatever their size.
func newListpack(_ float64, seed uint64) Set {
	o := zset.DefaultOptions()
	o.ListpackMaxEntries = 1 << 30
	return newEngine(o, seed)
}

// newDefaults makes sets of the default options but for P.
func newDefaults(p float64, seed uint64) Set {
	o := zset.DefaultOptions()
	o.P = p
	return newEngine(o, seed)
}

// tunings has the tunings made so far: sets share one, as in the product.
var tunings = map[zset.Options]*zset.Tuning{}

func newEngine(o zset.Options, seed uint64) Set {
	t := tuning(o)
	return engine{zset.NewSeeded(t, seed), t}
}

func tuning(o zset.Options) *zset.Tuning {
	t := tunings[o]
	if t == nil {
		var err error
		if t, err = zset.NewTuning(o); err != nil {
			panic(err) // the options are this package's or were checked
		}
		tunings[o] = t
	}
	return t
}

func (e engine) Add(member []byte, score float64) { e.add(member, score, 0) }

func (e engine) Increment(member []byte, by float64) { e.add(member, by, zset.Incr) }

func (e engine) add(member []byte, score float64, f zset.AddFlags) {
	if _, _, err := e.Set.Add(member, score, f); err != nil {
		panic(fmt.Sprintf("adding %q with %v: %v", member, score, err))
	}
}

func (e engine) Remove(member []byte) { e.Set.Remove(member) }

func (e engine) Rank(member []byte) int {
	rank, _, _ := e.Set.Rank(member)
	return rank
}

func (e engine) SumRanks(start, count int) (int, float64) {
	return e.sum(e.ByRank(start, start+count-1))
}

func (e engine) SumScores(from float64, count int) (int, float64) {
	return e.sum(e.ByScore(zset.ScoreRange{Min: from, Max: math.Inf(1)}).Limit(0, count))
}

func (e engine) sum(r zset.Range) (n int, total float64) {
	for member, score := range e.Ascend(r) {
		total += sum(float64(len(member)), score)
		n++
	}
	return n, total
}

func (e engine) Visit(from float64, count int, each func(member []byte, score float64)) {
	e.Ascend(e.ByScore(zset.ScoreRange{Min: from, Max: math.Inf(1)}).Limit(0, count))(func(m []byte, s float64) bool {
		each(m, s)
		return true
	})
}

func (e engine) PopMin() (float64, int) {
	member, score, _ := e.At(0)
	n := len(member)
	e.RemoveRange(e.ByRank(0, 0))
	return score, n
}

func (e engine) RemoveScores(low, high float64) int {
	return e.RemoveRange(e.ByScore(zset.ScoreRange{Min: low, Max: high, MaxExclusive: true}))
}

func (e engine) Bytes() int { return e.MemoryUsage() }
