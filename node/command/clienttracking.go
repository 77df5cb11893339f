package command

import (
	"strings"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/tracking"
)

var trackingSpecs = []Spec{
	{
		Name: "client|tracking", Arity: -3, Flags: whileWaiting, Categories: Connection,
		Group: "connection", Since: "6.0.0", Complexity: "O(1), but O(N) with N prefixes",
		Summary: "Lets the server tell of changes of keys that the client keeps in a cache.",
		Args: []Arg{
			oneOf("status", token("ON", "on"), token("OFF", "off")), after("REDIRECT", "client-id", "integer").optional(),
			after("PREFIX", "prefix", "string").optional().each(), token("BCAST", "bcast").optional(), token("OPTIN", "optin").optional(),
			token("OPTOUT", "optout").optional(), token("NOLOOP", "noloop").optional(),
		},
		Run: clientTracking,
	},
	{
		Name: "client|caching", Arity: 3, Flags: whileWaiting | AllowBusy, Categories: Connection,
		Group: "connection", Since: "6.0.0", Complexity: "O(1)",
		Summary: "Says whether the keys of the next command are tracked.",
		Args:    []Arg{oneOf("mode", token("YES", "yes"), token("NO", "no"))},
		Run:     clientCaching,
	},
	{
		Name: "client|getredir", Arity: 2, Flags: whileWaiting | AllowBusy, Categories: Connection,
		Group: "connection", Since: "6.0.0", Complexity: "O(1)",
		Summary: "Returns the number of the connection that is told of changes: 0 is this one, -1 none.",
		Run:     func(c *Call) { c.W.Int(c.Client.Redirect.Load()) },
	},
	{
		Name: "client|trackinginfo", Arity: 2, Flags: whileWaiting, Categories: Connection,
		Group: "connection", Since: "6.2.0", Complexity: "O(1)",
		Summary: "Tells how the connection is told of changes of keys.",
		Run:     clientTrackingInfo,
	},
}

// caching is what CLIENT CACHING said about the next command.
type caching struct{ yes, no bool }

// clientTracking answers CLIENT TRACKING.
func clientTracking(c *Call) {
	var o tracking.Options
	for i := 3; i < len(c.Args); i++ {
		follows := i+1 < len(c.Args)
		switch a := c.Args[i]; {
		case is(a, "REDIRECT") && follows:
			i++
			if o.Redirect != 0 {
				c.W.Error("ERR A client can only redirect to a single other client")
				return
			}
			id, ok := c.integer(i)
			if !ok {
				return
			}
			if id <= 0 || c.Env.Clients.Get(uint64(id)) == nil {
				c.W.Error("ERR The client ID you want redirect to does not exist")
				return
			}
			o.Redirect = uint64(id)
		case is(a, "BCAST"):
			o.Broadcast = true
		case is(a, "OPTIN"):
			o.OptIn = true
		case is(a, "OPTOUT"):
			o.OptOut = true
		case is(a, "NOLOOP"):
			o.NoLoop = true
		case is(a, "PREFIX") && follows:
			i++
			o.Prefixes = append(o.Prefixes, string(c.Args[i]))
		default:
			c.W.Error(errSyntax)
			return
		}
	}
	switch {
	case is(c.Args[2], "OFF"):
		c.Env.Tracking.Off(c.Client)
		c.caching = caching{}
	case !is(c.Args[2], "ON"):
		c.W.Error(errSyntax)
		return
	default:
		now, on := c.Env.Tracking.Options(c.Client)
		if refusal := refuseTracking(now, on, o); refusal != "" {
			c.W.Error(refusal)
			return
		}
		c.Env.Tracking.On(c.Client, o)
	}
	c.ok()
}

// refuseTracking is why a client that tracks as now says, if on, cannot do as
// o says; empty when it can.
func refuseTracking(now tracking.Options, on bool, o tracking.Options) string {
	const must = " before disabling tracking for this client, and then re-enabling it with a different mode."
	switch {
	case len(o.Prefixes) > 0 && !o.Broadcast:
		return "ERR PREFIX option requires BCAST mode to be enabled"
	case on && now.Broadcast != o.Broadcast:
		return "ERR You can't switch BCAST mode on/off" + must
	case o.Broadcast && (o.OptIn || o.OptOut):
		return "ERR OPTIN and OPTOUT are not compatible with BCAST"
	case o.OptIn && o.OptOut:
		return "ERR You can't specify both OPTIN mode and OPTOUT mode"
	case on && (o.OptIn && now.OptOut || o.OptOut && now.OptIn):
		return "ERR You can't switch OPTIN/OPTOUT mode" + must
	}
	const never = ". Prefixes for a single client must not overlap."
	for i, p := range o.Prefixes {
		for _, other := range now.Prefixes {
			if other != p && overlap(p, other) {
				return "ERR Prefix '" + p + "' overlaps with an existing prefix '" + other + "'" + never
			}
		}
		for _, other := range o.Prefixes[i+1:] {
			if overlap(p, other) {
				return "ERR Prefix '" + p + "' overlaps with another provided prefix '" + other + "'" + never
			}
		}
	}
	return ""
}

func overlap(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

func clientCaching(c *Call) {
	o, on := c.Env.Tracking.Options(c.Client)
	switch {
	case !on:
		c.W.Error("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
	case is(c.Args[2], "YES") && !o.OptIn:
		c.W.Error("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
	case is(c.Args[2], "NO") && !o.OptOut:
		c.W.Error("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
	case is(c.Args[2], "YES"):
		c.caching = caching{yes: true}
		c.ok()
	case is(c.Args[2], "NO"):
		c.caching = caching{no: true}
		c.ok()
	default:
		c.W.Error(errSyntax)
	}
}

func clientTrackingInfo(c *Call) {
	o, on := c.Env.Tracking.Options(c.Client)
	flags := []string{"off"}
	if on {
		flags[0] = "on"
	}
	add := func(is bool, name string) {
		if is {
			flags = append(flags, name)
		}
	}
	add(o.Broadcast, "bcast")
	add(o.OptIn, "optin")
	add(o.OptIn && c.caching.yes, "caching-yes")
	add(o.OptOut, "optout")
	add(o.OptOut && c.caching.no, "caching-no")
	add(o.NoLoop, "noloop")
	add(c.Client.Is(client.TrackingBroken), "broken_redirect")
	c.W.Map(3)
	c.W.BulkString("flags")
	c.W.Set(len(flags))
	for _, name := range flags {
		c.W.BulkString(name)
	}
	c.W.BulkString("redirect")
	c.W.Int(c.Client.Redirect.Load())
	c.W.BulkString("prefixes")
	c.W.Array(len(o.Prefixes))
	for _, p := range o.Prefixes {
		c.W.BulkString(p)
	}
}

// remember notes what the command read, while its keys are still held.
func (c *Call) remember(spec *Spec, keys [][]byte) {
	if spec.Flags&ReadOnly == 0 {
		return
	}
	o, on := c.Env.Tracking.Options(c.Client)
	if !on || o.Broadcast || o.OptIn && !c.caching.yes || o.OptOut && c.caching.no {
		return
	}
	c.invalidateReaders(c.Client) // what was changed before is no news about what is read now
	for _, key := range keys {
		c.Env.Tracking.Remember(c.Client, key)
	}
}

// invalidate tells caches of what was changed, by whom.
func (c *Call) invalidate(by *client.Client) {
	if len(c.changed) > 0 {
		c.invalidateReaders(by)
		c.Env.Tracking.InvalidatePrefixes(by, c.changed...)
		clear(c.changed)
		c.changed, c.told = c.changed[:0], 0
		if cap(c.changed) > changedKept {
			c.changed = nil
		}
	}
	if c.flushed {
		c.flushed = false
		c.Env.Tracking.Flush()
	}
}

// invalidateReaders tells those who read what was changed since the last time.
func (c *Call) invalidateReaders(by *client.Client) {
	if c.told < len(c.changed) {
		c.Env.Tracking.InvalidateReaders(by, c.changed[c.told:]...)
		c.told = len(c.changed)
	}
}

// changedKept is for how many changed keys a client keeps room.
const changedKept = 64
