//go:build aix || darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris

package slab

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reservable is the most pages that a space may reserve: 8 TiB, or 1 GiB where addresses have 32 bits.
const reservable = 1 << (18 + 13*wide)

// mapping is a reservation of addresses.
type mapping = memory

// reserve finds addresses that nothing else uses. They cannot be touched before commit.
func reserve(size uintptr) (mapping, error) {
	start, err := unix.MmapPtr(-1, 0, nil, size, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	return mapping{start, size}, err
}

// commit lets reserved memory be touched.
func commit(m memory) error {
	return unix.Mprotect(unsafe.Slice((*byte)(m.start), m.size), unix.PROT_READ|unix.PROT_WRITE)
}

// unmap gives a reservation up.
func unmap(m mapping) { _ = unix.MunmapPtr(m.start, m.size) }
