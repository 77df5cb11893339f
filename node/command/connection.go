package command

import (
	"bytes"

	"zset.dev/operator/node/acl"
	"zset.dev/operator/node/client"
	"zset.dev/operator/node/resp"
)

var connectionSpecs = []Spec{
	{
		Name: "ping", Arity: -1, Flags: Fast, Categories: Connection, WhileSubscribed: true,
		Tips:  []string{"request_policy:all_shards", "response_policy:all_succeeded"},
		Group: "connection", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Answers PONG, or the message.",
		Args:    []Arg{arg("message", "string").optional()},
		Run:     ping,
	},
	{
		Name: "echo", Arity: 2, Flags: Loading | Stale | Fast, Categories: Connection,
		Group: "connection", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Returns the message.",
		Args:    []Arg{arg("message", "string")},
		Run:     func(c *Call) { c.W.Bulk(c.Args[1]) },
	},
	{
		Name: "hello", Arity: -1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Categories: Connection,
		Group: "connection", Since: "6.0.0", Complexity: "O(1)",
		Summary: "Chooses the protocol version, and may authenticate and name the connection.",
		Differs: "Names this server zset.",
		Args: []Arg{block("arguments",
			arg("protover", "integer"),
			block("auth", arg("username", "string"), arg("password", "string")).after("AUTH").optional(),
			after("SETNAME", "clientname", "string").optional(),
		).optional()},
		Run: hello,
	},
	{
		Name: "auth", Arity: -2, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Categories: Connection,
		Group: "connection", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Authenticates the connection.",
		Args:    []Arg{arg("username", "string").optional().since("6.0.0"), arg("password", "string")},
		Run:     auth,
	},
	{
		Name: "select", Arity: 2, Flags: Loading | Stale | Fast | AllowBusy, Categories: Connection,
		Group: "connection", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Chooses the database. There is one, 0.",
		Args:    []Arg{arg("index", "integer")},
		Run:     selectDatabase,
	},
	{
		Name: "quit", Arity: -1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Categories: Connection, AtOnce: true, WhileSubscribed: true,
		Group: "connection", Since: "1.0.0", Complexity: "O(1)", Deprecated: "7.2.0", ReplacedBy: "just closing the connection",
		Summary: "Closes the connection.",
		Run: func(c *Call) {
			c.Client.CloseAfterReply = true
			c.ok()
		},
	},
	{
		Name: "reset", Arity: 1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Categories: Connection, AtOnce: true, WhileSubscribed: true,
		Group: "connection", Since: "6.2.0", Complexity: "O(1)",
		Summary: "Puts the connection back to what it was when it was opened.",
		Run: func(c *Call) {
			c.leave()
			c.Client.Reset(c.Env.Accounts.Open())
			c.Client.SetAccount(c.Env.Accounts.Default())
			c.W.SetProto(2)
			c.W.Simple("RESET")
		},
	},
}

// ServerVersion is the version of the protocol's commands this node follows,
// which clients read to know what they may send. It is not the node's own.
const ServerVersion = "7.2.4"

const (
	errWrongPass  = "WRONGPASS invalid username-password pair or user is disabled."
	errClientName = "ERR Client names cannot contain spaces, newlines or special characters."
	errHelloAuth  = "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time"
)

func ping(c *Call) {
	switch subscribed := c.W.Proto() == 2 && c.Client.Subscriptions() > 0; {
	case subscribed && len(c.Args) <= 2:
		// Like a message, so that whoever reads them can tell it apart.
		c.W.Array(2)
		c.W.BulkString("pong")
		c.W.Bulk(bytes.Join(c.Args[1:], nil))
	case len(c.Args) == 1:
		c.W.Simple("PONG")
	case len(c.Args) == 2:
		c.W.Bulk(c.Args[1])
	default:
		c.W.Error("ERR wrong number of arguments for 'ping' command")
	}
}

// login authenticates the client if user and password are right, and counts
// it if not.
func (c *Call) login(user, password []byte) bool {
	account := c.Env.Accounts.Login(string(user), password)
	if account == nil {
		context := atTopLevel
		if c.Nested {
			context = inTransaction
		}
		c.noteRefusal(acl.DeniedAuth, context, string(user), string(c.Args[0]))
		return false
	}
	c.Client.Authenticated, c.Client.Known = true, true
	c.Client.SetAccount(account)
	return true
}

func auth(c *Call) {
	user, password := []byte(acl.DefaultName), c.Args[1]
	switch len(c.Args) {
	case 2:
		if c.Env.Accounts.Default().User().NoPass() {
			c.W.Error("ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?")
			return
		}
	case 3:
		user, password = c.Args[1], c.Args[2]
	default:
		c.W.Error(errSyntax)
		return
	}
	if !c.login(user, password) {
		c.W.Error(errWrongPass)
		return
	}
	c.ok()
}

func hello(c *Call) {
	version := int64(c.W.Proto())
	if len(c.Args) > 1 {
		var ok bool
		if version, ok = resp.ParseInt(c.Args[1]); !ok {
			c.W.Error("ERR Protocol version is not an integer or out of range")
			return
		}
		if version < 2 || version > 3 {
			c.W.Error("NOPROTO unsupported protocol version")
			return
		}
	}
	var user, password, name []byte
	for i := 2; i < len(c.Args); {
		left := len(c.Args) - i - 1
		switch {
		case is(c.Args[i], "AUTH") && left >= 2:
			user, password = c.Args[i+1], c.Args[i+2]
			i += 3
		case is(c.Args[i], "SETNAME") && left >= 1:
			name = c.Args[i+1]
			if !client.ValidName(name) {
				c.W.Error(errClientName)
				return
			}
			i += 2
		default:
			c.W.Error("ERR Syntax error in HELLO option '" + string(c.Args[i]) + "'")
			return
		}
	}
	if user != nil && !c.login(user, password) {
		c.W.Error(errWrongPass)
		return
	}
	if c.needsAuth() {
		c.W.Error(errHelloAuth)
		return
	}
	if name != nil {
		c.Client.SetNames(func(n *client.Names) { n.Name = string(name) })
	}
	c.Client.SetProto(int(version))
	c.W.SetProto(int(version))

	zone := c.Env.Config.Values().AvailabilityZone
	fields := 7
	if zone != "" {
		fields++
	}
	c.W.Map(fields)
	c.W.BulkString("server")
	c.W.BulkString("zset")
	c.W.BulkString("version")
	c.W.BulkString(ServerVersion)
	c.W.BulkString("proto")
	c.W.Int(version)
	c.W.BulkString("id")
	c.W.Int(int64(c.Client.ID))
	c.W.BulkString("mode")
	c.W.BulkString("standalone")
	c.W.BulkString("role")
	c.W.BulkString("master")
	c.W.BulkString("modules")
	c.W.Array(0)
	if zone != "" {
		c.W.BulkString("availability_zone")
		c.W.BulkString(zone)
	}
}

func selectDatabase(c *Call) {
	if c.onlyDatabase(c.Args[1]) {
		c.ok()
	}
}
