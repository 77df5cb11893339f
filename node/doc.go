// Package node is the server: it listens, reads commands, has them executed,
// sends the replies, and stops without losing any.
//
//	accept loop ──► connection goroutine, one each
//	                 read ─► query buffer ─► frame ─► command.Table.Execute
//	                  ▲                                   │ reply buffer
//	                  └──── nothing left to execute ◄── flush
//	                 (on tls-port after its handshake; see package secure)
//	sweep goroutine: expiry, idle and stuck clients, rates
//	HTTP: /livez /readyz /metrics
//
// # What a connection may cost
//
// A connection's memory is bounded whatever it sends: the query buffer grows
// only as bytes arrive and ends at client-query-buffer-limit, the reply buffer
// is flushed when it passes a threshold, and while a flush waits for a slow
// reader nothing more is read from it. A client that does not take its replies
// is closed. Before authentication only small commands are accepted at all.
//
// Parsing costs time in proportion to the bytes received: lengths are known
// from the headers, so an incomplete command is looked at again only once what
// it lacks has arrived.
//
// # Failures
//
// What a client does wrong costs that client its connection. A panic is a bug
// of ours that may have left a set half changed, so it is not recovered from:
// the process ends, and whoever runs it starts it anew.
//
// # Locks
//
// Commands hold partitions of the keyspace while they execute. No partition is
// ever held while a socket is written or read.
package node
