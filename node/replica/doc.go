// Package replica is a replica's side of replication: it follows a primary, ours or any Redis or Valkey, by the PSYNC
// protocol.
//
//	replica                                   primary
//	   │  PING, AUTH, REPLCONF …                  │   handshake.go
//	   │ ───────────────────────────────────────► │
//	   │  PSYNC id offset                         │
//	   │ ───────────────────────────────────────► │
//	   │             +CONTINUE, or +FULLRESYNC    │
//	   │ ◄─────────────────────────────────────── │
//	   │             an RDB file, if full         │   transfer.go
//	   │ ◄─────────────────────────────────────── │
//	   │             effects …                    │   link.go
//	   │ ◄─────────────────────────────────────── │
//	   │  REPLCONF ACK offset, each second        │
//	   │ ───────────────────────────────────────► │
//
// It knows nothing of the keyspace: what arrives goes to a Sink, in order, one call at a time. It holds one command or
// one string of a file in memory. Every wait is bounded: a primary that is silent for Options.Timeout is given up.
package replica
