package command

import (
	"strconv"

	"zset.dev/operator/node/resp"
)

// There is one database. MOVE and SWAPDB answer as a server does that is set
// to have one.
var databaseSpecs = []Spec{
	{
		Name: "move", Arity: 3, Flags: Write | Fast, Keys: oneKey("RW", "access", "update"), Categories: Keyspace,
		Group: "generic", Since: "1.0.0", Complexity: "O(1)",
		Summary: "Would move a key to another database; there is none.",
		Args:    []Arg{keyArg(), arg("db", "integer")},
		Run: func(c *Call) {
			if c.onlyDatabase(c.Args[2]) {
				c.W.Error(errSameObject)
			}
		},
	},
	{
		Name: "swapdb", Arity: 3, Flags: Write | Fast, Categories: Keyspace | Dangerous,
		Group: "server", Since: "4.0.0", Complexity: "O(1)",
		Summary: "Would exchange two databases; there is one, which may be exchanged with itself.",
		Args:    []Arg{arg("index1", "integer"), arg("index2", "integer")},
		Run:     swapDB,
	},
}

const (
	errSameObject = "ERR source and destination objects are the same"
	errDatabase   = "ERR DB index is out of range"
)

// onlyDatabase reads the number of a database, and answers the error unless it
// is that of the only one.
func (c *Call) onlyDatabase(arg []byte) bool {
	n, ok := resp.ParseInt(arg)
	switch {
	case !ok:
		c.W.Error(errNotInteger)
	case n != int64(int32(n)):
		c.W.Error("ERR value is out of range, value must between -2147483648 and 2147483647")
	case n != 0:
		c.W.Error(errDatabase)
	default:
		return true
	}
	return false
}

func swapDB(c *Call) {
	for i, which := range []string{"first", "second"} {
		n, ok := resp.ParseInt(c.Args[1+i])
		if !ok || strconv.Itoa(int(int32(n))) != string(c.Args[1+i]) {
			c.W.Error("ERR invalid " + which + " DB index")
			return
		}
	}
	for _, index := range c.Args[1:] {
		if string(index) != "0" {
			c.W.Error(errDatabase)
			return
		}
	}
	c.ok()
}
