package zset

import "unsafe"

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

// Set is a sorted set. The zero value is an empty set with the default options. A Set must not be copied
// once used. Any number of goroutines may read it at a time, or one write it.
type Set struct {
	tuning *Tuning  // nil: the defaults
	packed listpack // the members, while list is nil
	// changes counts what was done to the set. It tells a Range whether the places it remembers still hold.
	changes uint64
}

// New makes an empty set; a nil t stands for the default options.
func New(t *Tuning) *Set { return &Set{tuning: t} }

// SetTuning changes the options for what is written from now on; nil restores the defaults. It does no work
// itself: a listpack that exceeds the new thresholds converts at the next write to it, towers are made with
// the new P from now on, and a skip list does not go back to a listpack when the thresholds rise (it does
// when it loses its last member).
func (s *Set) SetTuning(t *Tuning) { s.tuning = t }

// Len is the number of members.
func (s *Set) Len() int { return s.packed.len() }

// Encoding says how the set is held now. An empty set is a Listpack.
func (s *Set) Encoding() Encoding { return Listpack }

// MemoryUsage is the number of bytes the set holds in all: itself and every array behind it at its capacity.
// It costs the same however large the set is.
func (s *Set) MemoryUsage() int { return int(unsafe.Sizeof(*s)) + cap(s.packed.buf) }

// Release drops all members and gives back the memory that held them. Call it when done with a set: memory
// outside the Go heap is not found by the garbage collector. The set is then empty and may be used again.
func (s *Set) Release() {
	s.packed = listpack{}
	s.changes++
}
