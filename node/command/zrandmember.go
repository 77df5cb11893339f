package command

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

var zrandmemberSpecs = []Spec{{
	Name: "zrandmember", Arity: -2, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: SortedSet,
	Tips:  []string{"nondeterministic_output"},
	Group: "sorted-set", Since: "6.2.0", Complexity: "O(K log N), K members returned of a set of N",
	Summary: "Returns random members.",
	Args: []Arg{
		keyArg(), block("options", arg("count", "integer"), withScoresArg).optional(),
	},
	Run: zrandmember,
}}

// zrandmember answers one member; or, with a count, so many distinct members,
// each selection equally likely, in the order of the set; or, with a negative
// count, so many draws, each independent of the others.
func zrandmember(c *Call) {
	withScores := false
	switch {
	case len(c.Args) == 2:
		if set := c.findSet(); set != nil {
			member, _, _ := set.At(c.Rng.IntN(set.Len()))
			c.W.Bulk(member)
			return
		}
		c.W.Null()
		return
	case len(c.Args) > 4 || len(c.Args) == 4 && !is(c.Args[3], "WITHSCORES"):
		// The count comes first in the order of complaints.
	case len(c.Args) == 4:
		withScores = true
	}
	count, ok := resp.ParseInt(c.Args[2])
	switch {
	case !ok:
		c.W.Error(errNotInteger)
		return
	case count == math.MinInt64:
		c.W.Error("ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807")
		return
	case len(c.Args) > 3 && !withScores:
		c.W.Error(errSyntax)
		return
	case withScores && (count > math.MaxInt64/2 || count < -(math.MaxInt64/2)):
		c.W.Error("ERR value is out of range")
		return
	}
	set := c.findSet()
	switch {
	case set == nil || count == 0:
		c.W.Array(0)
	case count < 0:
		c.drawMembers(set, -count, withScores)
	case count >= int64(set.Len()):
		c.replyMembers(set, set.ByRank(0, -1), false, withScores)
	default:
		c.selectMembers(set, int(count), withScores)
	}
}

// drawMost bounds the bytes one reply of draws may come to when the client's
// output is not limited: the reply is made in memory before it leaves.
const drawMost = 512 << 20

// drawMembers answers count independent draws. What cannot be sent is not
// produced: the reply ends where the connection will be closed for its size.
func (c *Call) drawMembers(set *zset.Set, count int64, withScores bool) {
	const framing = 16 // of a short member
	if each := int64(set.MemoryUsage()/set.Len() + framing); c.OutputLimit == 0 && count > drawMost/each {
		c.W.Error("ERR value is out of range")
		return
	}
	c.startMembers(int(count), withScores)
	for ; count > 0 && !c.full(); count-- {
		member, score, _ := set.At(c.Rng.IntN(set.Len()))
		c.replyMember(member, score, withScores)
	}
}

// selectMembers answers count distinct members of more than count.
func (c *Call) selectMembers(set *zset.Set, count int, withScores bool) {
	c.startMembers(count, withScores)
	ranks := selectRanks(c.Rng, set.Len(), count)
	// Where many are wanted a walk is cheaper than a search for each.
	const walk = 8
	if count < set.Len()/walk {
		ranks.each(func(rank int) bool {
			member, score, _ := set.At(rank)
			c.replyMember(member, score, withScores)
			return !c.full()
		})
		return
	}
	rank := 0
	for member, score := range set.All() {
		if ranks.has(rank) {
			c.replyMember(member, score, withScores)
			if c.full() {
				return
			}
		}
		rank++
	}
}

// rankSet is distinct ranks: a few as a sorted list, more as a bit for each
// rank there is, an eighth of a byte for each member of the set.
type rankSet struct {
	list []int
	bits []uint64
}

// fewRanks is how many a list is searched through for.
const fewRanks = 64

// selectRanks draws k distinct numbers below n, k <= n, each selection equally
// likely. This is Floyd's algorithm (Bentley and Floyd, "A sample of
// brilliance", Communications of the ACM 30(9), 1987): k draws, none repeated.
func selectRanks(rng *rand.Rand, n, k int) *rankSet {
	s := &rankSet{}
	if k > fewRanks {
		s.bits = make([]uint64, (n+63)/64)
	}
	for top := n - k; top < n; top++ {
		if drawn := rng.IntN(top + 1); !s.has(drawn) {
			s.add(drawn)
		} else {
			s.add(top)
		}
	}
	slices.Sort(s.list)
	return s
}

func (s *rankSet) has(rank int) bool {
	if s.bits == nil {
		return slices.Contains(s.list, rank)
	}
	return s.bits[rank/64]&(1<<(rank%64)) != 0
}

func (s *rankSet) add(rank int) {
	if s.bits == nil {
		s.list = append(s.list, rank)
		return
	}
	s.bits[rank/64] |= 1 << (rank % 64)
}

// each calls yield for the ranks in ascending order until it returns false.
func (s *rankSet) each(yield func(rank int) bool) {
	for _, rank := range s.list {
		if !yield(rank) {
			return
		}
	}
	for i, word := range s.bits {
		for ; word != 0; word &= word - 1 {
			if !yield(64*i + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}
