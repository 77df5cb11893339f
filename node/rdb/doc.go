// Package rdb reads and writes sorted sets in the ecosystem's persistence
// format: as DUMP and RESTORE carry them, and as files of many keys.
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
// # A file
//
// A file has many keys with their values and expiries, between a magic and a
// checksum (file.go). An Encoder writes one and a Decoder reads it, each with
// memory for one string at a time. What other servers keep beside sorted sets
// is passed over and reported (foreign.go), for the caller to refuse or count.
//
// # Promises
//
//   - Read and Decoder refuse what is not exactly a payload or a file. They
//     never panic, and the memory they take is in proportion to what is
//     there, whatever counts and lengths it claims.
//   - What Append and Encoder write, Read and Decoder take back bit for bit, -0
//     and infinities included.
//
// It keeps no state, and does no I/O but through the io.Reader or io.Writer it
// is given. Package command calls it.
package rdb
