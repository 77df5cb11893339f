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
// The server's connections call it, and tests do.
package command
