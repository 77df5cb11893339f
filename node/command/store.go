package command

import (
	"iter"
	"strings"

	"zset.dev/operator/node/config"
	"zset.dev/operator/zset"
)

// store lets key hold n members in ascending order, without expiry, and
// answers n. When there are none the key is deleted. Members may come from the
// set that the key holds now: it is replaced only once they have been copied.
func (c *Call) store(key []byte, n int, ascending iter.Seq2[[]byte, float64]) {
	if n == 0 {
		c.drop(key)
		c.W.Int(0)
		return
	}
	if set, ok := c.build(n, ascending); ok {
		c.Held.Put(key, set)
		c.touched(key, storeEvent(c.spec.Name))
		c.W.Int(int64(n))
	}
}

// storeEvent is the event of a command that stores a set.
func storeEvent(command string) event {
	if strings.HasPrefix(command, "georadius") {
		command = "georadiusstore"
	}
	return event{config.EventZSet, command}
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
