package keyspace

import (
	"sync/atomic"

	"zset.dev/operator/zset"
)

// Entry is one key and what it holds. It belongs to its partition: every field
// and method needs the partition's lock, except Key, which never changes.
type Entry struct {
	next     *Entry // the next entry of the same bucket
	key      string
	set      *zset.Set
	hash     uint64 // of the key; its low bits, which no table is so large as to use, are the slot
	expireAt int64  // milliseconds since the epoch; 0 is never
	setBytes int64  // what the set took when it was last settled
	due      int32  // index in the partition's heap; -1 when it does not expire

	used atomic.Uint32 // a word of use (usage.go); written beside other readers
}

// slot is the key's hash slot.
func (e *Entry) slot() int { return int(e.hash & (Slots - 1)) }

// entryBytes is the size of an Entry; a test compares it with the real one.
const entryBytes = 64

// Key is the entry's name. It may be kept after the partition is released.
func (e *Entry) Key() string { return e.key }

// Set is the sorted set to read from. To change it, use Write.
func (e *Entry) Set() *zset.Set { return e.set }

// Write is the sorted set to change, with the tuning its next write follows.
// Held.Settle must be called afterwards.
func (e *Entry) Write(t *zset.Tuning) *zset.Set {
	e.set.SetTuning(t)
	return e.set
}

// ExpireAt is when the key expires, in milliseconds since the epoch; 0 when it
// does not.
func (e *Entry) ExpireAt() int64 { return e.expireAt }

// Idle is how many seconds the key has not been used by now (milliseconds since
// the epoch); under an LFU policy, to a minute.
func (e *Entry) Idle(now int64) int64 { return idle(e.used.Load(), now) }

// SetIdle takes the key for one that has not been used for so many seconds.
func (e *Entry) SetIdle(now, seconds int64) { e.used.Store(timeWord(now, seconds)) }

// Frequency is how often the key was used of late, on a logarithmic scale of 0
// to 255. It means something under an LFU policy.
func (ks *Keyspace) Frequency(e *Entry, now int64) uint8 {
	return ks.counting.Load().count(e.used.Load(), now)
}

// SetFrequency takes the key for one that was used so often.
func (e *Entry) SetFrequency(now int64, frequency uint8) {
	e.used.Store(countWord(frequency, now))
}

// use notes that the key is used now.
func (e *Entry) use(ks *Keyspace, now int64) {
	before := e.used.Load()
	if after := ks.usedWord(before, now); after != before {
		e.used.Store(after)
	}
}

// MemoryUsage is the bytes the key takes in all: its entry, its name, its
// share of the table and its set.
func (e *Entry) MemoryUsage() int64 {
	return entryBytes + bucketBytes + keyBytes(len(e.key)) + int64(e.set.MemoryUsage())
}

// fixedBytes is what the entry takes beside its set and its bucket.
func (e *Entry) fixedBytes() int64 { return entryBytes + keyBytes(len(e.key)) }

// keyBytes is what a key of n bytes takes: allocations are of whole words.
func keyBytes(n int) int64 { return int64(n+7) &^ 7 }
