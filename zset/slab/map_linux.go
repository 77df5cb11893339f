package slab

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePages = true

// release drops the content of memory, which reads as zero from then on, and lets the system have it.
func release(m memory) error {
	if m.size == 0 {
		return nil
	}
	return unix.Madvise(unsafe.Slice((*byte)(m.start), m.size), unix.MADV_DONTNEED)
}

// adviseHuge asks for huge pages. A kernel without them refuses, and does as well.
func adviseHuge(start unsafe.Pointer, size uintptr) {
	m := outward(start, 0, size)
	_ = unix.Madvise(unsafe.Slice((*byte)(m.start), m.size), unix.MADV_HUGEPAGE)
}

// adviseSmall keeps huge pages away, by which the first byte touched would take 2 MiB, and which the kernel would
// make again of pages that were released.
func adviseSmall(start unsafe.Pointer, size uintptr) {
	m := outward(start, 0, size)
	_ = unix.Madvise(unsafe.Slice((*byte)(m.start), m.size), unix.MADV_NOHUGEPAGE)
}
