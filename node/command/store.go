package command

import (
	"errors"
	"iter"
	"strings"

	"zset.dev/operator/node/config"
	"zset.dev/operator/node/keyspace"
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
		if _, err := c.Held.Put(key, set, 0); err != nil {
			c.W.Error(errNoMemory)
			return
		}
		c.touched(key, storeEvent(c.spec.Name))
		c.W.Int(int64(n))
	}
}

// putNew lets key hold what put puts there, as a key that is new to whoever
// hears of events even where it replaces another. It answers the error itself
// when there is no memory; then nothing has changed.
func (c *Call) putNew(key []byte, put func() (*keyspace.Entry, error)) (*keyspace.Entry, bool) {
	replaces := c.Held.Peek(key) != nil
	e, err := put()
	if err != nil {
		c.W.Error(errNoMemory)
		return nil, false
	}
	if replaces {
		keyObserver{c.Env}.Created(key)
	}
	return e, true
}

// storeEvent is the event of a command that stores a set.
func storeEvent(command string) event {
	if strings.HasPrefix(command, "georadius") {
		command = "georadiusstore"
	}
	return event{config.EventZSet, command}
}

// build makes a set of n members in ascending order, which follows the tuning
// in force. It answers the error itself when there are too many, or no memory.
func (c *Call) build(n int, ascending iter.Seq2[[]byte, float64]) (*zset.Set, bool) {
	set, err := zset.BuildIn(c.Env.Keyspace.Memory(), c.Env.Tuning(), n, ascending)
	if errors.Is(err, zset.ErrFull) {
		c.W.Error(errNoMemory)
		return nil, false
	}
	if err != nil {
		c.W.Error("ERR the result does not fit into a sorted set")
		return nil, false
	}
	return set, true
}
