package command

import "math"

var expirySpecs = []Spec{
	{
		Name: "expire", Arity: -3, Flags: Write | Fast, Keys: oneKey("RW", "update"), Categories: Keyspace,
		Group: "generic", Since: "1.0.0", Complexity: "O(log N), N keys with an expiry",
		Summary: "Lets a key expire after a number of seconds.",
		Args:    []Arg{keyArg(), arg("seconds", "integer"), expiryCondition},
		Run:     func(c *Call) { expire(c, seconds, false) },
	},
	{
		Name: "pexpire", Arity: -3, Flags: Write | Fast, Keys: oneKey("RW", "update"), Categories: Keyspace,
		Group: "generic", Since: "2.6.0", Complexity: "O(log N), N keys with an expiry",
		Summary: "Lets a key expire after a number of milliseconds.",
		Args:    []Arg{keyArg(), arg("milliseconds", "integer"), expiryCondition},
		Run:     func(c *Call) { expire(c, milliseconds, false) },
	},
	{
		Name: "expireat", Arity: -3, Flags: Write | Fast, Keys: oneKey("RW", "update"), Categories: Keyspace,
		Group: "generic", Since: "1.2.0", Complexity: "O(log N), N keys with an expiry",
		Summary: "Lets a key expire at a Unix time in seconds.",
		Args:    []Arg{keyArg(), arg("unix-time-seconds", "unix-time"), expiryCondition},
		Run:     func(c *Call) { expire(c, seconds, true) },
	},
	{
		Name: "pexpireat", Arity: -3, Flags: Write | Fast, Keys: oneKey("RW", "update"), Categories: Keyspace,
		Group: "generic", Since: "2.6.0", Complexity: "O(log N), N keys with an expiry",
		Summary: "Lets a key expire at a Unix time in milliseconds.",
		Args:    []Arg{keyArg(), arg("unix-time-milliseconds", "unix-time"), expiryCondition},
		Run:     func(c *Call) { expire(c, milliseconds, true) },
	},
	{
		Name: "ttl", Arity: 2, Flags: ReadOnly | Fast, Quiet: true, Keys: oneKey("RO", "access"), Categories: Keyspace,
		Tips:  []string{"nondeterministic_output"},
		Group: "generic", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Returns the seconds until a key expires.",
		Args:    []Arg{keyArg()},
		Run:     func(c *Call) { ttl(c, seconds, false) },
	},
	{
		Name: "pttl", Arity: 2, Flags: ReadOnly | Fast, Quiet: true, Keys: oneKey("RO", "access"), Categories: Keyspace,
		Tips:  []string{"nondeterministic_output"},
		Group: "generic", Since: "2.6.0", Complexity: "O(1)",
		Summary: "Returns the milliseconds until a key expires.",
		Args:    []Arg{keyArg()},
		Run:     func(c *Call) { ttl(c, milliseconds, false) },
	},
	{
		Name: "expiretime", Arity: 2, Flags: ReadOnly | Fast, Quiet: true, Keys: oneKey("RO", "access"), Categories: Keyspace,
		Group: "generic", Since: "7.0.0", Complexity: "O(1)",
		Summary: "Returns the Unix time in seconds at which a key expires.",
		Args:    []Arg{keyArg()},
		Run:     func(c *Call) { ttl(c, seconds, true) },
	},
	{
		Name: "pexpiretime", Arity: 2, Flags: ReadOnly | Fast, Quiet: true, Keys: oneKey("RO", "access"), Categories: Keyspace,
		Group: "generic", Since: "7.0.0", Complexity: "O(1)",
		Summary: "Returns the Unix time in milliseconds at which a key expires.",
		Args:    []Arg{keyArg()},
		Run:     func(c *Call) { ttl(c, milliseconds, true) },
	},
	{
		Name: "persist", Arity: 2, Flags: Write | Fast, Keys: oneKey("RW", "update"), Categories: Keyspace,
		Group: "generic", Since: "2.2.0", Complexity: "O(log N), N keys with an expiry",
		Summary: "Takes the expiry off a key.",
		Args:    []Arg{keyArg()},
		Run:     keepForEver,
	},
}

var expiryCondition = oneOf("condition", token("NX", "nx"), token("XX", "xx"), token("GT", "gt"), token("LT", "lt")).optional().since("7.0.0")

// The units of times, in milliseconds.
const (
	milliseconds = 1
	seconds      = 1000
)

// condition is what must hold of a key's present expiry to change it.
type condition struct{ nx, xx, gt, lt bool }

// readCondition reads the arguments after the time.
func (c *Call) readCondition() (on condition, ok bool) {
	for _, a := range c.Args[3:] {
		switch {
		case is(a, "NX"):
			on.nx = true
		case is(a, "XX"):
			on.xx = true
		case is(a, "GT"):
			on.gt = true
		case is(a, "LT"):
			on.lt = true
		default:
			c.W.Error("ERR Unsupported option " + string(a))
			return on, false
		}
	}
	switch {
	case on.nx && (on.xx || on.gt || on.lt):
		c.W.Error("ERR NX and XX, GT or LT options at the same time are not compatible")
		return on, false
	case on.gt && on.lt:
		c.W.Error("ERR GT and LT options at the same time are not compatible")
		return on, false
	}
	return on, true
}

// allows decides whether an expiry at present (0 is never, the latest of all)
// may become at.
func (on condition) allows(present, at int64) bool {
	switch {
	case on.nx && present != 0,
		on.xx && present == 0,
		on.gt && (present == 0 || at <= present),
		on.lt && present != 0 && at >= present:
		return false
	}
	return true
}

// expiryTime is the Unix time in milliseconds that n units from base (0 for a
// time that is absolute) make; false when no such time can be told.
func expiryTime(n, unit, base int64) (at int64, ok bool) {
	if n > math.MaxInt64/unit || n < math.MinInt64/unit {
		return 0, false
	}
	n *= unit
	if n > math.MaxInt64-base {
		return 0, false
	}
	return n + base, true
}

func expire(c *Call, unit int64, absolute bool) {
	on, ok := c.readCondition()
	if !ok {
		return
	}
	n, ok := c.integer(2)
	if !ok {
		return
	}
	base := c.now
	if absolute {
		base = 0
	}
	at, ok := expiryTime(n, unit, base)
	if !ok {
		c.W.Error("ERR invalid expire time in '" + c.spec.Name + "' command")
		return
	}
	e := c.find()
	switch {
	case e == nil || !on.allows(e.ExpireAt(), at):
		c.W.Int(0)
		return
	case c.past(at):
		c.Env.Keyspace.CountExpired()
		c.remove(e)
	default:
		if c.Held.SetExpiry(e, at) != nil {
			c.W.Error(errNoMemory)
			return
		}
		c.touched(c.Args[1], eventExpire)
	}
	c.W.Int(1)
}

// past reports whether what is to go at that time goes at once. It does not
// when a log is done again, which says by itself that the key went.
func (c *Call) past(at int64) bool { return at <= c.now && !c.Held.Timeless }

func ttl(c *Call, unit int64, absolute bool) {
	e := c.find()
	switch {
	case e == nil:
		c.W.Int(-2)
		return
	case e.ExpireAt() == 0:
		c.W.Int(-1)
		return
	}
	at := e.ExpireAt()
	if !absolute {
		at = max(at-c.now, 0)
	}
	c.W.Int((at + unit/2) / unit)
}

func keepForEver(c *Call) {
	e := c.find()
	if e == nil || e.ExpireAt() == 0 {
		c.W.Int(0)
		return
	}
	c.Held.SetExpiry(e, 0)
	c.touched(c.Args[1], eventPersist)
	c.W.Int(1)
}
