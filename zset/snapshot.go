package zset

import (
	"slices"
	"sync"
)

// A Snapshot gives the members of a skip list as they are at one moment, some at a time, while the set goes on changing
// between. It is for writing a large set down without making others wait for it: a set that is a listpack is written at
// once.
//
//	          given                not given yet
//	highest ◄───────────── from ◄──────────────────── lowest
//	                         │
//	   a member that changes here is let be          one that changes here is kept as it was, and given in the end
//
// Members are given from the highest on, but for those that were kept. A change costs the set a lookup in a map for each
// Snapshot, and the Snapshot memory for what it keeps and for each member that it must not take for one that was
// there.
type Snapshot struct {
	list    *skipList // nil of a listpack
	length  int
	left    int // members not given yet
	from    bound
	touched map[string]struct{} // members that changed
	kept    []keptMember
}

type keptMember struct {
	member string
	score  float64
}

// Snapshot begins one, which for whoever else uses the set is a change. It lasts until Close, also when the set is
// released before: the members not given yet are then kept by it. Those of a listpack are kept from the beginning.
func (s *Set) Snapshot() *Snapshot {
	l := s.list
	sn := &Snapshot{list: l, length: s.Len(), left: s.Len(), from: highest(), touched: map[string]struct{}{}}
	if l == nil {
		for member, score := range s.All() {
			sn.kept = append(sn.kept, keptMember{string(member), score})
		}
		return sn
	}
	if l.holders == nil {
		l.holders = new(holders)
	}
	l.holders.snapshots = append(l.holders.snapshots, sn)
	return sn
}

// Len is the number of members, given or not.
func (sn *Snapshot) Len() int { return sn.length }

// Kept is about how many bytes it keeps for members that changed.
func (sn *Snapshot) Kept() int {
	const entry, word = 64, 24
	return len(sn.touched)*entry + cap(sn.kept)*word
}

// Next gives some more members, looking at n of the set's, and reports whether there are more. Their bytes are good
// during the call of yield. The set must not be changed meanwhile.
func (sn *Snapshot) Next(n int, yield func(member []byte, score float64)) (more bool) {
	if sn.list != nil {
		rank, _ := sn.list.seek(&sn.from)
		if n = min(n, rank); n > 0 {
			sn.walk(rank, n, yield)
			return sn.left > 0
		}
	}
	for _, k := range sn.kept {
		yield([]byte(k.member), k.score)
	}
	sn.left -= len(sn.kept)
	sn.kept = nil
	return sn.left > 0
}

// walk gives the n members below the given rank, but for those that were touched.
func (sn *Snapshot) walk(rank, n int, yield func([]byte, float64)) {
	l := sn.list
	low, high := l.ends()
	sn.from.tie = tieMember
	l.descendFrom(l.walk(rank-1, low, high), n, func(member []byte, score float64) bool {
		if n--; n == 0 {
			sn.from.score, sn.from.member = score, append(sn.from.member[:0], member...)
		}
		if _, touched := sn.touched[string(member)]; !touched {
			yield(member, score)
			sn.left--
		}
		return true
	})
}

// Close ends the snapshot. The set must not be changed meanwhile, but may be released.
func (sn *Snapshot) Close() {
	if sn.list != nil {
		sn.list.forget(sn)
	}
}

// note keeps what is about to change: a member with its score, or one that is not there.
func (sn *Snapshot) note(member []byte, score float64, exists bool) {
	if _, touched := sn.touched[string(member)]; touched {
		return
	}
	name := string(member)
	sn.touched[name] = struct{}{}
	if exists && sn.from.follows(member, score) {
		sn.kept = append(sn.kept, keptMember{name, score})
	}
}

// holders is who needs a list: its set, and snapshots.
type holders struct {
	snapshots []*Snapshot // changes as the list does
	mu        sync.Mutex  // between who releases the set and who closes a snapshot
	released  bool        // guarded by mu
}

// watched reports whether a snapshot has to know of changes.
func (l *skipList) watched() bool { return l.holders != nil && len(l.holders.snapshots) > 0 }

// note tells all snapshots of a member that is about to change.
func (l *skipList) note(member []byte, score float64, exists bool) {
	for _, sn := range l.holders.snapshots {
		sn.note(member, score, exists)
	}
}

// noteRange tells of the members with ranks from start up to end, which are about to go.
func (l *skipList) noteRange(start, end int) {
	low, high := l.ends()
	l.ascendFrom(l.walk(start, low, high), end-start, func(member []byte, score float64) bool {
		l.note(member, score, true)
		return true
	})
}

// release gives the list's memory back, unless snapshots need it, which do so in the end.
func (l *skipList) release() {
	h := l.holders
	if h == nil {
		l.free()
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = true
	if len(h.snapshots) == 0 {
		l.free()
	}
}

func (l *skipList) forget(sn *Snapshot) {
	h := l.holders
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(h.snapshots, sn)
	if i < 0 {
		return
	}
	h.snapshots = slices.Delete(h.snapshots, i, i+1)
	if h.released && len(h.snapshots) == 0 {
		l.free()
	}
}
