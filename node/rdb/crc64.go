package rdb

import "hash/crc64"

// jones is the polynomial of the format's checksum, from David T. Jones,
// "Improved error statistics…" (2009), least significant bit first.
var jones = crc64.MakeTable(0x95ac9329ac4bc9b5)

// checksum is CRC64 by Jones: reflected, from 0, with nothing done to the
// result.
func checksum(b []byte) uint64 { return updated(0, b) }

// updated is the checksum of what has the checksum sum, followed by b. Package
// crc64 inverts before and after, which is undone here.
func updated(sum uint64, b []byte) uint64 { return ^crc64.Update(^sum, jones, b) }
