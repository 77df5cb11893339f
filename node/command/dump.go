package command

import (
	"errors"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

var dumpSpecs = []Spec{
	{
		Name: "dump", Arity: 2, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: Keyspace,
		Tips:  []string{"nondeterministic_output"},
		Group: "generic", Since: "2.6.0", Complexity: "O(N), N members in the set",
		Summary: "Returns what a key holds as a payload for RESTORE.",
		Args:    []Arg{keyArg()},
		Run:     dump,
	},
	{
		Name: "restore", Arity: -4, Flags: Write | DenyOOM, Keys: oneKey("OW", "update"), Categories: Keyspace | Dangerous,
		Group: "generic", Since: "2.6.0", Complexity: "O(N log N), N members in the set",
		Summary: "Lets a key hold what a payload of DUMP has, be it of this server or of another.",
		Differs: "A payload of another type than a sorted set is refused.",
		Args: []Arg{
			keyArg(), arg("ttl", "integer"), arg("serialized-value", "string"),
			token("REPLACE", "replace").optional().since("3.0.0"), token("ABSTTL", "absttl").optional().since("5.0.0"),
			after("IDLETIME", "seconds", "integer").optional().since("5.0.0"), after("FREQ", "frequency", "integer").optional().since("5.0.0"),
		},
		Run: restore,
	},
}

func dump(c *Call) {
	set := c.findSet()
	if set == nil {
		c.W.Null()
		return
	}
	c.W.Bulk(rdb.Append(nil, set))
}

// restoreOptions is what follows the payload of RESTORE.
type restoreOptions struct {
	replace, absolute bool
	idle              int64 // seconds; -1 when not given
	frequency         int64 // 0 to 255; -1 when not given
}

// readRestore reads what follows the payload.
func (c *Call) readRestore() (o restoreOptions, ok bool) {
	o.idle, o.frequency = -1, -1
	rest := c.Args[4:]
	for ; len(rest) > 0; rest = rest[1:] {
		switch follows := len(rest) > 1; {
		case is(rest[0], "REPLACE"):
			o.replace = true
		case is(rest[0], "ABSTTL"):
			o.absolute = true
		case is(rest[0], "IDLETIME") && follows && o.frequency < 0:
			n, isInt := resp.ParseInt(rest[1])
			if !isInt {
				c.W.Error(errNotInteger)
				return o, false
			}
			if n < 0 {
				c.W.Error("ERR Invalid IDLETIME value, must be >= 0")
				return o, false
			}
			o.idle = n
			rest = rest[1:]
		case is(rest[0], "FREQ") && follows && o.idle < 0:
			n, isInt := resp.ParseInt(rest[1])
			if !isInt {
				c.W.Error(errNotInteger)
				return o, false
			}
			if n < 0 || n > 255 {
				c.W.Error("ERR Invalid FREQ value, must be >= 0 and <= 255")
				return o, false
			}
			o.frequency = n
			rest = rest[1:]
		default:
			c.W.Error(errSyntax)
			return o, false
		}
	}
	return o, true
}

func restore(c *Call) {
	o, ok := c.readRestore()
	if !ok {
		return
	}
	if !o.replace && c.find() != nil {
		c.W.Error("BUSYKEY Target key name already exists.")
		return
	}
	at, ok := c.integer(2)
	if !ok {
		return
	}
	if at < 0 {
		c.W.Error("ERR Invalid TTL value, must be >= 0")
		return
	}
	set, err := rdb.Read(c.Args[3], c.Env.Keyspace.Memory(), c.Env.Tuning())
	if err != nil {
		c.W.Error(restoreError(err))
		return
	}
	if at != 0 && !o.absolute {
		if at, ok = expiryTime(at, milliseconds, c.now); !ok {
			at = 1 // so far away that it has come round: what servers do
		}
	}
	if at != 0 && c.past(at) {
		set.Release()
		c.drop(c.Args[1])
	} else {
		e, ok := c.putNew(c.Args[1], func() (*keyspace.Entry, error) { return c.Held.Put(c.Args[1], set, at) })
		if !ok {
			return
		}
		switch counts := c.countsUses(); {
		case counts && o.frequency >= 0:
			e.SetFrequency(c.now, uint8(o.frequency))
		case !counts && o.idle >= 0:
			e.SetIdle(c.now, o.idle)
		}
		c.touched(c.Args[1], eventRestore)
	}
	c.ok()
}

func restoreError(err error) string {
	var other rdb.OtherTypeError
	switch {
	case errors.As(err, &other):
		return "ERR the payload holds a " + string(other) + ": this server holds sorted sets only"
	case errors.Is(err, zset.ErrFull):
		return errNoMemory
	case errors.Is(err, rdb.ErrFooter):
		return "ERR DUMP payload version or checksum are wrong"
	}
	return "ERR Bad data format"
}
