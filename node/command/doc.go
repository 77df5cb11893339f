// Package command is what the node understands: one table of commands, and
// their execution against the keyspace.
//
// The table is data. A Spec has a command's name, arity, flags, key positions,
// ACL categories, documentation and handler; dispatch, COMMAND (COUNT, INFO,
// DOCS, LIST, GETKEYS), CLIENT LIST and the statistics all read it, so nothing
// is said twice. Each family of commands has a file with its handlers and
// their part of the table.
//
// Table.Execute checks a command (known, arity, authentication, memory),
// holds the partitions of its keys, runs the handler, and counts. A handler
// reads Call.Args and writes exactly one reply to Call.W; it does no I/O, and
// the reply leaves only after the partitions were released. Everything a
// handler needs from outside (the keyspace, the configuration, the clock, the
// way to stop the node) is in Env.
//
// # Changes of keys
//
// Every write says what it changed, while it still holds the keys: c.settle
// after a change of an entry's set, c.remove and c.drop for keys that go,
// c.touched for everything else (an expiry, a set put in place), each with the
// event's name, once for each event, and never for a call that changed
// nothing. Transactions that watch the key, caches on clients' side and
// subscribers to keyspace events all hang on it. Keys that come into being,
// expire or are missed are noticed by the keyspace itself, and so are those
// that a client waits for: a blocking pop is served at the end of whatever
// command or transaction made the key.
//
// # Commands within commands
//
// EXEC holds the partitions of all it will run, and runs each with Call.Nested
// set: then the partitions are the outer command's to release. A command that
// looks at keys it does not name has Spec.Whole, so all partitions are held.
// Nested commands never wait.
//
// # Clients that wait
//
// A command may leave its client waiting instead of answering (Call.await, or
// a pause). The connection then calls Table.Resume when it is woken or at
// Call.Timeout. What others have to tell a client, they push to its outbox
// (client.Client.Push), which its own goroutine writes between two replies.
//
// The server's connections call it, and tests do.
package command
