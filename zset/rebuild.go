package zset

import "math"

// Rebuild makes a skip list anew by the present tuning: all towers are drawn with its P and MaxLevel, blocks are full,
// and no memory is left that removals have freed. A set that the tuning allows to be a listpack becomes one. It takes time
// in proportion to the members, of the order of 100 ns each, and memory for both lists meanwhile; without that it
// returns ErrFull and has changed nothing.
func (s *Set) Rebuild() error {
	if s.list == nil {
		return nil
	}
	if !s.list.rebuild(0, 0, s.tuning.orDefault()) {
		return ErrFull
	}
	s.changed()
	return nil
}

// An appender makes a skip list from members that arrive in order, each at the end: it remembers the last block
// of every level, so that none is searched for.
type appender struct {
	list   *skipList
	tuning *Tuning
	end    path // last block of each level and its rank, 0 being the head
	expect int  // how many members are still to come
}

// newAppender fills an empty list with about so many members.
func newAppender(l *skipList, members int, t *Tuning) *appender {
	l.index.Prepare(members)
	return &appender{list: l, tuning: t, expect: members}
}

// append adds a member that is not there and belongs at the end. It fails, with no member changed, when there is no
// memory.
func (a *appender) append(member []byte, hash uint64, score float64) bool {
	l := a.list
	r, ok := l.records.add(member, score)
	if !ok {
		return false
	}
	if !l.index.Reserve(hash, l) || !a.place(r, score) {
		l.records.remove(r)
		return false
	}
	l.index.Insert(hash, uint32(r))
	return true
}

// place adds a record that belongs at the end to the last block. It fails, with no member changed, when there is no
// memory.
func (a *appender) place(r ref, score float64) bool {
	at, ok := a.room(score)
	if !ok {
		return false
	}
	at.insert(at.count(), 0, r) // the key is of no use before the block is complete
	a.list.length++
	a.expect--
	return true
}

// room is the last block with room for a member.
func (a *appender) room(score float64) (at block, ok bool) {
	l := a.list
	if l.last != 0 {
		if at = l.blocks.at(l.last); !at.full() {
			return at, true
		}
	}
	levels := a.tuning.level(l.random.Uint64())
	entries := a.tuning.options.BlockEntries
	if a.expect > 0 {
		entries = min(a.expect, entries)
	}
	r, at, ok := l.blocks.add(levels, blockUnits(levels, entries))
	if !ok {
		return nil, false
	}
	a.complete()
	l.raise(levels)
	for level := range levels {
		l.block(a.end.prev[level]).setLink(level, score, r, l.length-int(a.end.rank[level]))
		at.setLink(level, math.Inf(1), 0, 0)
		a.end.prev[level], a.end.rank[level] = r, uint32(l.length)
	}
	at.setBack(l.last)
	l.last = r
	return at, true
}

// complete gives the members of the last block their keys.
func (a *appender) complete() {
	if l := a.list; l.last != 0 {
		l.refit(l.blocks.at(l.last), bothSides)
	}
}

// finish ends the filling.
func (a *appender) finish() {
	a.complete()
	a.list.lead()
}

// rebuild moves the members but those with ranks from start up to end into a new list, which has no waste, in order,
// which is good for walks. The hash key stays, so that a scan can go on. Without memory for that nothing changes
// and ok is false.
func (l *skipList) rebuild(start, end int, t *Tuning) (ok bool) {
	fresh := newSkipList(l.records.mem, &l.random)
	fresh.key, fresh.holders = l.key, l.holders
	fresh.records.limit, fresh.blocks.limit = l.records.limit, l.blocks.limit
	a := newAppender(fresh, l.length-(end-start), t)
	rank := 0
	for r := l.head.next(0); r != 0; {
		at := l.blocks.at(r)
		l.touchBlock(at, 0, at.count())
		for i := range at.count() {
			if rank < start || rank >= end {
				member, score := l.records.pair(at.ref(i))
				if !a.append(member, l.key.sum(member), score) {
					fresh.free()
					return false
				}
			}
			rank++
		}
		r = at.next(0)
	}
	a.finish()
	l.free()
	*l = *fresh
	return true
}
