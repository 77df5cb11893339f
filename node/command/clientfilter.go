package command

import (
	"net"
	"strings"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/resp"
)

// filterArgs are the conditions as arguments of CLIENT LIST, or, with kill, of
// CLIENT KILL, which had them first.
func filterArgs(kill bool) []Arg {
	born := func(list, killed string) string {
		if kill {
			return killed
		}
		return list
	}
	const negated = "9.0.0"
	types := []Arg{token("NORMAL", "normal"), token("MASTER", "master"), token("REPLICA", "replica"), token("PUBSUB", "pubsub")}
	clientType := oneOf("client-type", types...).after("TYPE").optional().since(born("5.0.0", "2.8.12"))
	if kill {
		clientType.Args = []Arg{
			token("NORMAL", "normal"), token("MASTER", "master").since("3.2.0"), token("PRIMARY", "primary").since("8.0.0"),
			token("SLAVE", "slave"), token("REPLICA", "replica").since("5.0.0"), token("PUBSUB", "pubsub"),
		}
		types = []Arg{types[0], types[1], token("PRIMARY", "primary"), token("SLAVE", "slave"), types[2], types[3]}
	}
	text := func(word, name, shown, since string) Arg {
		return after(word, name, "string").shown(shown).optional().since(since)
	}
	args := []Arg{
		clientType, after("ID", "client-id", "integer").optional().many().since(born("6.2.0", "2.8.12")),
		text("USER", "username", "", born("8.1.0", "")), text("ADDR", "addr", "ip:port", born("8.1.0", "")), text("LADDR", "laddr", "ip:port", born("8.1.0", "6.2.0")),
		oneOf("skipme", token("YES", "yes"), token("NO", "no")).after("SKIPME").optional().since(born("8.1.0", "")),
		after("MAXAGE", "maxage", "integer").optional().since(born("8.1.0", "8.0.0")),
		text("NAME", "name", "", "9.0.0"), after("IDLE", "idle", "integer").optional().since("9.0.0"), text("FLAGS", "flags", "", "9.0.0"),
		text("LIB-NAME", "lib-name", "", "9.0.0"), text("LIB-VER", "lib-ver", "", "9.0.0"), after("DB", "db", "integer").optional().since("9.0.0"), text("CAPA", "capa", "", "9.0.0"), text("IP", "ip", "", "9.0.0"),
		oneOf("not-client-type", types...).after("NOT-TYPE").optional().since(negated), after("NOT-ID", "not-client-id", "integer").optional().many().since(negated),
		text("NOT-USER", "not-username", "", negated), text("NOT-ADDR", "not-addr", "ip:port", negated), text("NOT-LADDR", "not-laddr", "ip:port", negated),
		text("NOT-NAME", "not-name", "", negated), text("NOT-FLAGS", "not-flags", "", negated),
		text("NOT-LIB-NAME", "not-lib-name", "", negated), text("NOT-LIB-VER", "not-lib-ver", "", negated),
		after("NOT-DB", "not-db", "integer").optional().since(negated), text("NOT-CAPA", "not-capa", "", negated), text("NOT-IP", "not-ip", "", negated),
	}
	if kill {
		args[0], args[1] = args[1], args[0] // the order in which they came
	}
	return args
}

// clientFilter is which clients CLIENT LIST and CLIENT KILL mean: those for
// which every condition holds. Of a condition given twice the last one counts,
// but for numbers, which add up.
type clientFilter struct {
	conditions map[string]func(*client.Client) bool // by the option's name
	skipMe     bool
}

// matches reports whether a client is meant. One that is about to go is none
// any more.
func (f *clientFilter) matches(c *Call, cl *client.Client) bool {
	if f.skipMe && cl == c.Client || cl.Ending() {
		return false
	}
	for _, holds := range f.conditions {
		if !holds(cl) {
			return false
		}
	}
	return true
}

// textConditions are those that compare with a word.
var textConditions = map[string]func(*client.Client) string{
	"ADDR":     func(cl *client.Client) string { return cl.Addr },
	"LADDR":    func(cl *client.Client) string { return cl.LAddr },
	"NAME":     func(cl *client.Client) string { return cl.Names().Name },
	"LIB-NAME": func(cl *client.Client) string { return cl.Names().LibName },
	"LIB-VER":  func(cl *client.Client) string { return cl.Names().LibVer },
	"IP": func(cl *client.Client) string {
		host, _, _ := net.SplitHostPort(cl.Addr)
		return host
	},
}

// readFilter reads conditions from argument at on. It answers errors itself.
func (c *Call) readFilter(at int, skipMe bool) (f clientFilter, ok bool) {
	f.skipMe, f.conditions = skipMe, map[string]func(*client.Client) bool{}
	for i := at; i < len(c.Args); i += 2 {
		if i+1 >= len(c.Args) {
			c.W.Error(errSyntax)
			return f, false
		}
		option := strings.ToUpper(string(c.Args[i]))
		name, not := strings.CutPrefix(option, "NOT-")
		value := string(c.Args[i+1])
		var holds func(*client.Client) bool
		switch text := textConditions[name]; {
		case text != nil:
			holds = func(cl *client.Client) bool { return text(cl) == value }
		case name == "ID":
			ids, n, ok := c.clientIDs(c.Args[i+1:])
			if !ok {
				return f, false
			}
			i += n - 1
			before := f.conditions[option]
			holds = func(cl *client.Client) bool { return ids[cl.ID] || before != nil && before(cl) != not }
		case name == "TYPE":
			class, known := clientClass(value)
			if !known {
				c.W.Error("ERR Unknown client type '" + value + "'")
				return f, false
			}
			holds = func(cl *client.Client) bool { return cl.Class() == class }
		case name == "USER":
			account := c.Env.Accounts.Get(value)
			if account == nil {
				c.W.Error("ERR No such user '" + value + "'")
				return f, false
			}
			holds = func(cl *client.Client) bool { return cl.Account() == account }
		case name == "FLAGS":
			if strings.Trim(value, client.Letters) != "" {
				c.W.Error("ERR Unknown flags found in the provided filter: " + value)
				return f, false
			}
			holds = func(cl *client.Client) bool { return hasAll(cl.Flags(), value) }
		case name == "CAPA":
			if strings.Trim(value, "r") != "" {
				which := "provided"
				if not {
					which = option
				}
				c.W.Error("ERR Unknown capa found in the " + which + " filter: " + value)
				return f, false
			}
			holds = func(cl *client.Client) bool { return hasAll(cl.Capabilities(), value) }
		case name == "DB":
			n, isInt := resp.ParseInt(c.Args[i+1])
			if !isInt || n != 0 {
				c.W.Error("ERR DB number should be between 0 and 0")
				return f, false
			}
			holds = func(*client.Client) bool { return true }
		case !not && (name == "MAXAGE" || name == "IDLE"):
			lower := strings.ToLower(name)
			seconds, isInt := resp.ParseInt(c.Args[i+1])
			if !isInt {
				c.W.Error("ERR " + lower + " is not an integer or out of range")
				return f, false
			}
			if seconds <= 0 {
				c.W.Error("ERR " + lower + " should be greater than 0")
				return f, false
			}
			now := c.At
			holds = func(cl *client.Client) bool {
				since := cl.Created.UnixMilli()
				if lower == "idle" {
					since = cl.IdleSince()
				}
				return (now.UnixMilli()-since)/1000 >= seconds
			}
		case !not && name == "SKIPME" && (is(c.Args[i+1], "YES") || is(c.Args[i+1], "NO")):
			f.skipMe = is(c.Args[i+1], "YES")
			continue
		default:
			c.W.Error(errSyntax)
			return f, false
		}
		if not {
			held := holds
			holds = func(cl *client.Client) bool { return !held(cl) }
		}
		f.conditions[option] = holds
	}
	return f, true
}

// clientIDs reads the numbers that words begin with, n of them and one at
// least.
func (c *Call) clientIDs(words [][]byte) (ids map[uint64]bool, n int, ok bool) {
	ids = map[uint64]bool{}
	for i, word := range words {
		id, isInt := resp.ParseInt(word)
		switch {
		case !isInt && i > 0:
			return ids, i, true
		case !isInt:
			c.W.Error(errSyntax)
			return nil, 0, false
		case id <= 0:
			c.W.Error("ERR client-id should be greater than 0")
			return nil, 0, false
		}
		ids[uint64(id)] = true
	}
	return ids, len(words), true
}

// clientClass is the class of that name.
func clientClass(name string) (class client.Class, known bool) {
	switch strings.ToUpper(name) {
	case "NORMAL":
		return client.Normal, true
	case "PUBSUB":
		return client.PubSub, true
	case "REPLICA", "SLAVE":
		return client.Replica, true
	case "MASTER", "PRIMARY":
		return client.Primary, true
	}
	return 0, false
}

func hasAll(flags, wanted string) bool {
	for _, letter := range wanted {
		if !strings.ContainsRune(flags, letter) {
			return false
		}
	}
	return true
}
