package zset

import (
	"errors"
	"math"
)

// AddFlags are the conditions of Add, of which several may be given. Those that exclude each other (NX with XX,
// GT with LT) are no error here: no member meets both, so nothing is changed.
type AddFlags uint8

const (
	NX   AddFlags = 1 << iota // only add, leave existing members alone
	XX                        // only update, do not add
	GT                        // update only to a greater score; adding is not affected
	LT                        // update only to a smaller score; adding is not affected
	Incr                      // the score is added to the member's, a new member's being 0
)

// ErrFull is what Add returns when the set has no room for the member: it is longer than 1 GiB, the set's members of
// up to 32 KiB take 4 GiB, or its Memory has none left.
var ErrFull = errors.New("zset: no room for the member")

// AddResult says what Add did.
type AddResult uint8

const (
	Skipped   AddResult = iota // a condition was not met; nothing changed
	Added                      // the member is new
	Updated                    // the member has another score
	Unchanged                  // the member had that score already
)

// ErrNaN is what Add returns when the resulting score would not be a number.
var ErrNaN = errors.New("zset: resulting score is not a number (NaN)")

// Add gives member the score, or with Incr adds to it, under the conditions f. It returns the score that the
// member has now, 0 if it is not in the set. The member's bytes are copied; they may be bytes that this set
// handed out.
//
// A score equal to the member's changes nothing, so +0 does not replace -0 nor the reverse.
//
// With an error nothing has changed: ErrNaN when the result would be NaN, ErrFull when the set has no room.
func (s *Set) Add(member []byte, score float64, f AddFlags) (now float64, r AddResult, err error) {
	if math.IsNaN(score) {
		return 0, Skipped, ErrNaN
	}
	if len(member) > maxMember {
		return 0, Skipped, ErrFull
	}
	if s.list == nil {
		old, _, exists := s.packed.find(member)
		now, r, err = decide(exists, old.score, score, f)
		if r != Added && r != Updated {
			return now, r, err
		}
		members := s.Len()
		if r == Added {
			members++
		}
		if !s.outgrown(members, len(member)) {
			if !s.packed.put(old, member, now, exists) {
				return old.score, Skipped, ErrFull
			}
			s.changed()
			if s.observer != nil {
				s.observer.Put(member, now)
			}
			return now, r, nil
		}
		if !s.convert() {
			return 0, Skipped, ErrFull
		}
	}
	now, r, err = s.list.add(member, score, f, s.tuning.orDefault())
	switch {
	case r == Added || r == Updated:
		s.changed()
		if s.observer != nil {
			s.observer.Put(member, now)
		}
	case s.list.length == 0: // it was made for this member
		s.Release()
	}
	return now, r, err
}

// put writes a member that was found as old, or is new. It fails, with nothing changed, when there is no memory.
func (lp *listpack) put(old entry, member []byte, score float64, exists bool) bool {
	to := lp.seek(&bound{score: score, member: member})
	if exists {
		return lp.rescore(old, to, score)
	}
	return lp.insert(to, member, score)
}

func (l *skipList) add(member []byte, score float64, f AddFlags, t *Tuning) (now float64, r AddResult, err error) {
	at, hash, exists := l.find(member)
	var old float64
	if exists {
		old = l.records.score(at)
	}
	now, r, err = decide(exists, old, score, f)
	if l.watched() && (r == Added || r == Updated) {
		l.note(member, old, exists)
	}
	switch r {
	case Added:
		if !l.insert(member, hash, now, t) {
			return 0, Skipped, ErrFull
		}
	case Updated:
		if !l.rescore(at, old, now, t) {
			return old, Skipped, ErrFull
		}
		l.compact(1)
	}
	return now, r, err
}

// decide is what Add is to do about a member that exists with the score old, or does not.
func decide(exists bool, old, score float64, f AddFlags) (now float64, r AddResult, err error) {
	if !exists {
		if f&XX != 0 {
			return 0, Skipped, nil
		}
		return score, Added, nil
	}
	if f&NX != 0 {
		return old, Skipped, nil
	}
	if f&Incr != 0 {
		score += old
	}
	switch {
	case math.IsNaN(score):
		return old, Skipped, ErrNaN
	case f&GT != 0 && score <= old, f&LT != 0 && score >= old:
		return old, Skipped, nil
	case score == old:
		return old, Unchanged, nil
	}
	return score, Updated, nil
}
