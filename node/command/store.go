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
	set, err := zset.Build(c.Env.Tuning(), n, ascending)
	if err != nil {
		c.W.Error("ERR the result does not fit into a sorted set")
		return
	}
	c.W.Int(int64(set.Len()))
	c.Held.Put(key, set)
}
