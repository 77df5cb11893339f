//go:build linux

package main

import (
	"context"
	"fmt"

	"zset.dev/operator/hack/bench/node/load"
	"zset.dev/operator/hack/bench/report"
)

// A shape is the data that a server holds while some rows are measured. Its sets have the keys of numbers 0 and up, and
// their members the numbers 0 and up.
type shape struct {
	kind    shapeKind
	members int // of a set
	sets    int
}

type shapeKind string

const (
	nothing shapeKind = "nothing"
	single  shapeKind = "one set"
	several shapeKind = "sets of"
	small   shapeKind = "small sets of"
	purged  shapeKind = "sets to purge of" // for ranges to be deleted from
	pairs   shapeKind = "pairs"            // of a set of members and one of twice as many, a part of them in both
)

const (
	smallMembers  = 5   // of small sets
	purgedMembers = 100 // of sets to purge
	unionMembers  = 200 // of the smaller of a pair
	// severalMembers are those of all sets of a shape of several: few enough to load in a second, and too many for a
	// second-level cache.
	severalMembers = 500_000
	// singleFrom is the size from which there is one set only.
	singleFrom = 100_000

	keyBytes   = 16
	keyPrefix  = "mxxx"
	copyable   = 64 // sets to copy the sets to purge from
	perCommand = 100
)

// sized is the shape of a size that the user gives.
func sized(members int) shape {
	if members >= singleFrom {
		return shape{single, members, 1}
	}
	return shape{several, members, max(1, severalMembers/members)}
}

// name is how tables call the shape.
func (s shape) name() string {
	switch s.kind {
	case nothing:
		return report.Missing
	case single:
		return report.Count(s.members)
	case pairs:
		return fmt.Sprintf("%d × %d", s.members, 2*s.members)
	}
	return fmt.Sprintf("%s sets of %d", report.Count(s.sets), s.members)
}

// memberPrefix makes members of 20 bytes, and of 13 in small sets.
func (s shape) memberPrefix() string {
	if s.kind == small {
		return "m"
	}
	return "mxxxxxxx"
}

func (s shape) memberBytes() int { return len(s.memberPrefix()) + 12 }

func (s shape) key() load.Arg    { return load.Key(keyPrefix, 0) }
func (s shape) member() load.Arg { return load.Member(s.memberPrefix(), 0) }

// score is a random double in [0, 1) as text, of 16 digits.
func score() load.Arg { return load.Decimal("0.", 16) }

// add is ZADD of count members from the one that is picked on, with random scores.
func (s shape) add(count int) load.Template {
	args := []load.Arg{load.Text("ZADD"), s.key()}
	for i := range count {
		args = append(args, score(), load.Member(s.memberPrefix(), i))
	}
	return load.Command(args...)
}

// addFalling is ZADD of count members whose scores fall from one to the next: put in at the front of a listpack, which is
// the fast way to build one. They are spread evenly over [0, 1).
func (s shape) addFalling(count int) load.Template {
	args := []load.Arg{load.Text("ZADD"), s.key()}
	for i := range count {
		high := fmt.Sprintf("0.%02d", (count-1-i)*100/count)
		args = append(args, load.Decimal(high, 14), load.Member(s.memberPrefix(), i))
	}
	return load.Command(args...)
}

// sliced is how many commands are sent between two looks whether to go on.
const sliced = 1_000

// load fills a server; tell is called now and then with the part of it that is done.
func (s shape) load(ctx context.Context, b *load.Bulk, tell func(done float64)) error {
	each := func(t load.Template, n int, pick func(i int) (set, member int)) error {
		for i := range n {
			if i%sliced == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
				tell(float64(i) / float64(n))
			}
			set, member := pick(i)
			if err := b.Send(&t, set, member); err != nil {
				return err
			}
		}
		_, err := b.Finish()
		return err
	}
	switch s.kind {
	case nothing:
		return nil
	case single:
		return each(s.add(perCommand), s.members/perCommand, func(i int) (int, int) { return 0, i * perCommand })
	case several:
		if s.members > 2*perCommand {
			return each(s.add(perCommand), s.sets*s.members/perCommand, func(i int) (int, int) { return i % s.sets, i / s.sets * perCommand })
		}
		return each(s.addFalling(s.members), s.sets, func(i int) (int, int) { return i, 0 })
	case small:
		return each(s.add(s.members), s.sets, func(i int) (int, int) { return i, 0 })
	case purged:
		if err := each(s.addFalling(s.members), copyable, func(i int) (int, int) { return s.sets + i, 0 }); err != nil {
			return err
		}
		for from := range copyable {
			copies := s.sets / copyable
			if from < s.sets%copyable {
				copies++
			}
			if err := each(s.copyOf(from), copies, func(i int) (int, int) { return i*copyable + from, 0 }); err != nil {
				return err
			}
			tell(float64(from) / copyable)
		}
		return nil
	case pairs:
		for _, set := range s.ofPair() {
			if err := each(s.add(set.members), s.sets, func(i int) (int, int) { return set.key + i, set.first }); err != nil {
				return err
			}
		}
		return nil
	}
	panic("bench: a shape of unknown kind " + s.kind)
}

// copyOf is COPY to the picked set from one of those to copy.
func (s shape) copyOf(from int) load.Template {
	return load.Command(load.Text("COPY"), load.Text(fmt.Sprintf("%s%012d", keyPrefix, s.sets+from)), s.key(), load.Text("REPLACE"))
}

// pairSet is one side of all pairs: its first key's number and its members, of which the smaller's second half is in both.
type pairSet struct{ key, first, members int }

func (s shape) ofPair() [2]pairSet {
	return [2]pairSet{{0, 0, s.members}, {s.sets, s.members / 2, 2 * s.members}}
}
