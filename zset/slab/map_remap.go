//go:build aix || darwin || dragonfly || freebsd || netbsd || openbsd || solaris

package slab

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePages = false

// release drops the content of memory, which reads as zero from then on, and lets the system have it. Advice does so
// at once on Linux alone; a new mapping in place of the old does everywhere.
func release(m memory) error {
	if m.size == 0 {
		return nil
	}
	_, err := unix.MmapPtr(-1, 0, m.start, m.size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED)
	return err
}

func adviseHuge(unsafe.Pointer, uintptr)  {}
func adviseSmall(unsafe.Pointer, uintptr) {}
