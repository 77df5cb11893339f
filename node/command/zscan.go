package command

import (
	"strconv"

	"zset.dev/operator/node/glob"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/resp"
)

var zscanSpecs = []Spec{{
	Name: "zscan", Arity: -3, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: SortedSet,
	Tips:  []string{"nondeterministic_output"},
	Group: "sorted-set", Since: "2.8.0", Complexity: "O(1) for each call, O(N) for a whole iteration over N members",
	Summary: "Iterates over the members and scores of a sorted set.",
	Differs: "Scores are the shortest texts that read back as the same number, as from every command; others print 17 digits of a skip list's.",
	Args: []Arg{
		keyArg(), arg("cursor", "integer"), after("MATCH", "pattern", "pattern").optional(), after("COUNT", "count", "integer").optional(),
		token("NOSCORES", "noscores").optional(),
	},
	Run: zscan,
}}

// scanOptions is what follows the cursor of SCAN and ZSCAN.
type scanOptions struct {
	count    int
	pattern  []byte // nil matches all
	typeName []byte // SCAN TYPE; nil for any
	noScores bool   // ZSCAN NOSCORES
}

// readScan reads the cursor in argument at and what follows it. keys tells
// SCAN from ZSCAN.
func (c *Call) readScan(at int, keys bool) (cursor uint64, o scanOptions, ok bool) {
	if cursor, ok = c.readCursor(at); !ok {
		return 0, o, false
	}
	o.count = 10
	rest := c.Args[at+1:]
	for i := 0; i < len(rest); i++ {
		follows := i+1 < len(rest)
		switch a := rest[i]; {
		case is(a, "COUNT") && follows:
			n, ok := resp.ParseInt(rest[i+1])
			if !ok {
				c.W.Error(errNotInteger)
				return 0, o, false
			}
			if n < 1 {
				c.W.Error(errSyntax)
				return 0, o, false
			}
			o.count = int(min(n, keyspace.ScanCount))
			i++
		case is(a, "MATCH") && follows:
			o.pattern = rest[i+1]
			if glob.MatchesAll(o.pattern) {
				o.pattern = nil
			}
			i++
		case is(a, "TYPE") && follows && keys:
			o.typeName = rest[i+1]
			if !knownType(o.typeName) {
				c.W.Error("ERR unknown type name '" + string(o.typeName) + "'")
				return 0, o, false
			}
			i++
		case is(a, "NOSCORES") && !keys:
			o.noScores = true
		case is(a, "NOSCORES"):
			c.W.Error("ERR NOSCORES option can only be used in ZSCAN")
			return 0, o, false
		case is(a, "NOVALUES"):
			c.W.Error("ERR NOVALUES option can only be used in HSCAN")
			return 0, o, false
		default:
			c.W.Error(errSyntax)
			return 0, o, false
		}
	}
	return cursor, o, true
}

func (c *Call) readCursor(at int) (cursor uint64, ok bool) {
	cursor, err := strconv.ParseUint(string(c.Args[at]), 10, 64)
	if err != nil {
		c.W.Error("ERR invalid cursor")
	}
	return cursor, err == nil
}

// knownType reports whether SCAN TYPE may name it: a type that exists in the
// ecosystem, though only one has keys here.
func knownType(name []byte) bool {
	for _, known := range []string{"STRING", "LIST", "SET", "ZSET", "HASH", "STREAM"} {
		if is(name, known) {
			return true
		}
	}
	return false
}

func (o *scanOptions) matches(name []byte) bool {
	return o.pattern == nil || glob.Match(o.pattern, name)
}

func zscan(c *Call) {
	set := c.findSet()
	if set == nil { // then its options are not looked at, as elsewhere
		if _, ok := c.readCursor(2); ok {
			c.replyCursor(0)
			c.W.Array(0)
		}
		return
	}
	cursor, o, ok := c.readScan(2, false)
	if !ok {
		return
	}
	var members [][]byte
	scores := c.scores[:0]
	next := set.Scan(cursor, o.count, func(member []byte, score float64) {
		if o.matches(member) {
			members = append(members, member)
			scores = append(scores, score)
		}
	})
	c.keepScores(scores)
	c.replyCursor(next)
	if o.noScores {
		c.W.Array(len(members))
	} else {
		c.W.Array(2 * len(members))
	}
	var text [40]byte
	for i, member := range members {
		c.W.Bulk(member)
		if !o.noScores {
			// A string in RESP3 too.
			c.W.Bulk(resp.AppendScore(text[:0], scores[i]))
		}
		if c.full() {
			return
		}
	}
}

// replyCursor starts the reply of SCAN and ZSCAN; their list follows.
func (c *Call) replyCursor(next uint64) {
	var text [20]byte
	c.W.Array(2)
	c.W.Bulk(strconv.AppendUint(text[:0], next, 10))
}
