package slab

import "testing"

func TestClassesWasteLittle(t *testing.T) {
	for class := 1; class < classes; class++ {
		info, below := classTable[class], classTable[class-1]
		if info.size%unitBytes != 0 || info.size <= below.size {
			t.Errorf("class %d has %d bytes, the one below %d", class, info.size, below.size)
		}
		if least := int(below.size) + 1; least > fineLimit && float64(int(info.size)-least) > float64(info.size)/12 {
			t.Errorf("%d bytes take %d", least, info.size)
		}
		if info.size >= 1024 && info.size%64 != 0 {
			t.Errorf("%d bytes are no multiple of a cache line", info.size)
		}
		slab := int(info.pages) * PageSize
		if rest := slab % int(info.size); rest*40 > slab {
			t.Errorf("a slab of %d bytes leaves %d at its end with slots of %d", slab, rest, info.size)
		}
	}
	if last := classTable[classes-1].size; last != MaxSlot {
		t.Errorf("the largest class has %d bytes", last)
	}
}

func TestSize(t *testing.T) {
	for _, c := range []struct{ n, want int }{
		{0, 8}, {1, 8}, {8, 8}, {9, 16}, {24, 24}, {25, 32}, {249, 256}, {256, 256}, {257, 272}, {4096, 4096},
		{MaxSlot, MaxSlot}, {MaxSlot + 1, 9 * PageSize}, {9 * PageSize, 9 * PageSize}, {1 << 30, 1 << 30},
	} {
		if got := Size(c.n); got != c.want {
			t.Errorf("Size(%d) = %d, want %d", c.n, got, c.want)
		}
	}
	for n := range MaxSlot + 1 {
		if size := Size(n); size < n || size-n > max(unitBytes, size/12) {
			t.Fatalf("Size(%d) = %d", n, size)
		}
	}
}
