package command

import (
	"crypto/rand"
	"encoding/hex"
	"math"
	"strings"

	"zset.dev/operator/node/acl"
	"zset.dev/operator/node/resp"
)

var aclSpecs = []Spec{{
	Name: "acl", Arity: -2,
	Group: "server", Since: "6.0.0", Complexity: "Depends on the subcommand",
	Summary: "A container for commands about users and what they may do.",
	Subs: []Spec{
		{
			Name: "acl|cat", Arity: -2, Flags: whileWaiting,
			Group: "server", Since: "6.0.0", Complexity: "O(1)",
			Summary: "Returns the categories of commands, or the commands of one.",
			Args:    []Arg{arg("category", "string").optional()},
			Run:     aclCat,
		},
		{
			Name: "acl|deluser", Arity: -3, Flags: Admin | whileWaiting,
			Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Group: "server", Since: "6.0.0", Complexity: "O(N), N clients",
			Summary: "Deletes users and closes their connections.",
			Args:    []Arg{arg("username", "string").many()},
			Run:     aclDelUser,
		},
		{
			Name: "acl|dryrun", Arity: -4, Flags: Admin | whileWaiting,
			Group: "server", Since: "7.0.0", Complexity: "O(1)",
			Summary: "Tells whether a user may run a command, without running it.",
			Args:    []Arg{arg("username", "string"), arg("command", "string"), arg("arg", "string").optional().many()},
			Run:     aclDryRun,
		},
		{
			Name: "acl|genpass", Arity: -2, Flags: whileWaiting,
			Group: "server", Since: "6.0.0", Complexity: "O(1)",
			Summary: "Returns a random password.",
			Args:    []Arg{arg("bits", "integer").optional()},
			Run:     aclGenPass,
		},
		{
			Name: "acl|getuser", Arity: 3, Flags: Admin | whileWaiting,
			Group: "server", Since: "6.0.0", Complexity: "O(N), N rules of the user",
			Summary: "Returns the rules of a user.",
			Args:    []Arg{arg("username", "string")},
			Run:     aclGetUser,
		},
		{
			Name: "acl|list", Arity: 2, Flags: Admin | whileWaiting,
			Group: "server", Since: "6.0.0", Complexity: "O(N), N users",
			Summary: "Returns the rules of all users, in the form of an ACL file.",
			Run: func(c *Call) {
				users := c.Env.Accounts.All()
				c.W.Array(len(users))
				for _, u := range users {
					c.W.BulkString(u.Line())
				}
			},
		},
		{
			Name: "acl|load", Arity: 2, Flags: Admin | whileWaiting,
			Group: "server", Since: "6.0.0", Complexity: "O(N), N users",
			Summary: "Reads the ACL file again; its users become all there are.",
			Run:     aclLoad,
		},
		{
			Name: "acl|log", Arity: -2, Flags: Admin | whileWaiting,
			Group: "server", Since: "6.0.0", Complexity: "O(N), N entries",
			Summary: "Returns what was refused lately, or forgets it.",
			Args:    []Arg{oneOf("operation", arg("count", "integer"), token("RESET", "reset")).optional()},
			Run:     aclLog,
		},
		{
			Name: "acl|save", Arity: 2, Flags: Admin | whileWaiting,
			Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Group: "server", Since: "6.0.0", Complexity: "O(N), N users",
			Summary: "Writes all users to the ACL file.",
			Run:     aclSave,
		},
		{
			Name: "acl|setuser", Arity: -3, Flags: Admin | whileWaiting,
			Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Group: "server", Since: "6.0.0", Complexity: "O(N), N rules",
			Summary: "Makes a user, or changes what one may do.",
			Args:    []Arg{arg("username", "string"), arg("rule", "string").optional().many()},
			Run:     aclSetUser,
		},
		{
			Name: "acl|users", Arity: 2, Flags: Admin | whileWaiting,
			Group: "server", Since: "6.0.0", Complexity: "O(N), N users",
			Summary: "Returns the names of all users.",
			Run: func(c *Call) {
				users := c.Env.Accounts.All()
				c.W.Array(len(users))
				for _, u := range users {
					c.W.BulkString(u.Name())
				}
			},
		},
		{
			Name: "acl|whoami", Arity: 2, Flags: whileWaiting,
			Group: "server", Since: "6.0.0", Complexity: "O(1)",
			Summary: "Returns the connection's user.",
			Run:     func(c *Call) { c.W.BulkString(c.user().Name()) },
		},
		helpSpec("acl", "server", "6.0.0", Loading|Stale, 0,
			"CAT [<category>]", "    The categories of commands, or the commands of one.",
			"DELUSER <username> [<username> ...]", "    Delete users.",
			"DRYRUN <username> <command> [<arg> ...]", "    Whether the user may run the command.",
			"GETUSER <username>", "    The rules of a user.",
			"GENPASS [<bits>]", "    A random password, of 256 bits or as many as said.",
			"LIST", "    The rules of all users, as in an ACL file.",
			"LOAD", "    Read the ACL file again.",
			"LOG [<count> | RESET]", "    What was refused lately.",
			"SAVE", "    Write the ACL file.",
			"SETUSER <username> <rule> [<rule> ...]", "    Make or change a user.",
			"USERS", "    The names of all users.",
			"WHOAMI", "    The user of this connection."),
	},
}}

const (
	errUserName = "Usernames can't contain spaces or null characters"
	errNoFile   = "ERR This instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command, " +
		"and as user lines in the configuration file to have them again after a restart."
)

// wrongCall is the error of a subcommand with options it does not have.
func (c *Call) wrongCall() {
	name := strings.ToUpper(string(c.Args[0]))
	c.W.Error("ERR unknown subcommand or wrong number of arguments for '" + clip(c.Args[1], 128) + "'. Try " + name + " HELP.")
}

func aclCat(c *Call) {
	switch len(c.Args) {
	case 2:
		c.replyNames(acl.Categories)
	case 3:
		names, ok := c.Env.Accounts.Catalogue().In(string(c.Args[2]))
		if !ok {
			c.W.Error("ERR Unknown category '" + clip(c.Args[2], 128) + "'")
			return
		}
		c.W.Array(len(names))
		for _, name := range names {
			c.W.BulkString(name)
		}
	default:
		c.wrongCall()
	}
}

func aclDelUser(c *Call) {
	var names []string
	for _, a := range c.Args[2:] {
		if string(a) == acl.DefaultName {
			c.W.Error("ERR The 'default' user cannot be removed")
			return
		}
		names = append(names, string(a))
	}
	deleted := c.Env.Accounts.Delete(names...)
	c.closeGone(deleted)
	c.W.Int(int64(len(deleted)))
}

func aclDryRun(c *Call) {
	account := c.Env.Accounts.Get(string(c.Args[2]))
	if account == nil {
		c.W.Error("ERR User '" + clip(c.Args[2], 128) + "' not found")
		return
	}
	args := c.Args[3:]
	spec, refusal := c.Env.Table.resolve(args)
	switch {
	case spec == nil && ofOtherType(args[0]):
		c.W.Error(refusal)
		return
	case spec == nil || spec.Run == nil:
		c.W.Error("ERR Command '" + clip(args[0], 128) + "' not found")
		return
	}
	if !spec.accepts(len(args)) {
		c.W.Error("ERR wrong number of arguments for '" + spec.Name + "' command")
		return
	}
	if refused := permit(account.User(), spec, args); refused.Reason != acl.Allowed {
		c.W.BulkString(refused.text(true))
		return
	}
	c.ok()
}

func aclGenPass(c *Call) {
	const most = 4096
	bits := int64(256)
	switch len(c.Args) {
	case 2:
	case 3:
		var ok bool
		if bits, ok = c.integer(2); !ok {
			return
		}
		if bits <= 0 || bits > most {
			c.W.Error("ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096")
			return
		}
	default:
		c.wrongCall()
		return
	}
	var random [most / 8]byte
	rand.Read(random[:])
	c.W.BulkString(hex.EncodeToString(random[:])[:(bits+3)/4])
}

func aclGetUser(c *Call) {
	account := c.Env.Accounts.Get(string(c.Args[2]))
	if account == nil {
		c.W.Null()
		return
	}
	u, w := account.User(), c.W
	w.Map(7)
	w.BulkString("flags")
	w.Set(len(u.Flags()))
	for _, flag := range u.Flags() {
		w.BulkString(flag)
	}
	w.BulkString("passwords")
	w.Array(len(u.Passwords()))
	for _, p := range u.Passwords() {
		w.BulkString(p)
	}
	permissions := func(p acl.Permissions) {
		for _, pair := range [][2]string{{"commands", p.Commands}, {"keys", p.Keys}, {"channels", p.Channels}, {"databases", p.Databases}} {
			w.BulkString(pair[0])
			w.BulkString(pair[1])
		}
	}
	root, further := u.Permissions()
	permissions(root)
	w.BulkString("selectors")
	w.Array(len(further))
	for _, p := range further {
		w.Map(4)
		permissions(p)
	}
}

func aclSetUser(c *Call) {
	name := string(c.Args[2])
	if !acl.ValidName(name) {
		c.W.Error("ERR " + errUserName)
		return
	}
	rules := make([]string, 0, len(c.Args)-3)
	for _, a := range c.Args[3:] {
		rules = append(rules, string(a))
	}
	_, was, err := c.Env.Accounts.Set(name, rules...)
	if err != nil {
		c.W.Error("ERR " + err.Error())
		return
	}
	if was != nil {
		c.closeDeaf()
	}
	c.ok()
}

func aclLoad(c *Call) {
	if c.Env.Config.Values().ACLFile == "" {
		c.W.Error(errNoFile)
		return
	}
	users, err := c.Env.readUsers()
	if err != nil {
		c.W.Error("ERR " + err.Error())
		return
	}
	c.closeGone(c.Env.Accounts.Replace(users))
	c.closeDeaf()
	c.ok()
}

func aclSave(c *Call) {
	if c.Env.Config.Values().ACLFile == "" {
		c.W.Error(errNoFile)
		return
	}
	if err := acl.WriteFile(c.Env.aclPath(), c.Env.Accounts.Text()); err != nil {
		c.W.Error("ERR There was an error trying to save the ACLs. Please check the server logs for more information")
		return
	}
	c.ok()
}

func aclLog(c *Call) {
	count := int64(10)
	switch {
	case len(c.Args) > 3:
		c.wrongCall()
		return
	case len(c.Args) == 3 && is(c.Args[2], "RESET"):
		c.Env.Denials.Reset()
		c.ok()
		return
	case len(c.Args) == 3:
		n, ok := resp.ParseInt(c.Args[2])
		if !ok {
			c.W.Error(errNotInteger)
			return
		}
		count = min(max(n, 0), math.MaxInt32)
	}
	w, entries := c.W, c.Env.Denials.Entries(int(count))
	w.Array(len(entries))
	for _, e := range entries {
		w.Map(10)
		w.BulkString("count")
		w.Int(e.Count)
		for _, pair := range [][2]string{{"reason", e.Reason.String()}, {"context", e.Context}, {"object", e.Object}, {"username", e.User}} {
			w.BulkString(pair[0])
			w.BulkString(pair[1])
		}
		w.BulkString("age-seconds")
		w.Double(math.Round(c.At.Sub(e.Created).Seconds()*1000) / 1000)
		w.BulkString("client-info")
		w.BulkString(e.Client)
		for _, pair := range []struct {
			name string
			n    int64
		}{{"entry-id", e.ID}, {"timestamp-created", e.Created.UnixMilli()}, {"timestamp-last-updated", e.Updated.UnixMilli()}} {
			w.BulkString(pair.name)
			w.Int(pair.n)
		}
	}
}
