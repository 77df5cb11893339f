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

func crc16(b []byte) uint16 {
	var crc uint16
	for _, c := range b {
		crc = crc<<8 ^ crcTable[byte(crc>>8)^c]
	}
	return crc
}

// crcTable is CRC16/XMODEM: polynomial x^16 + x^12 + x^5 + 1, start 0, no
// reflection.
var crcTable = func() (table [256]uint16) {
	for i := range table {
		crc := uint16(i) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		table[i] = crc
	}
	return table
}()
