package command

import (
	"strings"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/resp"
)

const whileWaiting = NoScript | Loading | Stale

var clientSpecs = []Spec{{
	Name: "client", Arity: -2,
	Group: "connection", Since: "2.4.0", Complexity: "Depends on the subcommand",
	Summary: "A container for commands about connections.",
	Subs: []Spec{
		{
			Name: "client|id", Arity: 2, Flags: whileWaiting | AllowBusy, Categories: Connection,
			Group: "connection", Since: "5.0.0", Complexity: "O(1)",
			Summary: "Returns the connection's number.",
			Run:     func(c *Call) { c.W.Int(int64(c.Client.ID)) },
		},
		{
			Name: "client|setname", Arity: 3, Flags: whileWaiting | AllowBusy, Categories: Connection,
			Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Group: "connection", Since: "2.6.9", Complexity: "O(1)",
			Summary: "Names the connection.",
			Args:    []Arg{arg("connection-name", "string")},
			Run:     clientSetName,
		},
		{
			Name: "client|getname", Arity: 2, Flags: whileWaiting | AllowBusy, Categories: Connection,
			Group: "connection", Since: "2.6.9", Complexity: "O(1)",
			Summary: "Returns the name of the connection.",
			Run:     clientGetName,
		},
		{
			Name: "client|setinfo", Arity: 4, Flags: whileWaiting | AllowBusy, Categories: Connection,
			Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Group: "connection", Since: "7.2.0", Complexity: "O(1)",
			Summary: "Tells the name or version of the client's library.",
			Args:    []Arg{oneOf("attr", after("LIB-NAME", "libname", "string"), after("LIB-VER", "libver", "string"))},
			Run:     clientSetInfo,
		},
		{
			Name: "client|list", Arity: -2, Flags: Admin | whileWaiting, Categories: Connection,
			Tips:  []string{"nondeterministic_output"},
			Group: "connection", Since: "2.4.0", Complexity: "O(N), N clients",
			Summary: "Lists the connections.",
			Args: []Arg{
				oneOf("client-type", token("NORMAL", "normal"), token("MASTER", "master"), token("REPLICA", "replica"), token("PUBSUB", "pubsub")).optional().after("TYPE"),
				after("ID", "client-id", "integer").optional().many(),
			},
			Run: clientList,
		},
		{
			Name: "client|info", Arity: 2, Flags: whileWaiting, Categories: Connection,
			Tips:  []string{"nondeterministic_output"},
			Group: "connection", Since: "6.2.0", Complexity: "O(1)",
			Summary: "Tells about this connection.",
			Run:     func(c *Call) { c.W.Verbatim("txt", c.Client.Line(c.At)+"\n") },
		},
		{
			Name: "client|kill", Arity: -3, Flags: Admin | whileWaiting, Categories: Connection,
			Group: "connection", Since: "2.4.0", Complexity: "O(N), N clients",
			Summary: "Closes connections.",
			Args: []Arg{oneOf("filter", arg("old-format", "string"), block("new-format",
				after("ID", "client-id", "integer").optional(), after("ADDR", "addr", "string").optional(),
				after("LADDR", "laddr", "string").optional(), after("USER", "username", "string").optional(),
				oneOf("skipme", token("YES", "yes"), token("NO", "no")).after("SKIPME").optional(),
				after("MAXAGE", "maxage", "integer").optional(),
			).many())},
			Run: clientKill,
		},
		{
			Name: "client|no-evict", Arity: 3, Flags: Admin | whileWaiting | AllowBusy, Categories: Connection,
			Group: "connection", Since: "7.0.0", Complexity: "O(1)",
			Summary: "Keeps the connection from being closed to free memory.",
			Args:    []Arg{onOff},
			Run:     func(c *Call) { c.onOff(c.Client.NoEvict.Store) },
		},
		{
			Name: "client|no-touch", Arity: 3, Flags: whileWaiting | AllowBusy, Categories: Connection,
			Group: "connection", Since: "7.2.0", Complexity: "O(1)",
			Summary: "Keeps the connection's reads from counting as use of a key.",
			Args:    []Arg{onOff},
			Run:     func(c *Call) { c.onOff(c.Client.NoTouch.Store) },
		},
		helpSpec("client", "connection", "5.0.0", Loading|Stale, Connection,
			"ID", "    The number of this connection.",
			"INFO", "    A line about this connection.",
			"LIST [TYPE <type>] [ID <id> [<id> ...]]", "    A line about each connection, or each of those named.",
			"KILL <ip:port> | [ID <id>] [ADDR <ip:port>] [LADDR <ip:port>] [USER <name>] [TYPE <type>] [SKIPME <yes|no>] [MAXAGE <seconds>]",
			"    Close the connections that match all that is given.",
			"SETNAME <name>", "    Name this connection.",
			"GETNAME", "    The name of this connection.",
			"SETINFO <LIB-NAME|LIB-VER> <value>", "    Tell the client library's name or version.",
			"NO-EVICT <ON|OFF>", "    Keep this connection from being closed to free memory.",
			"NO-TOUCH <ON|OFF>", "    Keep this connection's reads from counting as use of a key."),
	},
}}

var onOff = oneOf("enabled", token("ON", "on"), token("OFF", "off"))

func (c *Call) onOff(set func(bool)) {
	switch {
	case is(c.Args[2], "ON"):
		set(true)
	case is(c.Args[2], "OFF"):
		set(false)
	default:
		c.W.Error(errSyntax)
		return
	}
	c.ok()
}

func clientSetName(c *Call) {
	name := c.Args[2]
	if !client.ValidName(name) {
		c.W.Error(errClientName)
		return
	}
	c.Client.SetNames(func(n *client.Names) { n.Name = string(name) })
	c.ok()
}

func clientGetName(c *Call) {
	if name := c.Client.Names().Name; name != "" {
		c.W.BulkString(name)
		return
	}
	c.W.Null()
}

func clientSetInfo(c *Call) {
	what, value := strings.ToLower(string(c.Args[2])), c.Args[3]
	if what != "lib-name" && what != "lib-ver" {
		c.W.Error("ERR Unrecognized option '" + string(c.Args[2]) + "'")
		return
	}
	if !client.ValidName(value) {
		c.W.Error("ERR " + string(c.Args[2]) + " cannot contain spaces, newlines or special characters.")
		return
	}
	c.Client.SetNames(func(n *client.Names) {
		if what == "lib-name" {
			n.LibName = string(value)
		} else {
			n.LibVer = string(value)
		}
	})
	c.ok()
}

// clientID reads a client's number; it answers the error itself.
func (c *Call) clientID(text []byte) (id uint64, ok bool) {
	n, ok := resp.ParseInt(text)
	switch {
	case !ok:
		c.W.Error(errSyntax)
		return 0, false
	case n <= 0:
		c.W.Error("ERR client-id should be greater than 0")
		return 0, false
	}
	return uint64(n), true
}

// knownClientType reports whether a client may be of that type; all are of
// the first.
func knownClientType(name []byte) (normal, ok bool) {
	for _, known := range []string{"MASTER", "PRIMARY", "REPLICA", "SLAVE", "PUBSUB"} {
		if is(name, known) {
			return false, true
		}
	}
	return is(name, "NORMAL"), is(name, "NORMAL")
}

func clientList(c *Call) {
	shown := func(*client.Client) bool { return true }
	switch {
	case len(c.Args) == 2:
	case len(c.Args) == 4 && is(c.Args[2], "TYPE"):
		normal, ok := knownClientType(c.Args[3])
		if !ok {
			c.W.Error("ERR Unknown client type '" + string(c.Args[3]) + "'")
			return
		}
		shown = func(*client.Client) bool { return normal }
	case len(c.Args) >= 4 && is(c.Args[2], "ID"):
		ids := map[uint64]bool{}
		for _, a := range c.Args[3:] {
			id, ok := c.clientID(a)
			if !ok {
				return
			}
			ids[id] = true
		}
		shown = func(cl *client.Client) bool { return ids[cl.ID] }
	default:
		c.W.Error(errSyntax)
		return
	}
	var text strings.Builder
	for _, cl := range c.Env.Clients.All() {
		if shown(cl) {
			text.WriteString(cl.Line(c.At))
			text.WriteByte('\n')
		}
	}
	c.W.Verbatim("txt", text.String())
}

func clientKill(c *Call) {
	if len(c.Args) == 3 {
		// The old form: one address, an error when it is not there.
		if c.killWhere(func(cl *client.Client) bool { return cl.Addr == string(c.Args[2]) }) == 0 {
			c.W.Error("ERR No such client")
			return
		}
		c.ok()
		return
	}
	if len(c.Args)%2 != 0 {
		c.W.Error(errSyntax)
		return
	}
	skipMe := true
	var filters []func(*client.Client) bool
	for i := 2; i < len(c.Args); i += 2 {
		value := string(c.Args[i+1])
		switch a := c.Args[i]; {
		case is(a, "ID"):
			id, ok := c.clientID(c.Args[i+1])
			if !ok {
				return
			}
			filters = append(filters, func(cl *client.Client) bool { return cl.ID == id })
		case is(a, "ADDR"):
			filters = append(filters, func(cl *client.Client) bool { return cl.Addr == value })
		case is(a, "LADDR"):
			filters = append(filters, func(cl *client.Client) bool { return cl.LAddr == value })
		case is(a, "TYPE"):
			normal, ok := knownClientType(c.Args[i+1])
			if !ok {
				c.W.Error("ERR Unknown client type '" + value + "'")
				return
			}
			filters = append(filters, func(*client.Client) bool { return normal })
		case is(a, "USER"):
			if value != defaultUser {
				c.W.Error("ERR No such user '" + value + "'")
				return
			}
		case is(a, "MAXAGE"):
			seconds, ok := resp.ParseInt(c.Args[i+1])
			if !ok {
				c.W.Error("ERR maxage is not an integer or out of range")
				return
			}
			if seconds <= 0 {
				c.W.Error("ERR maxage should be greater than 0")
				return
			}
			filters = append(filters, func(cl *client.Client) bool { return c.At.Sub(cl.Created).Seconds() >= float64(seconds) })
		case is(a, "SKIPME") && strings.EqualFold(value, "yes"):
			skipMe = true
		case is(a, "SKIPME") && strings.EqualFold(value, "no"):
			skipMe = false
		default:
			c.W.Error(errSyntax)
			return
		}
	}
	c.W.Int(int64(c.killWhere(func(cl *client.Client) bool {
		for _, matches := range filters {
			if !matches(cl) {
				return false
			}
		}
		return !(skipMe && cl == c.Client)
	})))
}

// killWhere closes the clients that match. This one is closed after its reply.
func (c *Call) killWhere(matches func(*client.Client) bool) (killed int) {
	for _, cl := range c.Env.Clients.All() {
		if !matches(cl) {
			continue
		}
		killed++
		if cl == c.Client {
			c.Client.CloseAfterReply = true
		} else {
			cl.Close()
		}
	}
	return killed
}
