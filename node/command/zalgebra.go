package command

import (
	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

const (
	unionCost     = "O(N) + O(M log M), N members in all inputs and M in the result"
	intersectCost = "O(N K) + O(M log M), N members in the smallest of K inputs and M in the result"
	diffCost      = "O(L + (N - K) log N), L members in all inputs, N in the first and K in the result"
)

var zalgebraSpecs = []Spec{
	{
		Name: "zunion", Arity: -3, Flags: ReadOnly, Keys: countedKeys(1, "RO", "access"), Categories: SortedSet,
		Group: "sorted-set", Since: "6.2.0", Complexity: unionCost,
		Summary: "Returns the members of any of several sorted sets.",
		Differs: "AGGREGATE COUNT is younger than Redis 8.0 and Valkey 9.1.",
		Args:    []Arg{numKeysArg, keyArg().many(), weightsArg, aggregateArg, withScoresArg},
		Run:     func(c *Call) { combine(c, (*zset.Algebra).Union) },
	},
	{
		Name: "zinter", Arity: -3, Flags: ReadOnly, Keys: countedKeys(1, "RO", "access"), Categories: SortedSet,
		Group: "sorted-set", Since: "6.2.0", Complexity: intersectCost,
		Summary: "Returns the members that are in all of several sorted sets.",
		Differs: "AGGREGATE COUNT is younger than Redis 8.0 and Valkey 9.1.",
		Args:    []Arg{numKeysArg, keyArg().many(), weightsArg, aggregateArg, withScoresArg},
		Run:     func(c *Call) { combine(c, (*zset.Algebra).Intersect) },
	},
	{
		Name: "zdiff", Arity: -3, Flags: ReadOnly, Keys: countedKeys(1, "RO", "access"), Categories: SortedSet,
		Group: "sorted-set", Since: "6.2.0", Complexity: diffCost,
		Summary: "Returns the members of a sorted set that are in none of the others.",
		Args:    []Arg{numKeysArg, keyArg().many(), withScoresArg},
		Run:     func(c *Call) { combine(c, nil) },
	},
	{
		Name: "zintercard", Arity: -3, Flags: ReadOnly, Keys: countedKeys(1, "RO", "access"), Categories: SortedSet,
		Group: "sorted-set", Since: "7.0.0", Complexity: "O(N K), N members in the smallest of K inputs",
		Summary: "Returns how many members are in all of several sorted sets.",
		Args:    []Arg{numKeysArg, keyArg().many(), after("LIMIT", "limit", "integer").optional()},
		Run:     zintercard,
	},
	{
		Name: "zunionstore", Arity: -4, Flags: Write | DenyOOM, Keys: storeKeys, Categories: SortedSet,
		Group: "sorted-set", Since: "2.0.0", Complexity: unionCost,
		Summary: "Stores the members of any of several sorted sets in a key.",
		Differs: "AGGREGATE COUNT is younger than Redis 8.0 and Valkey 9.1.",
		Args:    []Arg{destinationArg, numKeysArg, sourceArg.many(), weightsArg, aggregateArg},
		Run:     func(c *Call) { combineAndStore(c, (*zset.Algebra).Union) },
	},
	{
		Name: "zinterstore", Arity: -4, Flags: Write | DenyOOM, Keys: storeKeys, Categories: SortedSet,
		Group: "sorted-set", Since: "2.0.0", Complexity: intersectCost,
		Summary: "Stores the members that are in all of several sorted sets in a key.",
		Differs: "AGGREGATE COUNT is younger than Redis 8.0 and Valkey 9.1.",
		Args:    []Arg{destinationArg, numKeysArg, sourceArg.many(), weightsArg, aggregateArg},
		Run:     func(c *Call) { combineAndStore(c, (*zset.Algebra).Intersect) },
	},
	{
		Name: "zdiffstore", Arity: -4, Flags: Write | DenyOOM, Keys: storeKeys, Categories: SortedSet,
		Group: "sorted-set", Since: "6.2.0", Complexity: diffCost,
		Summary: "Stores the members of a sorted set that are in none of the others in a key.",
		Args:    []Arg{destinationArg, numKeysArg, sourceArg.many()},
		Run:     func(c *Call) { combineAndStore(c, nil) },
	},
}

var (
	storeKeys = oneKey("OW", "update").and(countedKeys(2, "RO", "access"))

	destinationArg = Arg{Name: "destination", Type: "key"}
	sourceArg      = Arg{Name: "key", Type: "key", KeyPart: 1}
	weightsArg     = after("WEIGHTS", "weight", "integer").optional().many()
	aggregateArg   = oneOf("aggregate", token("SUM", "sum"), token("MIN", "min"), token("MAX", "max"), token("COUNT", "count")).optional().after("AGGREGATE")
)

// operation is a union or an intersection; nil stands for the difference,
// which has no weights and keeps the first set's scores.
type operation func(*zset.Algebra, zset.Aggregate, ...zset.Input) zset.Result

// algebraMemory is how much working memory a client keeps from one combination
// of sets to its next.
const algebraMemory = 64 << 10

func combine(c *Call, op operation) {
	defer c.algebra.Reset(algebraMemory)
	result, withScores, ok := c.combined(1, op, true)
	if !ok {
		return
	}
	c.startMembers(result.Len(), withScores)
	for member, score := range result.All() {
		c.replyMember(member, score, withScores)
		if c.full() {
			return
		}
	}
}

func combineAndStore(c *Call, op operation) {
	defer c.algebra.Reset(algebraMemory)
	result, _, ok := c.combined(2, op, false)
	if ok {
		c.store(c.Args[1], result.Len(), result.All())
	}
}

// combined reads what follows the count of keys in argument at, and combines
// the sets. reply allows the options of a reply.
func (c *Call) combined(at int, op operation, reply bool) (r zset.Result, withScores, ok bool) {
	keys, rest, ok := c.readKeys(at, "")
	if !ok {
		return r, false, false
	}
	in := make([]zset.Input, len(keys))
	for i, key := range keys {
		in[i].Weight = 1
		if e := c.Held.Find(key); e != nil {
			in[i].Set = e.Set()
		}
	}
	var aggregate zset.Aggregate
	for len(rest) > 0 {
		switch a := rest[0]; {
		case is(a, "WEIGHTS") && op != nil && len(rest) > len(keys):
			for i := range keys {
				weight, err := resp.ParseScore(rest[1+i])
				if err != nil {
					c.W.Error("ERR weight value is not a float")
					return r, false, false
				}
				in[i].Weight = weight
			}
			rest = rest[1+len(keys):]
			continue
		case is(a, "AGGREGATE") && op != nil && len(rest) > 1:
			if aggregate, ok = readAggregate(rest[1]); !ok {
				c.W.Error(errSyntax)
				return r, false, false
			}
			rest = rest[2:]
			continue
		case is(a, "WITHSCORES") && reply:
			withScores = true
			rest = rest[1:]
			continue
		}
		c.W.Error(errSyntax)
		return r, false, false
	}
	if op == nil {
		return c.algebra.Diff(sets(in)...), withScores, true
	}
	return op(&c.algebra, aggregate, in...), withScores, true
}

func sets(in []zset.Input) []*zset.Set {
	all := make([]*zset.Set, len(in))
	for i := range in {
		all[i] = in[i].Set
	}
	return all
}

func readAggregate(word []byte) (zset.Aggregate, bool) {
	switch {
	case is(word, "SUM"):
		return zset.Sum, true
	case is(word, "MIN"):
		return zset.Min, true
	case is(word, "MAX"):
		return zset.Max, true
	case is(word, "COUNT"):
		return zset.Count, true
	}
	return 0, false
}

func zintercard(c *Call) {
	keys, rest, ok := c.readKeys(1, "")
	if !ok {
		return
	}
	limit := int64(0)
	for ; len(rest) > 0; rest = rest[2:] {
		if !is(rest[0], "LIMIT") || len(rest) < 2 {
			c.W.Error(errSyntax)
			return
		}
		if limit, ok = resp.ParseInt(rest[1]); !ok || limit < 0 {
			c.W.Error("ERR LIMIT can't be negative")
			return
		}
	}
	in := make([]*zset.Set, len(keys))
	for i, key := range keys {
		if e := c.Held.Find(key); e != nil {
			in[i] = e.Set()
		}
	}
	defer c.algebra.Reset(algebraMemory)
	c.W.Int(int64(c.algebra.IntersectCount(clampInt(limit), in...)))
}
