package command

import (
	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

var zaddSpecs = []Spec{
	{
		Name: "zadd", Arity: -4, Member: -1, Flags: Write | DenyOOM | Fast, Keys: oneKey("RW", "update"), Categories: SortedSet,
		Group: "sorted-set", Since: "1.2.0", Complexity: "O(log N) for each member, N members in the set",
		Summary: "Adds members to a sorted set, or changes their scores. Creates the key if it is missing.",
		Args: []Arg{
			keyArg(),
			oneOf("condition", token("NX", "nx"), token("XX", "xx")).optional().since("3.0.2"),
			oneOf("comparison", token("GT", "gt"), token("LT", "lt")).optional().since("6.2.0"),
			token("CH", "change").optional().since("3.0.2"),
			token("INCR", "increment").optional().since("3.0.2"),
			block("data", arg("score", "double"), arg("member", "string")).many(),
		},
		Run: zadd,
	},
	{
		Name: "zincrby", Arity: 4, Member: -1, Flags: Write | DenyOOM | Fast, Keys: oneKey("RW", "access", "update"), Categories: SortedSet,
		Group: "sorted-set", Since: "1.2.0", Complexity: "O(log N), N members in the set",
		Summary: "Adds to the score of a member, which counts as 0 when it is missing.",
		Args:    []Arg{keyArg(), arg("increment", "integer"), arg("member", "string")},
		Run:     zincrby,
	},
}

// zincrby is ZADD INCR without options: a word that would be one is a mistake
// in the form of the command, not in the number.
func zincrby(c *Call) {
	if _, _, option := addOption(c.Args[2]); option {
		c.W.Error(errSyntax)
		return
	}
	c.addScores(zset.Incr, false, c.Args[2:])
}

// addOption is the flag an option of ZADD stands for; CH has none.
func addOption(a []byte) (flag zset.AddFlags, changed, ok bool) {
	if len(a) < 2 || a[0] < 'A' { // what begins as numbers do
		return 0, false, false
	}
	switch {
	case is(a, "NX"):
		return zset.NX, false, true
	case is(a, "XX"):
		return zset.XX, false, true
	case is(a, "GT"):
		return zset.GT, false, true
	case is(a, "LT"):
		return zset.LT, false, true
	case is(a, "INCR"):
		return zset.Incr, false, true
	case is(a, "CH"):
		return 0, true, true
	}
	return 0, false, false
}

func zadd(c *Call) {
	var flags zset.AddFlags
	changed := false
	i := 2
	for ; i < len(c.Args); i++ {
		flag, ch, ok := addOption(c.Args[i])
		if !ok {
			break
		}
		flags |= flag
		changed = changed || ch
	}
	pairs := c.Args[i:]
	switch {
	case len(pairs) == 0 || len(pairs)%2 != 0:
		c.W.Error(errSyntax)
	case flags&zset.NX != 0 && flags&zset.XX != 0:
		c.W.Error("ERR XX and NX options at the same time are not compatible")
	case flags&zset.GT != 0 && flags&(zset.NX|zset.LT) != 0, flags&zset.LT != 0 && flags&zset.NX != 0:
		c.W.Error("ERR GT, LT, and/or NX options at the same time are not compatible")
	case flags&zset.Incr != 0 && len(pairs) > 2:
		c.W.Error("ERR INCR option supports a single increment-element pair")
	default:
		c.addScores(flags, changed, pairs)
	}
}

// addScores does ZADD and ZINCRBY once their options are read. It answers the
// count of added members (with changed, of changed ones too), or the new
// score with Incr.
func (c *Call) addScores(flags zset.AddFlags, changed bool, pairs [][]byte) {
	// All scores are read before anything is done: one bad among many
	// changes nothing.
	scores := c.scores[:0]
	journals, own := c.Held.Journals(), uint64(0)
	for i := 0; i < len(pairs); i += 2 {
		score, exact, err := resp.ParseScoreText(pairs[i], journals)
		if err != nil {
			c.W.Error(err.Error())
			return
		}
		if exact {
			own |= 1 << (i / 2)
		}
		scores = append(scores, score)
	}
	c.keepScores(scores)
	c.addMembers(flags, changed, scores, pairs, own)
}

// addMembers adds a member with each of scores. words has the members, each
// at the end of a group of as many words as go with a score. Of the first 64
// scores those whose bit is set in own begin their group, in just the text that
// they are logged with.
func (c *Call) addMembers(flags zset.AddFlags, changed bool, scores []float64, words [][]byte, own uint64) {
	group := len(words) / len(scores)
	member := func(i int) []byte { return words[group*i+group-1] }
	e := c.find()
	created := e == nil // then undoing is to remove
	if created {
		if flags&zset.XX != 0 {
			c.replyAdded(flags, 0, 0, false)
			return
		}
		var err error
		if e, err = c.Held.Create(c.Args[1], c.listpackRoom(scores, member)); err != nil {
			c.W.Error(errNoMemory)
			return
		}
	}
	set := e.Write(c.Env.Tuning())
	count := int64(0)
	var last float64
	var done, touched bool
	undo := c.undo[:0]
	for i, score := range scores {
		if i+1 < len(scores) {
			undo = append(undo, undone{})
			if !created {
				undo[i].score, undo[i].known = set.Score(member(i))
			}
		}
		if own>>i&1 != 0 {
			c.Held.Given(words[group*i], score)
		}
		now, result, err := set.Add(member(i), score, flags)
		if err == zset.ErrFull {
			undoAdds(set, undo[:i], member)
			c.Held.Settle(e)
			c.W.Error(errNoMemory)
			return
		}
		if err != nil {
			c.Held.Settle(e)
			c.W.Error(errNaN)
			return
		}
		if result == zset.Added || changed && result == zset.Updated {
			count++
		}
		last, done = now, result != zset.Skipped
		touched = touched || result == zset.Added || result == zset.Updated
	}
	c.keepUndo(undo)
	switch {
	case !touched:
		c.Held.Settle(e)
	case flags&zset.Incr != 0:
		c.settle(e, eventZIncr)
	default:
		c.settle(e, eventZAdd)
	}
	c.replyAdded(flags, count, last, done)
}

// listpackRoom is the bytes that members take which are to be a new set, if
// that is a listpack; else 0.
func (c *Call) listpackRoom(scores []float64, member func(int) []byte) int {
	o := c.Env.Tuning().Options()
	if len(scores) > o.ListpackMaxEntries {
		return 0
	}
	room := zset.PackedHead
	for i, score := range scores {
		if len(member(i)) > o.ListpackMaxValueBytes {
			return 0
		}
		room += zset.PackedSize(member(i), score)
	}
	return room
}

// undone is what a member was before it was added.
type undone struct {
	score float64
	known bool // it had that score; else it was not there
}

// undoAdds lets members be again what they were, the last first: so each finds
// the memory it had.
func undoAdds(set *zset.Set, undo []undone, member func(int) []byte) {
	for i := len(undo) - 1; i >= 0; i-- {
		if undo[i].known {
			set.Add(member(i), undo[i].score, 0)
		} else {
			set.Remove(member(i))
		}
	}
}

// keepUndo keeps the memory for the next call, unless it is large.
func (c *Call) keepUndo(undo []undone) {
	if cap(undo) <= scoresKept {
		c.undo = undo
	}
}

func (c *Call) replyAdded(flags zset.AddFlags, count int64, score float64, done bool) {
	switch {
	case flags&zset.Incr == 0:
		c.W.Int(count)
	case done:
		c.W.Score(score)
	default:
		c.W.Null()
	}
}

// scoresKept is how many scores a client keeps memory for.
const scoresKept = 1024

// keepScores keeps the memory of scores for the next call, unless it is large.
func (c *Call) keepScores(scores []float64) {
	if cap(scores) <= scoresKept {
		c.scores = scores
	}
}
