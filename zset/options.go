package zset

import (
	"fmt"
	"math"
)

// Limits of Options. A P above 3/4 would put so many towers on so few members that a search pays more for
// walking each level than it saves; a list of more than 2^64 members cannot exist, so neither can a use for
// more than 64 levels.
const (
	maxP        = 0.75
	levelsLimit = 64
	// A block says in a byte how many members it has, which may be a few more than asked for.
	leastBlockEntries, mostBlockEntries, defaultBlockEntries = 4, 240, 64
)

// Options are the knobs of a set. They are given as a whole and checked once, by NewTuning.
type Options struct {
	// P is the share of skip-list towers that reach from one level to the next, 0 < P <= 0.75.
	// Smaller is more compact, larger has shorter searches, up to about 1/e; a tower has 1/(1-P) links on average.
	// Each tower stands on a block of members.
	P float64
	// MaxLevel caps the height of a tower, 1 to 64.
	MaxLevel int
	// BlockEntries is how many members next to each other in order share a node of the skip list, 4 to 240, rounded
	// up to whole cache lines; 0 stands for 64. More is more compact, and makes inserts in large sets slower.
	BlockEntries int
	// ListpackMaxEntries is how many members a set may have and stay a listpack; 0 means it never is one.
	ListpackMaxEntries int
	// ListpackMaxValueBytes is the longest member, in bytes, that a listpack may be given.
	ListpackMaxValueBytes int
}

// DefaultOptions are the values in force where nothing else was said: P = 1/e, 32 levels, blocks of 64
// members, listpacks of up to 128 members of up to 64 bytes.
func DefaultOptions() Options {
	return Options{P: 1 / math.E, MaxLevel: 32, BlockEntries: defaultBlockEntries, ListpackMaxEntries: 128, ListpackMaxValueBytes: 64}
}

// Tuning is a checked set of Options in the form that sets work with. It never changes, so any number of
// sets and goroutines may share one.
type Tuning struct {
	options Options
	// reach[i] is P^(i+1) as a share of 2^64: a uniform 64-bit draw below it gives a tower more than i+1
	// levels. One draw decides a whole tower.
	reach []uint64
}

// defaultTuning is what a nil *Tuning stands for. It is never written after the package's start.
var defaultTuning = newTuning(DefaultOptions())

// NewTuning checks o. Its errors name the option and what is allowed.
func NewTuning(o Options) (*Tuning, error) {
	switch {
	case !(o.P > 0 && o.P <= maxP): // in this form NaN is refused too
		return nil, fmt.Errorf("zset: P must be greater than 0 and at most %v, got %v", maxP, o.P)
	case o.MaxLevel < 1 || o.MaxLevel > levelsLimit:
		return nil, fmt.Errorf("zset: MaxLevel must be from 1 to %d, got %d", levelsLimit, o.MaxLevel)
	case o.BlockEntries != 0 && (o.BlockEntries < leastBlockEntries || o.BlockEntries > mostBlockEntries):
		return nil, fmt.Errorf("zset: BlockEntries must be from %d to %d, or 0 for %d, got %d",
			leastBlockEntries, mostBlockEntries, defaultBlockEntries, o.BlockEntries)
	case o.ListpackMaxEntries < 0:
		return nil, fmt.Errorf("zset: ListpackMaxEntries must be 0 (never a listpack) or more, got %d", o.ListpackMaxEntries)
	case o.ListpackMaxValueBytes < 0:
		return nil, fmt.Errorf("zset: ListpackMaxValueBytes must be 0 or more, got %d", o.ListpackMaxValueBytes)
	}
	return newTuning(o), nil
}

func newTuning(o Options) *Tuning {
	if o.BlockEntries == 0 {
		o.BlockEntries = defaultBlockEntries
	}
	t := &Tuning{options: o}
	share := 1.0
	for len(t.reach) < o.MaxLevel-1 {
		share *= o.P
		threshold := uint64(math.Ldexp(share, 64))
		if threshold == 0 {
			break // rarer than one tower in 2^64: never
		}
		t.reach = append(t.reach, threshold)
	}
	return t
}

// Options returns what t was made from; those of a nil Tuning are the defaults.
func (t *Tuning) Options() Options { return t.orDefault().options }

func (t *Tuning) orDefault() *Tuning {
	if t == nil {
		return defaultTuning
	}
	return t
}

// level turns 64 uniform random bits into the height of a tower: more than k levels with probability P^k.
func (t *Tuning) level(random uint64) int {
	level := 1
	for _, threshold := range t.reach {
		if random >= threshold {
			break
		}
		level++
	}
	return level
}
