// Package replication is what a node is in replication: primary or replica, which log it has and how far, and who
// follows it. It serves those that do.
//
//	                     ┌────────────────── State ──────────────────┐
//	clients' changes ──► │ primary: keyspace.Journal appends effects │
//	                     │                                replog.Log │ ──► Follower ──► socket of a replica
//	primary's stream ──► │ replica: who follows appends its bytes    │        ▲
//	                     └───────────────────────────────────────────┘        │ REPLCONF ACK, from the connection
//	                                                                    Confirmations
//
// # Offsets
//
// An offset here, as everywhere in the node, is that of a byte, the first one ever being 1; what is asked for or said to
// be reached is the offset of the next byte. The protocol speaks of the last byte instead in FULLRESYNC, REPLCONF ACK,
// INFO (master_repl_offset) and ROLE: one less. PSYNC asks for the next byte, so there both are the same.
//
// # Promises
//
//   - The log of a node that has one holds everything that changed the data since the log began, in order. A log that
//     was off, because nobody read it, goes on under a new history: whoever has the old one gets all the data anew.
//   - Nobody who reads the log makes those wait who write: a follower that is too far behind is closed.
//   - Every method of State may be called from any goroutine. Those that change it (Open, Adopt, Follow, Promote and
//     the like) wait for all partitions of the keyspace, so whoever holds one must not call them; the others never wait.
package replication
