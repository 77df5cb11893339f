// Package keyspace is the dictionary of keys: what each holds, when it
// expires, and how much memory all of it takes.
//
// # Shape
//
//	Keyspace
//	 └─ partition 0..127      one lock each; 128 neighbouring slots
//	     ├─ slot → dict       the keys of one hash slot, together
//	     └─ heap of entries   those that expire, soonest first
//
// A key's slot is CRC16 of the key (or of its {hash tag}) modulo 16384, as in
// Redis Cluster. A slot's keys live in a table of their own, so they can be
// listed, counted and later moved to another node without a search; and a
// table that grows rehashes one slot's keys only.
//
// # Promises
//
//   - A command holds the partitions of its keys, for reading or for writing and in ascending order
//     (Hold), for as long as it looks at or changes what they hold. Nothing
//     here blocks while a partition is held.
//   - A key whose time has come is never seen, whether or not it has been
//     removed yet. It is removed when it is next looked up or met by Scan, or
//     by ExpireDue.
//   - A key never holds an empty set once Settle was called for it.
//   - Used is the sum of what every entry, its key, its set and the tables
//     take: it is back at its first value when the last key is gone.
//   - A full SCAN returns each key that is present throughout exactly once.
//
// It does no I/O and reads no clock: times are handed in, in milliseconds
// since the Unix epoch. Only package command and the server call it.
package keyspace
