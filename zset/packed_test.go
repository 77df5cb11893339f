package zset

import (
	"fmt"
	"testing"
)

func TestPacked(t *testing.T) {
	tests := []struct {
		value  uint64
		packed string // in hexadecimal
	}{
		{0, "00"},
		{1, "01"},
		{127, "7f"},
		{128, "8080"},
		{300, "812c"},
		{1<<14 - 1, "bfff"},
		{1 << 14, "c04000"},
		{1 << 21, "e0200000"},
		{1<<28 - 1, "efffffff"},
		{1 << 28, "f010000000"},
		{1 << 35, "f80800000000"},
		{1 << 42, "fc040000000000"},
		{1 << 49, "fe02000000000000"},
		{1<<56 - 1, "feffffffffffffff"},
	}
	for _, test := range tests {
		packed := appendPacked([]byte("ab"), test.value)
		if got := fmt.Sprintf("%x", packed[2:]); got != test.packed || packedLen(test.value) != len(test.packed)/2 {
			t.Errorf("%d is packed as %s in %d bytes, want %s", test.value, got, packedLen(test.value), test.packed)
		}
		if value, n := packedAt(append(packed, 0xee), 2); value != test.value || n != len(packed)-2 || tagLen(packed[2]) != n {
			t.Errorf("%s reads %d in %d bytes, want %d", test.packed, value, n, test.value)
		}
	}
	if tagLen(notPacked) != 9 {
		t.Errorf("tagLen(notPacked) = %d", tagLen(notPacked))
	}
}
