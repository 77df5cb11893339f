package command

import (
	"iter"

	"zset.dev/operator/zset"
)

// store lets key hold n members in ascending order, without expiry, and
// answers n. When there are none the key is deleted. Members may come from the
// set that the key holds now: it is replaced only once they have been copied.
func (c *Call) store(key []byte, n int, ascending iter.Seq2[[]byte, float64]) {
	if n == 0 {
		c.Held.Drop(key)
		c.W.Int(0)
		return
	}
	if set, ok := c.build(n, ascending); ok {
		c.Held.Put(key, set)
		c.W.Int(int64(n))
	}
}

// build makes a set of n members in ascending order, which follows the tuning
// in force. It answers the error itself when there are too many.
func (c *Call) build(n int, ascending iter.Seq2[[]byte, float64]) (*zset.Set, bool) {
	set, err := zset.Build(c.Env.Tuning(), n, ascending)
	if err != nil {
		c.W.Error("ERR the result does not fit into a sorted set")
		return nil, false
	}
	return set, true
}
