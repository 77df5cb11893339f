// Package following makes a node a replica of another: it keeps a link (package replica) to the primary it was told to follow, has
// what comes done to the data, and keeps the node's own log a copy of the primary's. It also ends that: a promotion, or the
// hand-over of a primary to one of its replicas.
//
//	REPLICAOF, FAILOVER ──► Following ──► pursuit, one for each primary followed: attempts with pauses between
//	                            │             │
//	                            │             └─► replica.Link ──► sink ──► Data.Apply, then the bytes ──► replication.State's log
//	                            └─► replication.State: Follow, Adopt, Continue, Promote
//
// # What is in the log
//
// Only whole transactions whose commands were applied, byte for byte as the primary sent them and at its offsets: so
// others can follow the node, it can go on with any of its fellow replicas' logs, and the append-only file is a copy of the log. It is appended to
// once for what came at once. What a foreign primary sends does not stand being done twice, so nothing is applied while
// somebody saves (replication.State.Frozen).
//
// # Whom a node follows
//
// A foreign primary is followed whatever it has. One of this kind says which epoch it is of and which run of which
// node it is (trust.go): one of an earlier epoch is refused, as is one of the same epoch that is another run and does
// not have what this node has, since it restarted with less. Who tells the node to follow another while it is a primary
// itself means that one, whatever it has.
//
// In a shard a record decides who is primary, and what nodes have seen does not: Stand makes a node nobody's replica, FollowHolder
// that of the process that holds the record, whatever it has, and of no other; Promote makes it a primary in the record's epoch.
//
// # Waits
//
// All are bounded: connecting and silence by repl-timeout, the pause between attempts by retryMost, a hand-over by its own time or until
// it is aborted. Every goroutine ends with Close, which waits for it.
package following
