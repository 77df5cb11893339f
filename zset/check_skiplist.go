package zset

import (
	"errors"
	"fmt"
	"math"
)

func (l *skipList) check() error {
	chain, members, err := l.checkOrder()
	if err != nil {
		return err
	}
	return errors.Join(l.checkLevels(chain), l.checkIndex(members), l.checkRecords(members), l.checkBlocks(chain))
}

// checkOrder walks the lowest level, and gives the refs of all blocks and of all records in order.
func (l *skipList) checkOrder() (chain, members []ref, err error) {
	prev, low := ref(0), math.Inf(-1)
	for r := l.head.next(0); r != 0; r = l.blocks.at(r).next(0) {
		at := l.blocks.at(r)
		if back := at.back(); back != prev {
			return nil, nil, fmt.Errorf("block %d of %d: back is %d, want %d", len(chain), r, back, prev)
		}
		if n := at.count(); n == 0 || n > at.room() {
			return nil, nil, fmt.Errorf("block %d has %d members with room for %d", len(chain), n, at.room())
		}
		if prev != 0 {
			between := l.blocks.at(prev).bound(0)
			first := l.records.score(at.ref(0))
			if between < low || between > first {
				return nil, nil, fmt.Errorf("block %d: %v does not separate %v and %v", len(chain), between, low, first)
			}
		}
		for i := range at.count() {
			m := at.ref(i)
			member, score := l.records.pair(m)
			if math.IsNaN(score) {
				return nil, nil, fmt.Errorf("rank %d: score is not a number", len(members))
			}
			if key, outside := at.keyOf(score); key != at.key(i) || outside {
				return nil, nil, fmt.Errorf("rank %d: key is %d, want %d, outside %v", len(members), at.key(i), key, outside)
			}
			if n := len(members); n > 0 {
				before, least := l.records.pair(members[n-1])
				if b := (bound{score: score, member: member}); !b.follows(before, least) {
					return nil, nil, fmt.Errorf("rank %d: member %q with score %v is out of order", n, member, score)
				}
			}
			members = append(members, m)
			low = score
		}
		chain = append(chain, r)
		prev = r
	}
	if l.last != prev {
		return nil, nil, fmt.Errorf("last is %d, want %d", l.last, prev)
	}
	if len(members) == 0 || len(members) != l.length {
		return nil, nil, fmt.Errorf("length is %d, members are %d", l.length, len(members))
	}
	return chain, members, nil
}

// checkLevels builds the links of all levels from the blocks' order and height, and compares.
func (l *skipList) checkLevels(chain []ref) error {
	top, rank := 1, 0
	prev, seen := make([]ref, levelsLimit), make([]int, levelsLimit)
	expect := func(level int, next ref, between float64) error {
		at := l.block(prev[level])
		if at.next(level) != next {
			return fmt.Errorf("level %d, rank %d: next is %d, want %d", level, seen[level], at.next(level), next)
		}
		if next != 0 && at.span(level) != rank-seen[level] {
			return fmt.Errorf("level %d, rank %d: span is %d, want %d", level, seen[level], at.span(level), rank-seen[level])
		}
		if have := at.bound(level); have != between {
			return fmt.Errorf("level %d, rank %d: bound is %v, want %v", level, seen[level], have, between)
		}
		return nil
	}
	for i, r := range chain {
		at := l.blocks.at(r)
		levels := at.levels()
		if levels > l.levels {
			return fmt.Errorf("block %d has %d levels, the list %d", i, levels, l.levels)
		}
		top = max(top, levels)
		between := math.Inf(-1)
		if i > 0 {
			between = l.block(prev[0]).bound(0)
		}
		for level := range levels {
			if err := expect(level, r, between); err != nil {
				return err
			}
			prev[level], seen[level] = r, rank
		}
		rank += at.count()
	}
	if l.levels != top {
		return fmt.Errorf("list has %d levels, its tallest block %d", l.levels, top)
	}
	for level := range l.levels {
		if err := expect(level, 0, math.Inf(1)); err != nil {
			return err
		}
	}
	return nil
}

// checkIndex finds each record, and nothing else.
func (l *skipList) checkIndex(members []ref) error {
	for i, r := range members {
		if found, _, _ := l.find(l.records.member(r)); found != r {
			return fmt.Errorf("rank %d: index finds %d, want %d", i, found, r)
		}
	}
	refs, err := l.index.Check(l)
	if err == nil && refs != len(members) {
		err = fmt.Errorf("index has %d members, list %d", refs, len(members))
	}
	return err
}

// checkRecords accounts for each byte of the records' memory: it belongs to one record or one hole.
func (l *skipList) checkRecords(members []ref) error {
	a := &l.records
	live := map[ref]bool{}
	longs, apart := 0, 0
	for _, r := range members {
		live[r] = true
		if len(a.member(r)) >= longMember {
			longs++
		}
	}
	for _, e := range a.longs {
		apart += len(e.Buf)
		if e.Buf != nil {
			longs--
		}
	}
	if longs != 0 || apart != a.apart {
		return fmt.Errorf("long members: %d too many, %d bytes, want %d", -longs, a.apart, apart)
	}
	listed := map[ref]bool{}
	for class := range recordClasses {
		r := ref(0)
		if class < len(a.holes) {
			r = a.holes[class]
		}
		if (r != 0) != (a.some[class/64]>>(class%64)&1 != 0) {
			return fmt.Errorf("records: class %d of holes begins at %d, marks are %b", class, r, a.some)
		}
		for previous := ref(0); r != 0; {
			next, back := holeLinks(a.at(r))
			size, hole := extentOf(a.at(r))
			if back != previous || !hole || recordClass(size) != class || listed[r] {
				return fmt.Errorf("records: hole %d of %d bytes in class %d is not linked right", r, size, class)
			}
			listed[r] = true
			previous, r = r, next
		}
	}
	return a.checkWalk("records", func(offset uint64) (size int, used bool, err error) {
		if offset == 0 {
			return nilBytes, false, nil
		}
		r := ref(offset)
		size, hole := extentOf(a.at(r))
		if hole == live[r] || hole != listed[r] {
			return 0, false, fmt.Errorf("piece %d of %d bytes: hole %v, in the list %v, among the holes %v", r, size, hole, live[r], listed[r])
		}
		return size, !hole, nil
	}, len(live), len(listed))
}

// checkBlocks accounts for each unit of the blocks' memory.
func (l *skipList) checkBlocks(chain []ref) error {
	a := &l.blocks
	live, listed := map[ref]bool{}, map[ref]bool{}
	for _, r := range chain {
		live[r] = true
	}
	for class := range holeClasses + 1 {
		r := ref(0)
		if class < len(a.holes) {
			r = a.holes[class]
		}
		if (r != 0) != (a.some>>class&1 != 0) {
			return fmt.Errorf("blocks: class %d of holes begins at %d, marks are %b", class, r, a.some)
		}
		for previous := ref(0); r != 0; {
			next, back := holeLinks(a.at(r))
			units, levels := a.holeUnits(r), a.at(r).levels()
			if back != previous || levels != 0 || holeClass(units) != class || listed[r] {
				return fmt.Errorf("blocks: hole %d of %d units in class %d is not linked right", r, units, class)
			}
			listed[r] = true
			previous, r = r, next
		}
	}
	return a.checkWalk("blocks", func(offset uint64) (size int, used bool, err error) {
		if offset == 0 {
			return nilBytes, false, nil
		}
		r := ref(offset >> unitShift)
		units, hole := a.at(r).units(), a.at(r).levels() == 0
		if hole {
			units = a.holeUnits(r)
		}
		if hole == live[r] || hole != listed[r] {
			return 0, false, fmt.Errorf("piece %d of %d units: hole %v, in the list %v, among the holes %v", r, units, hole, live[r], listed[r])
		}
		return units * unitBytes, !hole, nil
	}, len(live), len(listed))
}

// checkWalk goes through segments from piece to piece, and holds the books against what it sees: so many pieces in use
// and so many holes.
func (s *segments) checkWalk(what string, piece func(offset uint64) (size int, used bool, err error), used, holes int) error {
	held, live := 0, 0
	for number, buf := range s.bufs {
		held += len(buf)
		inUse, at := 0, 0
		if number == s.victim {
			at = int(s.sweep) // nothing is listed of what is before
		}
		for at < int(s.books[number].filled) {
			size, used1, err := piece(uint64(number)<<segmentShift | uint64(at))
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", what, err)
			case size <= 0:
				return fmt.Errorf("%s: piece of %d bytes", what, size)
			case used1:
				inUse += size
				used--
			case number > 0 || at > 0: // the unused beginning is neither
				holes--
			}
			at += size
		}
		if at != int(s.books[number].filled) || at > len(buf) {
			return fmt.Errorf("%s: segment %d of %d bytes is filled to %d, its last piece ends at %d", what, number, len(buf), s.books[number].filled, at)
		}
		if inUse != int(s.books[number].live) {
			return fmt.Errorf("%s: segment %d has %d bytes live, want %d", what, number, s.books[number].live, inUse)
		}
		live += inUse
	}
	if held != s.held || live != s.live {
		return fmt.Errorf("%s: %d bytes held and %d live, want %d and %d", what, s.held, s.live, held, live)
	}
	if used != 0 || holes != 0 {
		return fmt.Errorf("%s: %d pieces in use and %d holes are not in any segment", what, used, holes)
	}
	return nil
}
