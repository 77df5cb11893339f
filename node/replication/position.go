package replication

import "strings"

// A Position says how much of a shard's history a copy has: up to the byte at Offset, the last one, which the primary of Epoch wrote.
// That of a node that has nothing is zero.
//
// A primary writes a mark of its epoch before anything else (Promote). So of two copies the one in the later epoch has all that was
// there when that began, whatever the other has beyond.
type Position struct{ Epoch, Offset int64 }

// Position is the node's. While the node gets all of another's data (Whole) it says nothing.
func (s *State) Position() Position {
	p := s.now.Load()
	next := p.offset()
	return Position{Epoch: p.marks.at(next), Offset: next - 1}
}

// Whole reports whether the data is all that the position says. It is not while the file of a primary replaces it, and from when that
// failed on.
func (s *State) Whole() bool { return !s.partial.Load() }

// Part says that the data is not what the position says any more, until Adopt.
func (s *State) Part() { s.partial.Store(true) }

// Mark notes that the log has the mark of an epoch before that offset, that of a next byte.
func (s *State) Mark(epoch, offset int64) {
	s.changing.Lock()
	defer s.changing.Unlock()
	p := *s.now.Load()
	p.marks = p.marks.with(epoch, offset)
	s.now.Store(&p)
}

// EpochAt is the epoch of the byte before that offset of the log, as far as the node knows.
func (s *State) EpochAt(offset int64) int64 { return s.now.Load().marks.at(offset) }

// EpochIn is the epoch that a log is of from a command of it on, if that is a mark or a stamp.
func (*State) EpochIn(args [][]byte) (epoch int64, ok bool) {
	id, ok := StampIn(args)
	return id.Epoch, ok
}

// StampIn is what a primary of this kind says of itself with a command of its log, if that is one that does.
func StampIn(args [][]byte) (Identity, bool) {
	if len(args) != 2 || !strings.EqualFold(string(args[0]), "PING") {
		return Identity{}, false
	}
	return ParseIdentity(string(args[1]))
}

// marks says which epoch wrote what of a log. It is immutable.
type marks struct {
	before int64  // the epoch of what is before all of them
	all    []mark // ascending
}

// A mark is the beginning of an epoch.
type mark struct {
	epoch, offset int64 // offset is that behind it
}

// marksKept is how many are kept: who asks, asks for what was written of late.
const marksKept = 16

// at is the epoch of the byte before an offset.
func (m marks) at(offset int64) int64 {
	for i := len(m.all) - 1; i >= 0; i-- {
		if m.all[i].offset <= offset {
			return m.all[i].epoch
		}
	}
	return m.before
}

// with is the marks with one more, behind all.
func (m marks) with(epoch, offset int64) marks {
	if m.at(offset) == epoch {
		return m
	}
	all := append(m.all[:len(m.all):len(m.all)], mark{epoch, offset})
	if len(all) > marksKept {
		m.before = all[0].epoch
		all = all[1:]
	}
	m.all = all
	return m
}
