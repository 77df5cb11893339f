// Package keyspace is the dictionary of keys: what each holds, when it
// expires, and how much memory all of it takes.
//
// # Shape
//
//	Keyspace
//	 └─ partition 0..127      one lock each; 128 neighbouring slots
//	     ├─ index             key → record, in (slot, hash) order
//	     ├─ queue             of the keys that expire, soonest first
//	     └─ large sets        those that are skip lists
//
// A key's slot is CRC16 of the key (or of its {hash tag}) modulo 16384, as in
// Redis Cluster. Hashes begin with the slot, so that a slot's keys lie together
// in the index (dict.go): they can be listed, counted and later moved to another
// node without a search. The index grows and shrinks in small steps.
//
// All there is of a key with a small set is one allocation outside the Go heap,
// its record (record.go), found by 32 bits:
//
//	index: tag, ref ──┐
//	                  ▼
//	                  +-------+-------+------------+---------------+-----+----------+
//	                  | usage | flags | key length | length of the | key | listpack |
//	                  +-------+-------+------------+ listpack      +-----+----------+
//	                   4       1       1            2
//	                  ▲
//	queue: ref ───────┘ if it expires, 12 bytes more: when, and where in the queue
//
// So a key with five members costs 67 bytes beside its name and theirs, 45 of them
// for scores that are random doubles. A set that becomes a skip list leaves the record,
// which keeps its number in the partition's row of large sets; a large set is one object of
// the Go heap, and its members are outside.
//
// # Handles
//
// What Find gives is an Entry, a handle of a record, which the Held that gave it
// uses again: finding makes no garbage. Each has a zset.Set of its own that
// works on the record's listpack in place (zset.Set.Attach), so several can be
// read at a time. A write that needs more room moves the record; so there is one
// handle for each record that is held for writing, and it knows where the record is.
// Settle, once the writing is done, notes the new length, lets a set that has become
// a skip list out, and removes a key left empty.
//
// # Journal
//
// With a journal (journal.go) each hold gathers what it changes, where it is
// changed, and Release appends that to the log as one, before it unlocks. Who saves
// all keys goes over them by a Walk (walk.go), each as it is when it is met; what
// was logged since the walk began, done again, brings all to the same moment.
//
//	Hold ── changes ── Release          a Walk begins      … meets keys …      ends
//	          │           │                  │
//	          ▼           ▼                  ▼
//	       effects ───► the log ─────────────┴───────────────────────────────►
//
// # Promises
//
//   - A command holds the partitions of its keys, for reading or for writing and in ascending order
//     (Hold), for as long as it looks at or changes what they hold. Nothing
//     here blocks while a partition is held.
//   - Records are read by who holds the partition and written by who holds it for
//     writing. One word of each is written by readers, atomically: that of its use. The race detector
//     does not see this memory, so no code here touches a record outside of a hold.
//   - A key whose time has come is never seen, whether or not it has been
//     removed yet. It is removed when it is next looked up or met by Scan, or
//     by ExpireDue.
//   - A key never holds an empty set once Settle was called for it.
//   - Used is the sum of what every record, every large set and the tables
//     take: it is back at its first value when the last key is gone.
//   - To remove a key, or all of them, takes no time in proportion to what they
//     hold, if Reclaim runs: it gives the memory back (reclaim.go).
//   - A change for which there is no memory fails with ErrFull, or zset.ErrFull
//     from the set, and has then changed nothing.
//   - Nothing changes that is not in the journal, but what a Held does that is
//     Mute, and a Filler; nothing is there that changed nothing. Without a journal there is no cost.
//   - A full SCAN returns each key that is present throughout exactly once.
//   - Evict removes one key a policy can do without, by samples of a partition
//     and a pool of the best candidates seen (evictpool.go), and waits for nobody.
//
// It does no I/O and reads no clock: times are handed in, in milliseconds
// since the Unix epoch. Only package command and the server call it.
package keyspace
