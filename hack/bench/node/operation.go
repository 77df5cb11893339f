//go:build linux

package main

import (
	"fmt"
	"math"
	"slices"

	"zset.dev/operator/hack/bench/node/load"
)

// An operation is a command whose speed is measured on the sets of a shape.
type operation struct {
	name, about string
	kinds       []shapeKind // it is measured on
	command     func(s shape) load.Template
	turn        turn
	rate        float64 // of the open loop, commands a second: what every server can do with ease
	// Commands that change a set's size come in stints of a limited number, with untimed work before and after, so that
	// sets have nearly their size. before and after are given the numbers [from, to) of the commands of a stint.
	perSet        float64 // how many a stint may have for each set; 0: any number
	before, after func(s shape, b *load.Bulk, from, to int) error
	check         func(s shape, commands int, t load.Tally) error
}

// turn says which set and member the next command is about.
type turn uint8

const (
	anyMember turn = iota // at random, of all that were loaded
	newMember             // one that is in no set, each set in its turn
)

const (
	openRate  = 20_000
	unionRate = 2_000
)

var onSets = []shapeKind{several, single, small}

// operations are in the order of the tables.
var operations = []operation{
	{name: "ping", about: "PING", kinds: []shapeKind{nothing}, rate: openRate,
		command: func(shape) load.Template { return load.Command(load.Text("PING")) }},
	{name: "zadd-new", about: "ZADD of one member that is new", kinds: onSets, rate: openRate,
		command: func(s shape) load.Template { return s.add(1) },
		turn:    newMember, perSet: 0.1, after: removeNew, check: each(1)},
	{name: "zadd-update", about: "ZADD of a score anywhere to a random member", kinds: onSets, rate: openRate,
		command: func(s shape) load.Template { return s.add(1) }, check: each(0)},
	{name: "zincrby", about: "ZINCRBY of up to 0.001 to a random member", kinds: onSets, rate: openRate,
		command: func(s shape) load.Template {
			return load.Command(load.Text("ZINCRBY"), s.key(), load.Decimal("0.000", 13), s.member())
		}, check: noNulls},
	{name: "zscore", about: "ZSCORE of a random member", kinds: onSets, rate: openRate,
		command: func(s shape) load.Template { return load.Command(load.Text("ZSCORE"), s.key(), s.member()) }, check: noNulls},
	{name: "zrank", about: "ZRANK of a random member", kinds: onSets, rate: openRate,
		command: func(s shape) load.Template { return load.Command(load.Text("ZRANK"), s.key(), s.member()) }, check: noNulls},
	{name: "zrange", about: "ZRANGE of 10 members from a random rank on; in small sets of all", kinds: onSets, rate: openRate,
		command: rangeOf10, check: noNulls},
	{name: "zrangebyscore", about: "ZRANGEBYSCORE of up to 10 members from a random score on", kinds: onSets, rate: openRate,
		command: func(s shape) load.Template {
			words := []load.Arg{load.Text("ZRANGEBYSCORE"), s.key(), score()}
			for _, w := range []string{"+inf", "LIMIT", "0", "10"} {
				words = append(words, load.Text(w))
			}
			return load.Command(words...)
		}},
	{name: "zpopmin", about: "ZPOPMIN; what it takes was put in before", kinds: onSets, rate: openRate,
		command: func(s shape) load.Template { return load.Command(load.Text("ZPOPMIN"), s.key()) },
		turn:    newMember, perSet: 0.1, before: addLowest, check: noNulls},
	{name: "zremrangebyscore", about: "ZREMRANGEBYSCORE of all members of a set of 100, and so of the key", kinds: []shapeKind{purged}, rate: openRate,
		command: func(s shape) load.Template { return purge(s, "+inf") },
		turn:    newMember, perSet: 1.0 / purgedMembers, after: copyAgain, check: each(purgedMembers)},
	{name: "zremrangebyscore-half", about: "ZREMRANGEBYSCORE of the lower half of a set of 100", kinds: []shapeKind{purged}, rate: openRate,
		command: func(s shape) load.Template { return purge(s, "0.5") },
		turn:    newMember, perSet: 1.0 / purgedMembers, after: copyAgain, check: each(purgedMembers / 2)},
	{name: "zunionstore", about: "ZUNIONSTORE of a set of 200 and one of 400, 100 members in both", kinds: []shapeKind{pairs}, rate: unionRate,
		command: func(s shape) load.Template {
			return load.Command(load.Text("ZUNIONSTORE"), load.Key(keyPrefix, 2*s.sets), load.Text("2"), load.Key(keyPrefix, 0), load.Key(keyPrefix, s.sets))
		}, check: each(unionMembers*3 - unionMembers/2)},
}

func operationNames() (names []string) {
	for _, o := range operations {
		names = append(names, o.name)
	}
	return names
}

// on says whether the operation is measured on a shape.
func (o operation) on(s shape) bool { return slices.Contains(o.kinds, s.kind) }

// stint is the greatest number of commands at a time, 0 if there is none. Sets may grow by a tenth, and small ones by one.
func (o operation) stint(s shape) int {
	if o.perSet == 0 {
		return 0
	}
	return s.sets * int(math.Ceil(o.perSet*float64(s.members)))
}

// number says which set and member command i of those in turn is about. Sets come in an order that no allocator has laid
// them out in.
func (s shape) number(i int) (set, member int) {
	const stride = 618_033_989 // prime, so all sets come before one comes again
	return i % s.sets * stride % s.sets, s.members + i/s.sets
}

// rangeOf10 takes ranks of the most common number of digits.
func rangeOf10(s shape) load.Template {
	command, key := load.Text("ZRANGE"), s.key()
	if s.members < 20 {
		return load.Command(command, key, load.Text("0"), load.Text("9"))
	}
	lowest := 10
	for lowest*10 < s.members {
		lowest *= 10
	}
	from, to := load.Ranks(lowest, s.members-lowest-9, 10)
	return load.Command(command, key, from, to)
}

func purge(s shape, below string) load.Template {
	return load.Command(load.Text("ZREMRANGEBYSCORE"), s.key(), load.Text("-inf"), load.Text(below))
}

// each checks that every command answered an integer.
func each(n int) func(shape, int, load.Tally) error {
	return func(_ shape, commands int, t load.Tally) error {
		if t.Sum != n*commands {
			return fmt.Errorf("%d commands answered %d in sum, not %d each", commands, t.Sum, n)
		}
		return nil
	}
}

// noNulls checks that every command found something.
func noNulls(_ shape, commands int, t load.Tally) error {
	if t.Nulls != 0 {
		return fmt.Errorf("%d of %d commands found nothing", t.Nulls, commands)
	}
	return nil
}

// repeat sends a command about each number in turn.
func repeat(s shape, b *load.Bulk, t load.Template, from, to int) error {
	for i := from; i < to; i++ {
		set, member := s.number(i)
		if err := b.Send(&t, set, member); err != nil {
			return err
		}
	}
	_, err := b.Finish()
	return err
}

// removeNew takes out what zadd-new put in.
func removeNew(s shape, b *load.Bulk, from, to int) error {
	return repeat(s, b, load.Command(load.Text("ZREM"), s.key(), s.member()), from, to)
}

// addLowest puts in members for zpopmin to take, whose scores are below those of all others.
func addLowest(s shape, b *load.Bulk, from, to int) error {
	return repeat(s, b, load.Command(load.Text("ZADD"), s.key(), load.Decimal("-0.", 16), s.member()), from, to)
}

// copyAgain makes sets anew of which something was deleted.
func copyAgain(s shape, b *load.Bulk, from, to int) error {
	var copies [copyable]load.Template
	for i := range copies {
		copies[i] = s.copyOf(i)
	}
	for i := from; i < to; i++ {
		set, _ := s.number(i)
		if err := b.Send(&copies[set%copyable], set, 0); err != nil {
			return err
		}
	}
	_, err := b.Finish()
	return err
}
