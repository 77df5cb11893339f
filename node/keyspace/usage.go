package keyspace

import "math/rand/v2"

// Each entry keeps one word about its use. Which of two forms it has shows in
// its top byte:
//
//	time    00..fe xxxxxx    Unix seconds of the last use, which fit until 2104
//	count   ff mmmm cc       cc: a logarithmic count of uses, 0 to 255
//	                         mmmm: Unix minutes modulo 2^16 when it was last used
//
// The count is written under an LFU policy, the time under any other. After a
// change of the policy words of the other form are read for what they say (the
// time of the last use, to a minute; a count of a new key, with the decay since)
// and take the new form at the key's next use, so a change costs nothing.
type word = uint32

const (
	countTag   = 0xff << 24
	freshCount = 5 // of a new key, lest it be the first to go again
	mostCount  = 255
	minute     = 60_000 // milliseconds
)

// Counting is how uses are counted under an LFU policy.
type Counting struct {
	On           bool // the policy is one of LFU; else only the time of the last use is kept
	LogFactor    int  // how much less likely each further count is
	DecayMinutes int  // minutes without use that take one off; 0 is never
}

// Count says how uses of keys are noted from now on. It may be called at any
// time.
func (ks *Keyspace) Count(how Counting) { ks.counting.Store(&how) }

// usedWord is the word of a key that is used now (milliseconds since the epoch),
// after word.
func (ks *Keyspace) usedWord(word uint32, now int64) uint32 {
	how := ks.counting.Load()
	if !how.On {
		return uint32(now / 1000)
	}
	return countWord(how.more(how.count(word, now), rand.Float64), now)
}

// freshWord is the word of a key that is made now.
func (ks *Keyspace) freshWord(now int64) uint32 {
	if ks.counting.Load().On {
		return countWord(freshCount, now)
	}
	return uint32(now / 1000)
}

func countWord(count uint8, now int64) word {
	return countTag | uint32(uint16(now/minute))<<8 | uint32(count)
}

func timeWord(now, idle int64) word { return uint32(max(now/1000-max(idle, 0), 0)) }

func isCount(w word) bool { return w >= countTag }

// idle is how many seconds a key has not been used by now.
func idle(w word, now int64) int64 {
	if isCount(w) {
		// To the minute; one that began is not over.
		return int64(uint16(now/minute)-uint16(w>>8)) * 60
	}
	return max(now/1000-int64(w), 0)
}

// count is how often a key was used of late, by now.
func (how *Counting) count(w word, now int64) uint8 {
	count := uint8(freshCount)
	if isCount(w) {
		count = uint8(w)
	}
	if how.DecayMinutes <= 0 {
		return count
	}
	periods := idle(w, now) / 60 / int64(how.DecayMinutes)
	return uint8(max(int64(count)-periods, 0))
}

// more is the count after one more use. Each further one is less likely, so
// that 255 steps tell a key used a hundred times from one used a million times.
func (how *Counting) more(count uint8, draw func() float64) uint8 {
	if count == mostCount {
		return count
	}
	above := float64(max(int(count)-freshCount, 0))
	if draw() < 1/(above*float64(how.LogFactor)+1) {
		count++
	}
	return count
}
