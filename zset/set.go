package zset

import (
	"math/rand/v2"
	"unsafe"
)

// Encoding says how a set is held.
type Encoding uint8

const (
	Listpack Encoding = iota // one packed block of bytes
	SkipList                 // skip list and member index
)

// String gives the name under which clients know the encoding.
func (e Encoding) String() string {
	if e == Listpack {
		return "listpack"
	}
	return "skiplist"
}

// Set is a sorted set, made by New. It must not be copied. Any number of goroutines may read it at a time, or
// one write it.
type Set struct {
	tuning *Tuning   // nil: the defaults
	memory Memory    // of the list; nil: the Go heap
	packed listpack  // the members, while list is nil
	list   *skipList // the members, once they were too many or too long for a listpack; never empty
	// observer is told of changes; nil: nobody
	observer Observer
	// changes is different after each change to the set. It tells a Range whether the places it remembers still
	// hold. It begins at the set's seed, so that it also seeds the skip list.
	changes uint64
}

// New makes an empty set with a random seed; a nil t stands for the default options.
func New(t *Tuning) *Set { return NewSeeded(t, rand.Uint64()) }

// NewIn is New for a set that has its skip list in m, of which it holds none again once it is released or has lost its
// last member. Listpacks are in the Go heap.
func NewIn(m Memory, t *Tuning) *Set {
	s := New(t)
	s.memory = m
	return s
}

// NewSeeded makes an empty set whose towers and index follow from seed and from what is done to it, for runs
// that can be repeated. Whoever can guess the seed can choose members that make the index slow.
func NewSeeded(t *Tuning, seed uint64) *Set { return &Set{tuning: t, changes: seed} }

// SetTuning changes the options for what is written from now on; nil restores the defaults. It does no work
// itself.
//
// A listpack that exceeds the new thresholds converts at the next Add that changes it. A skip list does not go back to
// a listpack when thresholds rise, only when it has lost its last member. In a skip list each block that is made from
// now on, mostly by splitting one that is full, has its tower drawn with the new P and MaxLevel, and blocks are
// split when they exceed the new BlockEntries. Rebuild applies the options to all there is.
func (s *Set) SetTuning(t *Tuning) {
	s.tuning = t
}

// Tuning is what SetTuning or New set.
func (s *Set) Tuning() *Tuning { return s.tuning }

// Len is the number of members.
func (s *Set) Len() int {
	if s.list != nil {
		return s.list.length
	}
	return s.packed.len()
}

// Encoding says how the set is held now. An empty set is a Listpack.
func (s *Set) Encoding() Encoding {
	if s.list != nil {
		return SkipList
	}
	return Listpack
}

// MemoryUsage is the number of bytes the set holds in all: itself and every array behind it at its capacity.
// Asking costs the same however large the set is.
func (s *Set) MemoryUsage() int {
	usage := int(unsafe.Sizeof(*s)) + cap(s.packed.buf)
	if s.list != nil {
		usage += s.list.bytes()
	}
	return usage
}

// Release drops all members and gives back the memory that held them. The set is then empty and may be used
// again. Call it when done with a set: its memory need not be of the kind that the garbage collector frees. It may
// be called by a goroutine that the set was handed over to.
func (s *Set) Release() {
	if s.list != nil {
		s.list.release()
	}
	s.packed.buf, s.list = nil, nil
	s.changed()
}

// changed is called at the end of each change.
func (s *Set) changed() {
	s.changes++
	s.verify()
}

// outgrown says that a set with so many members, one of which has size bytes and is being written, may not be a
// listpack.
func (s *Set) outgrown(members, size int) bool {
	o := &s.tuning.orDefault().options
	return members > o.ListpackMaxEntries || size > o.ListpackMaxValueBytes ||
		len(s.packed.buf)+size > listpackLimit
}

// convert makes the listpack a skip list. It fails, with nothing changed, when there is no memory.
func (s *Set) convert() bool {
	a := s.convertTo(s.packed.len() + 1)
	if a != nil {
		a.finish()
	}
	return a != nil
}

// convertTo makes the listpack a skip list that is to have so many members, and leaves it to the appender it returns to
// add those that are missing. It is nil when there is no memory, and then nothing has changed.
func (s *Set) convertTo(members int) *appender {
	list := newSkipList(s.memory, rand.NewPCG(s.changes, 0))
	a := newAppender(list, max(members, s.packed.len()), s.tuning.orDefault())
	for e := range s.packed.all {
		if !a.append(e.member, list.key.sum(e.member), e.score) {
			list.free()
			return nil
		}
	}
	s.packed.buf, s.list = nil, list
	s.changes++
	return a
}
