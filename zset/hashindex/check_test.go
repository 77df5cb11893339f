package hashindex

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCheckSeesDamage damages an index in all the ways that Check is there to find.
func TestCheckSeesDamage(t *testing.T) {
	used := func(ix *Index) (b []byte, slot int) {
		for at := 0; ; at++ {
			b := ix.tables[0].bucket(at)
			for slot := range bucketSlots {
				if b[slot] > 1 {
					return b, slot
				}
			}
		}
	}
	tests := []struct {
		damage func(ix *Index)
		found  string
	}{
		{func(ix *Index) { b, slot := used(ix); b[slot] ^= 0xff }, "tag is"},
		{func(ix *Index) { b, slot := used(ix); b[slot] = 0 }, "slots are taken"},
		{func(ix *Index) { b, slot := used(ix); setBucketRef(b, slot, 4999) }, "want"},
		{func(ix *Index) { ix.tables[0].used-- }, "slots are taken"},
		{func(ix *Index) { ix.tables[0].bucket(0)[flagsAt]++ }, "overflow of"},
		{func(ix *Index) { b, slot := used(ix); setFlags(b, flags(b)^1<<(displacedBit+slot)) }, "displaced"},
		{func(ix *Index) { b, slot := used(ix); setFlags(b, flags(b)^1<<(ninthBit+slot)) }, "tells the fraction"},
		{func(ix *Index) { ix.directory = ix.directory[1:] }, "entries at depth"},
		{func(ix *Index) { ix.directory[1] = ix.directory[0] }, "wrong places"},
		{func(ix *Index) { ix.tables[0].prefix = 1 << 31 }, "begin"},
		{func(ix *Index) { ix.held++ }, "index holds"},
		{func(ix *Index) { ix.deepest-- }, "index holds"},
	}
	for i, test := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			random := rand.New(rand.NewPCG(9, 9))
			h := &testHasher{}
			ix := New(nil)
			for range 5000 {
				hash := random.Uint64()
				ix.Reserve(hash, h)
				ix.Insert(hash, h.add(hash))
			}
			mustCheck(t, &ix, h, 5000)
			test.damage(&ix)
			if _, err := ix.Check(h); err == nil || !strings.Contains(err.Error(), test.found) {
				t.Errorf("check says %v, want %q", err, test.found)
			}
		})
	}
}
