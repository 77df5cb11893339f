//go:build linux

package main

import (
	"context"
	"fmt"

	"zset.dev/operator/hack/bench/node/load"
	"zset.dev/operator/hack/bench/report"
)

// shape is the data that a server holds.
type shape struct{ sets, members int }

const (
	smallMembers = 5
	perCommand   = 100
	keyPrefix    = "mxxx"
)

func (s shape) String() string {
	if s.sets == 1 {
		return "one set of " + report.Count(s.members)
	}
	return report.Count(s.sets) + " sets of " + report.Count(s.members)
}

// memberPrefix makes members of 20 bytes in a large set and 13 in a small one.
func (s shape) memberPrefix() string {
	if s.members <= smallMembers {
		return "m"
	}
	return "member:x"
}

// load fills a server.
func (s shape) load(ctx context.Context, bulk *load.Bulk) error {
	each := min(perCommand, s.members)
	args := []load.Arg{load.Text("ZADD"), load.Key(keyPrefix, 0)}
	for i := range each {
		args = append(args, load.Decimal("0.", 16), load.Member(s.memberPrefix(), i))
	}
	t := load.Command(args...)
	for set := range s.sets {
		for member := 0; member < s.members; member += each {
			if err := bulk.Send(&t, set, member); err != nil {
				return err
			}
		}
		if set%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	tally, err := bulk.Finish()
	if err == nil && tally.Sum != s.sets*s.members {
		err = fmt.Errorf("%d members were added instead of %d", tally.Sum, s.sets*s.members)
	}
	return err
}

// update is the work of giving members that are there another score.
func (s shape) update(seed uint64) load.Work {
	return load.Work{
		Template: load.Command(load.Text("ZADD"), load.Key(keyPrefix, 0), load.Decimal("0.", 16), load.Member(s.memberPrefix(), 0)),
		Random:   load.NewRandom(seed),
		Pick:     func(r *load.Random) (set, member int) { return r.Below(s.sets), r.Below(s.members) },
	}
}

// loaded dials a server and fills it.
func (s shape) loaded(ctx context.Context, addr string, seed uint64) error {
	bulk, err := load.DialBulk(addr, seed)
	if err != nil {
		return err
	}
	defer bulk.Close()
	return s.load(ctx, bulk)
}

// value is a figure of one round.
func value(contender string, s shape, what, unit string, v float64) report.Value {
	return report.Value{Key: key(contender, s, what, unit), Value: v}
}

func key(contender string, s shape, what, unit string) report.Key {
	return report.Key{Contender: contender, Members: s.members, MemberBytes: len(s.memberPrefix()) + 12, Unit: unit, Measure: fmt.Sprintf("%s: %s", s, what)}
}
