package rdb

import (
	"encoding/binary"
)

// jones is the polynomial of the format's checksum, from David T. Jones, "Improved error statistics…" (2009), least
// significant bit first.
const jones = 0x95ac9329ac4bc9b5

// sums are what bytes add to the checksum that are followed by 0 to 15 others: so sixteen bytes at a time can be looked
// up one beside another (slicing, by Kounavis and Berry, 2008). Package crc64 does so with eight, but makes the tables anew at each
// call for a polynomial that is not one of its own.
var sums = func() (t [16][256]uint64) {
	for b := range 256 {
		sum := uint64(b)
		for range 8 {
			sum = sum>>1 ^ jones&-(sum&1)
		}
		t[0][b] = sum
	}
	for b := range 256 {
		for i := 1; i < len(t); i++ {
			t[i][b] = t[0][byte(t[i-1][b])] ^ t[i-1][b]>>8
		}
	}
	return t
}()

// checksum is CRC64 by Jones: reflected, from 0, with nothing done to the result.
func checksum(b []byte) uint64 { return updated(0, b) }

// updated is the checksum of what has the checksum sum, followed by b.
func updated(sum uint64, b []byte) uint64 {
	t := &sums
	for len(b) >= 16 {
		x, y := sum^binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		sum = t[15][byte(x)] ^ t[14][byte(x>>8)] ^ t[13][byte(x>>16)] ^ t[12][byte(x>>24)] ^
			t[11][byte(x>>32)] ^ t[10][byte(x>>40)] ^ t[9][byte(x>>48)] ^ t[8][byte(x>>56)] ^
			t[7][byte(y)] ^ t[6][byte(y>>8)] ^ t[5][byte(y>>16)] ^ t[4][byte(y>>24)] ^
			t[3][byte(y>>32)] ^ t[2][byte(y>>40)] ^ t[1][byte(y>>48)] ^ t[0][byte(y>>56)]
		b = b[16:]
	}
	for _, c := range b {
		sum = t[0][byte(sum)^c] ^ sum>>8
	}
	return sum
}
