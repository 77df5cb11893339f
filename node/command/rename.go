package command

import (
	"bytes"

	"zset.dev/operator/node/keyspace"
)

var renameSpecs = []Spec{
	{
		Name: "rename", Arity: 3, Flags: Write, Keys: oneKey("RW", "access", "delete").and(keyAt(2, "OW", "update")), Categories: Keyspace,
		Group: "generic", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Renames a key, over one that is there.",
		Args:    []Arg{keyArg(), {Name: "newkey", Type: "key", KeyPart: 1}},
		Run:     func(c *Call) { rename(c, true) },
	},
	{
		Name: "renamenx", Arity: 3, Flags: Write | Fast, Keys: oneKey("RW", "access", "delete").and(keyAt(2, "OW", "insert")), Categories: Keyspace,
		Group: "generic", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Renames a key, unless the new name is in use.",
		Args:    []Arg{keyArg(), {Name: "newkey", Type: "key", KeyPart: 1}},
		Run:     func(c *Call) { rename(c, false) },
	},
	{
		Name: "copy", Arity: -3, Flags: Write | DenyOOM, Keys: oneKey("RO", "access").and(keyAt(2, "OW", "update")), Categories: Keyspace,
		Group: "generic", Since: "6.2.0", Complexity: "O(N), N members in the set",
		Summary: "Copies what a key holds, with its expiry, to another key.",
		Differs: "There is one database, so DB takes 0 only.",
		Args: []Arg{
			{Name: "source", Type: "key"}, {Name: "destination", Type: "key", KeyPart: 1},
			after("DB", "destination-db", "integer").optional(), token("REPLACE", "replace").optional(),
		},
		Run: copyKey,
	},
}

// rename does RENAME, which answers OK, and, not over an existing key,
// RENAMENX, which answers whether it did.
func rename(c *Call, over bool) {
	e := c.find()
	to := c.Args[2]
	switch {
	case e == nil:
		c.W.Error(errNoKey)
		return
	case !over && c.Held.Find(to) != nil:
		c.W.Int(0)
		return
	}
	if !bytes.Equal(c.Args[1], to) {
		if c.Held.Rename(e, to) != nil {
			c.W.Error(errNoMemory)
			return
		}
		c.touched(c.Args[1], eventRenameFrom)
		c.touched(to, eventRenameTo)
	}
	if over {
		c.ok()
		return
	}
	c.W.Int(1)
}

func copyKey(c *Call) {
	replace := false
	rest := c.Args[3:]
	for len(rest) > 0 {
		switch {
		case is(rest[0], "REPLACE"):
			replace = true
			rest = rest[1:]
		case is(rest[0], "DB") && len(rest) > 1:
			if !c.onlyDatabase(rest[1]) {
				return
			}
			rest = rest[2:]
		default:
			c.W.Error(errSyntax)
			return
		}
	}
	from, to := c.Args[1], c.Args[2]
	if bytes.Equal(from, to) {
		c.W.Error(errSameObject)
		return
	}
	e := c.Held.Find(from)
	if e == nil || !replace && c.Held.Find(to) != nil {
		c.W.Int(0)
		return
	}
	set, err := e.Set().CloneIn(c.Env.Keyspace.Memory(), c.Env.Tuning())
	if err != nil {
		c.W.Error(errNoMemory)
		return
	}
	if _, ok := c.putNew(to, func() (*keyspace.Entry, error) { return c.Held.Copy(e, to, set) }); ok {
		c.touched(to, eventCopyTo)
		c.W.Int(1)
	}
}
