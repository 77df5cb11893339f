package command

import (
	"math"
	"strings"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/resp"
)

const whileWaiting = NoScript | Loading | Stale

var clientSpecs = []Spec{{
	Name: "client", Arity: -2,
	Group: "connection", Since: "2.4.0", Complexity: "Depends on the subcommand",
	Summary: "A container for commands about connections.",
	Subs: append([]Spec{
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
			Name: "client|capa", Arity: -3, Flags: whileWaiting | AllowBusy, Categories: Connection,
			Group: "connection", Since: "8.0.0", Complexity: "O(1)",
			Summary: "Tells what the client is capable of. Nothing of it changes what this node answers.",
			Args:    []Arg{arg("capability", "string").many()},
			Run: func(c *Call) {
				for _, a := range c.Args[2:] { // what is not known is passed over, so that clients may name it
					if is(a, "REDIRECT") {
						c.Client.Enter(client.Redirectable)
					}
				}
				c.ok()
			},
		},
		{
			Name: "client|list", Arity: -2, Flags: Admin | whileWaiting, Categories: Connection,
			Tips:  []string{"nondeterministic_output"},
			Group: "connection", Since: "2.4.0", Complexity: "O(N), N clients",
			Summary: "Lists the connections.",
			Args:    filterArgs(false),
			Run:     clientList,
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
			Args: []Arg{oneOf("filter",
				deprecated(arg("old-format", "string").shown("ip:port"), "2.8.12"),
				oneOf("new-format", filterArgs(true)...).many())},
			Run: clientKill,
		},
		{
			Name: "client|pause", Arity: -3, Flags: Admin | whileWaiting, Categories: Connection,
			Group: "connection", Since: "3.0.0", Complexity: "O(1)",
			Summary: "Holds the commands of all connections, or those that may write, for a time.",
			Args:    []Arg{arg("timeout", "integer"), oneOf("mode", token("WRITE", "write"), token("ALL", "all")).optional().since("6.2.0")},
			Run:     clientPause,
		},
		{
			Name: "client|unpause", Arity: 2, Flags: Admin | whileWaiting, Categories: Connection,
			Group: "connection", Since: "6.2.0", Complexity: "O(N), N clients held",
			Summary: "Lets held commands run.",
			Run: func(c *Call) {
				c.Env.Pause.End()
				c.ok()
			},
		},
		{
			Name: "client|unblock", Arity: -3, Flags: Admin | whileWaiting, Categories: Connection,
			Group: "connection", Since: "5.0.0", Complexity: "O(log N), N clients",
			Summary: "Ends what another connection waits for.",
			Args:    []Arg{arg("client-id", "integer"), oneOf("unblock-type", token("TIMEOUT", "timeout"), token("ERROR", "error")).optional()},
			Run:     clientUnblock,
		},
		{
			Name: "client|reply", Arity: 3, Flags: whileWaiting | NoMulti | AllowBusy, Categories: Connection,
			Group: "connection", Since: "3.2.0", Complexity: "O(1)",
			Summary: "Says whether replies are sent.",
			Args:    []Arg{oneOf("action", token("ON", "on"), token("OFF", "off"), token("SKIP", "skip"))},
			Run:     clientReply,
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
			"CAPA <capability> [<capability> ...]", "    Tell what the client is capable of.",
			"ID", "    The number of this connection.",
			"INFO", "    A line about this connection.",
			"LIST [<filter> ...]", "    A line about each connection that matches all filters.",
			"KILL <ip:port> | <filter> ...", "    Close the connections that match all filters. These are ID <id> ..., TYPE <type>, ADDR <ip:port>, LADDR <ip:port>, IP <ip>,",
			"    NAME <name>, LIB-NAME <name>, LIB-VER <version>, USER <name>, FLAGS <letters>, DB <index>, each also with NOT- before it;",
			"    IDLE <seconds>, MAXAGE <seconds>, SKIPME <yes|no>.",
			"PAUSE <milliseconds> [WRITE|ALL]", "    Hold commands for a time, all of them or those that may write.",
			"UNPAUSE", "    Let held commands run.",
			"UNBLOCK <id> [TIMEOUT|ERROR]", "    End what another connection waits for.",
			"REPLY <ON|OFF|SKIP>", "    Send replies, or send none, or not that of the next command.",
			"TRACKING <ON|OFF> [REDIRECT <id>] [BCAST] [PREFIX <prefix> ...] [OPTIN] [OPTOUT] [NOLOOP]", "    Tell of changes of keys this connection read.",
			"CACHING <YES|NO>", "    Track the keys of the next command, or not.",
			"TRACKINGINFO", "    How this connection is told of changes.",
			"GETREDIR", "    Who is told instead of this connection.",
			"SETNAME <name>", "    Name this connection.",
			"GETNAME", "    The name of this connection.",
			"SETINFO <LIB-NAME|LIB-VER> <value>", "    Tell the client library's name or version.",
			"NO-EVICT <ON|OFF>", "    Keep this connection from being closed to free memory.",
			"NO-TOUCH <ON|OFF>", "    Keep this connection's reads from counting as use of a key."),
	}, trackingSpecs...),
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

func clientList(c *Call) {
	f, ok := c.readFilter(2, false)
	if !ok {
		return
	}
	var text strings.Builder
	for _, cl := range c.Env.Clients.All() {
		if f.matches(c, cl) {
			text.WriteString(cl.Line(c.At))
			text.WriteByte('\n')
		}
	}
	c.W.Verbatim("txt", text.String())
}

func clientKill(c *Call) {
	if len(c.Args) == 3 {
		// The old form: one address, an error when it is not there.
		f := clientFilter{conditions: map[string]func(*client.Client) bool{
			"ADDR": func(cl *client.Client) bool { return cl.Addr == string(c.Args[2]) },
		}}
		if c.killWhere(f) == 0 {
			c.W.Error("ERR No such client")
			return
		}
		c.ok()
		return
	}
	if f, ok := c.readFilter(2, true); ok {
		c.W.Int(int64(c.killWhere(f)))
	}
}

// killWhere closes the clients that match. This one is closed after its reply.
func (c *Call) killWhere(f clientFilter) (killed int) {
	for _, cl := range c.Env.Clients.All() {
		if !f.matches(c, cl) {
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

func clientPause(c *Call) {
	all := true
	switch {
	case len(c.Args) > 4:
		c.W.Error(errSyntax)
		return
	case len(c.Args) == 4 && is(c.Args[3], "WRITE"):
		all = false
	case len(c.Args) == 4 && !is(c.Args[3], "ALL"):
		c.W.Error("ERR CLIENT PAUSE mode must be WRITE or ALL")
		return
	}
	millis, ok := resp.ParseInt(c.Args[2])
	switch {
	case !ok:
		c.W.Error("ERR timeout is not an integer or out of range")
		return
	case millis < 0:
		c.W.Error("ERR timeout is negative")
		return
	case millis > math.MaxInt64-time.Now().UnixMilli():
		c.W.Error("ERR timeout is out of range")
		return
	}
	now := time.Now()
	c.Env.Pause.Begin(now, now.Add(time.Duration(min(millis, longestWait/int64(time.Millisecond)))*time.Millisecond), all)
	if !c.Nested { // a transaction holds keys itself
		c.Env.Pause.Settle()
	}
	c.ok()
}

func clientUnblock(c *Call) {
	asError := false
	switch {
	case len(c.Args) > 4:
		c.W.Error(errSyntax)
		return
	case len(c.Args) == 4 && is(c.Args[3], "ERROR"):
		asError = true
	case len(c.Args) == 4 && !is(c.Args[3], "TIMEOUT"):
		c.W.Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")
		return
	}
	id, ok := c.integer(2)
	if !ok {
		return
	}
	if cl := c.Env.Clients.Get(uint64(id)); cl != nil && cl.Unblock(asError) {
		c.W.Int(1)
		return
	}
	c.W.Int(0)
}
