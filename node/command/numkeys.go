package command

import "zset.dev/operator/node/resp"

// readKeys reads the count of keys in argument at, the keys after it, and
// returns what follows them. countError is for a count that is no positive
// number; empty for the errors of the commands that combine sets, which tell
// text from numbers below one.
func (c *Call) readKeys(at int, countError string) (keys, rest [][]byte, ok bool) {
	n, isInt := resp.ParseInt(c.Args[at])
	after := c.Args[at+1:]
	switch {
	case (!isInt || n < 1) && countError != "":
		c.W.Error(countError)
	case !isInt:
		c.W.Error(errNotInteger)
	case n < 1:
		c.W.Error("ERR at least 1 input key is needed for '" + c.spec.Name + "' command")
	case n > int64(len(after)):
		c.W.Error(errSyntax)
	default:
		return after[:n], after[n:], true
	}
	return nil, nil, false
}

var numKeysArg = arg("numkeys", "integer")
