package zset

// An Observer is told of each change of a set, in the order in which they happen, in terms that do not depend on what the set
// was before: so whoever does the same to any earlier or later state of the set ends up with the same. Its methods
// must not use the set.
type Observer interface {
	// Put says that member has this score now. The bytes are those that Add was given, which must not be the set's own.
	Put(member []byte, score float64)
	// Take says that member is about to go. The bytes are good during the call.
	Take(member []byte)
}

// Observe lets o be told of changes from now on, nil nobody. Not told is what happens to a set as a whole: Release,
// Detach, and a RemoveRange of all members, after which the set is empty.
func (s *Set) Observe(o Observer) { s.observer = o }

// takeRange tells of the members of r, which are about to go.
func (s *Set) takeRange(r Range) {
	for member := range s.Ascend(r) {
		s.observer.Take(member)
	}
}
