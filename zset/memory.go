package zset

import (
	"zset.dev/operator/zset/memory"
	"zset.dev/operator/zset/slab"
)

// Memory is where the arrays of large sets come from. What needed memory that it does not have fails with ErrFull.
type Memory = memory.Source

// OffHeap is memory of h: outside the Go heap, where the garbage collector neither scans it nor counts it. A set
// with such memory must be released.
func OffHeap(h *slab.Heap) Memory { return memory.OffHeap(h) }
