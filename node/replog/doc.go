// Package replog is the log of what changes the data: effects, one after
// another, each byte with an offset, as replicas and the append-only file
// read them.
//
//	         start                                        end
//	           │                                           │
//	 forgotten │ chunk   │ chunk   │ chunk   │ chunk       │  not written yet
//	───────────┴─────────┴────┬────┴─────────┴───┬─────────┴───────────────►
//	                          │                  │               offset in bytes
//	                       reader             reader
//
// An effect is a command with absolute results, in the clients' protocol. Who
// runs a command appends its effects while the partitions are held whose data
// they change, so effects on the same key stand in the order in which they
// happened. What Append is given stays together: nothing of it is read before
// all of it is there to be read.
//
// # Promises
//
//   - Append never waits for a reader, and copies what it is given.
//   - The last bytes, as many as the log is told to keep, can be read again. A reader
//     may be farther behind, up to its own limit; then the log forgets what it
//     has not read, and it learns that it was overrun.
//   - Memory is bounded by the greater of what is kept and the limits of readers,
//     and a chunk.
//   - What a reader is given does not change, and is valid until it asks for more.
//
// Commands reads the commands of a log again, from a file or from a primary.
//
// The log does no I/O and reads no clock. All methods but those of one Reader may be called from any goroutine.
package replog
