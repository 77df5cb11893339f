// Package rdb reads and writes sorted sets in the ecosystem's persistence
// format, as DUMP and RESTORE carry them.
//
// # A payload
//
//	┌──────┬───────────────────┬─────────┬──────────┐
//	│ type │ value             │ version │ checksum │
//	│ 1    │ depends on type   │ 2, LE   │ 8, LE    │
//	└──────┴───────────────────┴─────────┴──────────┘
//
// The checksum is CRC64 of all before it (crc64.go). Four types are sorted sets:
//
//	 3  a count, then for each a string and its score as decimal text
//	 5  a count, then for each a string and its score as 8 bytes, LE
//	12  a string that is a ziplist of members and scores in turn (ziplist.go)
//	17  a string that is a listpack of members and scores in turn (listpack.go)
//
// All are read, so what every Redis up to 8 and Valkey up to 9 dumps can be
// restored here. 5 and 17 are written, with the oldest version that has both,
// so any of them from version 7.0 on can restore what is dumped here.
// Strings and counts have encodings of their own (string.go, reader.go).
//
// The format is described in the servers' sources (rdb.h, listpack.md,
// ziplist.c) and, in prose, at https://rdb.fnordig.de/file_format.html.
//
// # Promises
//
//   - Read refuses what is not exactly a payload. It never panics, and the
//     memory it takes is in proportion to the payload's length, whatever
//     counts and lengths the payload claims.
//   - What Append writes, Read takes back bit for bit, -0 and infinities
//     included.
//
// It does no I/O and keeps no state. Package command calls it.
package rdb
