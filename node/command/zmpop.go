package command

import (
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/resp"
)

var zmpopSpecs = []Spec{{
	Name: "zmpop", Arity: -4, Flags: Write, Keys: countedKeys(1, "RW", "access", "delete"), Categories: SortedSet,
	Group: "sorted-set", Since: "7.0.0", Complexity: "O(K) + O(M log N), K keys, N members in the set and M popped",
	Summary: "Removes the members with the lowest or highest scores from the first key that holds any, and returns them.",
	Args:    []Arg{numKeysArg, keyArg().many(), whereArg, after("COUNT", "count", "integer").optional()},
	Run:     zmpop,
}}

var whereArg = oneOf("where", token("MIN", "min"), token("MAX", "max"))

func zmpop(c *Call) {
	keys, highest, count, ok := c.readPops(1)
	if !ok {
		return
	}
	if e := c.firstEntry(keys); e != nil {
		c.popFrom(c.W, e, pops{highest: highest, count: count, list: true})
		return
	}
	c.W.NullArray()
}

// readPops reads what ZMPOP and BZMPOP say from the count of keys in argument
// at on.
func (c *Call) readPops(at int) (keys [][]byte, highest bool, count int, ok bool) {
	keys, rest, ok := c.readKeys(at, "ERR numkeys should be greater than 0")
	if !ok {
		return nil, false, 0, false
	}
	count = 1
	switch {
	case len(rest) != 1 && len(rest) != 3, len(rest) == 3 && !is(rest[1], "COUNT"):
		ok = false
	case is(rest[0], "MAX"):
		highest = true
	case !is(rest[0], "MIN"):
		ok = false
	}
	if !ok {
		c.W.Error(errSyntax)
		return nil, false, 0, false
	}
	if len(rest) == 3 {
		n, ok := resp.ParseInt(rest[2])
		if !ok || n < 1 {
			c.W.Error("ERR count should be greater than 0")
			return nil, false, 0, false
		}
		count = clampInt(n)
	}
	return keys, highest, count, true
}

// firstEntry is the first of keys that holds a set, nil when none does.
func (c *Call) firstEntry(keys [][]byte) *keyspace.Entry {
	for _, key := range keys {
		if e := c.Held.Find(key); e != nil {
			return e
		}
	}
	return nil
}
