package keyspace

import "bytes"

// Slots is the number of hash slots, fixed by the cluster protocol.
const Slots = 16384

const (
	partitionCount   = 128
	slotsInPartition = Slots / partitionCount
)

// Slot is the hash slot of key: CRC16/XMODEM modulo 16384, of what stands
// between the first { and the first } after it when that is not empty, else of
// the whole key.
func Slot(key []byte) int {
	if open := bytes.IndexByte(key, '{'); open >= 0 {
		if length := bytes.IndexByte(key[open+1:], '}'); length > 0 {
			key = key[open+1 : open+1+length]
		}
	}
	return int(crc16(key)) & (Slots - 1)
}

// crc16 is CRC16/XMODEM: polynomial x^16 + x^12 + x^5 + 1, start 0, no
// reflection. It takes eight bytes at a time: each one's share in the result has a
// table of its own, so that none waits for the one before it.
func crc16(b []byte) uint16 {
	var crc uint16
	for ; len(b) >= 8; b = b[8:] {
		t := &crcTables
		crc = t[7][b[0]^byte(crc>>8)] ^ t[6][b[1]^byte(crc)] ^ t[5][b[2]] ^ t[4][b[3]] ^ t[3][b[4]] ^ t[2][b[5]] ^ t[1][b[6]] ^ t[0][b[7]]
	}
	for _, c := range b {
		crc = crc<<8 ^ crcTables[0][byte(crc>>8)^c]
	}
	return crc
}

// crcTables has the share of a byte with 0 to 7 bytes behind it.
var crcTables = func() (tables [8][256]uint16) {
	for i := range 256 {
		crc := uint16(i) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		tables[0][i] = crc
	}
	for behind := 1; behind < 8; behind++ {
		for i, crc := range tables[behind-1] {
			tables[behind][i] = crc<<8 ^ tables[0][crc>>8]
		}
	}
	return tables
}()
