package command

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/resp"
)

var bzpopSpecs = []Spec{
	{
		Name: "bzpopmin", Arity: -3, Flags: Write | Fast | Blocking, Keys: keysUpTo(-2, "RW", "access", "delete"), Categories: SortedSet,
		Group: "sorted-set", Since: "5.0.0", Complexity: "O(log N), N members in the set",
		Summary: "Removes the member with the lowest score from the first key that holds any and returns it. Waits for one when none does.",
		Args:    []Arg{keyArg().many(), arg("timeout", "double")},
		Run:     func(c *Call) { bzpop(c, false) },
	},
	{
		Name: "bzpopmax", Arity: -3, Flags: Write | Fast | Blocking, Keys: keysUpTo(-2, "RW", "access", "delete"), Categories: SortedSet,
		Group: "sorted-set", Since: "5.0.0", Complexity: "O(log N), N members in the set",
		Summary: "Removes the member with the highest score from the first key that holds any and returns it. Waits for one when none does.",
		Args:    []Arg{keyArg().many(), arg("timeout", "double")},
		Run:     func(c *Call) { bzpop(c, true) },
	},
	{
		Name: "bzmpop", Arity: -5, Flags: Write | Blocking, Keys: countedKeys(2, "RW", "access", "delete"), Categories: SortedSet,
		Group: "sorted-set", Since: "7.0.0", Complexity: "O(K) + O(M log N), K keys, N members in the set and M popped",
		Summary: "Removes the members with the lowest or highest scores from the first key that holds any, and returns them. Waits for one when none does.",
		Args:    []Arg{arg("timeout", "double"), numKeysArg, keyArg().many(), whereArg, after("COUNT", "count", "integer").optional()},
		Run: func(c *Call) {
			keys, highest, count, ok := c.readPops(2)
			if ok {
				c.popOrWait(keys, pops{highest: highest, count: count, list: true}, c.Args[1])
			}
		},
	},
}

// keysUpTo is the keys from the first word to that one.
func keysUpTo(last int, access string, use ...string) Keys {
	return Keys{{First: 1, Last: last, Step: 1, Access: access, Use: use}}
}

func bzpop(c *Call, highest bool) {
	last := len(c.Args) - 1
	c.popOrWait(c.Args[1:last], pops{highest: highest, count: 1}, c.Args[last])
}

func (c *Call) popOrWait(keys [][]byte, p pops, timeout []byte) {
	limit, err := readTimeout(timeout)
	if err != nil {
		c.W.Error(err.Error())
		return
	}
	if e := c.firstEntry(keys); e != nil {
		c.popFrom(c.W, e, p)
		return
	}
	c.await(keys, p, limit)
}

// pops is what a pop takes and how it answers.
type pops struct {
	highest bool
	count   int
	list    bool // ZMPOP's form: the key and a list of pairs; else key, member and score
}

// popFrom removes members from one end of e's set and answers them.
func (c *Call) popFrom(w *resp.Writer, e *keyspace.Entry, p pops) {
	set := e.Write(c.Env.Tuning())
	last := min(p.count, set.Len()) - 1
	r, members, ev := set.ByRank(0, last), set.Ascend, eventZPopMin
	if p.highest {
		r, members, ev = set.ByRank(-1-last, -1), set.Descend, eventZPopMax
	}
	if p.list {
		w.Array(2)
		w.Bulk(e.Name())
		w.Array(r.Len())
	} else {
		w.Array(3)
		w.Bulk(e.Name())
	}
	for member, score := range members(r) {
		if p.list {
			w.Array(2)
		}
		w.Bulk(member)
		w.Score(score)
	}
	set.RemoveRange(r)
	c.settle(e, ev)
}

var (
	errTimeoutRange    = errors.New("ERR timeout is out of range")
	errTimeoutNegative = errors.New("ERR timeout is negative")
	errTimeoutFloat    = errors.New("ERR timeout is not a float or out of range")
)

// longestWait is what Go's clock can add to a time; it outlives any client.
const longestWait = math.MaxInt64 / 2

// readTimeout reads how long to wait, in seconds; it is rounded up to
// milliseconds, so 0.0001 is no wait without end. 0 is one. Unlike scores,
// timeouts may be hexadecimal, in real servers.
func readTimeout(text []byte) (time.Duration, error) {
	seconds, err := resp.ParseScore(text)
	if err != nil {
		word := strings.ToLower(string(text))
		if strings.HasPrefix(strings.TrimLeft(word, "+-"), "0x") && !strings.Contains(word, "p") {
			word += "p0"
		}
		if strings.ContainsAny(word, "_") {
			return 0, errTimeoutFloat
		}
		seconds, err = strconv.ParseFloat(word, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return 0, errTimeoutRange
		case err != nil || math.IsNaN(seconds):
			return 0, errTimeoutFloat
		}
	}
	millis := math.Ceil(seconds * 1000)
	switch {
	case millis < 0:
		return 0, errTimeoutNegative
	case millis > math.MaxInt64-float64(time.Now().UnixMilli()):
		return 0, errTimeoutRange
	case millis > longestWait/float64(time.Millisecond):
		return longestWait, nil
	}
	return time.Duration(millis) * time.Millisecond, nil
}
