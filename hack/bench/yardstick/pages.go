package yardstick

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pages is where a list's arrays come from: the Go heap, or memory that the system was asked to back with huge
// pages, so that a comparison can tell what of a difference they make. It belongs to the goroutine of its list.
type pages struct {
	huge   bool
	mapped [][]byte // regions as they were mapped
	rest   []byte   // of the last region for small arrays, not given out yet
}

const (
	hugeBytes   = 2 << 20
	regionBytes = 16 * hugeBytes
	// leastMapped is the smallest array taken from a region; smaller ones stay in the Go heap.
	leastMapped = chunkBytes
)

// bytes makes an array of size zeros or a few more.
func (p *pages) bytes(size int) []byte {
	switch {
	case !p.huge || size < leastMapped:
		return slices.Grow([]byte(nil), size)[:size]
	case size >= regionBytes:
		return p.region(size)[:size]
	}
	size = (size + 63) &^ 63
	if size > len(p.rest) {
		p.rest = p.region(regionBytes)
	}
	b := p.rest[:size:size]
	p.rest = p.rest[size:]
	return b
}

// refs makes an array of n refs, all 0.
func (p *pages) refs(n int) []ref {
	if !p.huge || n*unitBytes < leastMapped {
		return make([]ref, n)
	}
	return unsafe.Slice((*ref)(unsafe.Pointer(unsafe.SliceData(p.bytes(n*unitBytes)))), n)
}

// region maps memory for size bytes from a huge page's boundary on.
func (p *pages) region(size int) []byte {
	size = (size + hugeBytes - 1) &^ (hugeBytes - 1)
	m, err := unix.Mmap(-1, 0, size+hugeBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic("yardstick: mapping memory: " + err.Error()) // a benchmark has nothing better to do
	}
	p.mapped = append(p.mapped, m)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(m))) % hugeBytes)
	region := m[skip : skip+size]
	advise(region)
	return region
}

// drop gives back the region that begins at start or less than a huge page before it, if there is one that
// belongs to one array alone.
func (p *pages) drop(start unsafe.Pointer, size int) {
	if !p.huge || size < regionBytes {
		return
	}
	for i, m := range p.mapped {
		if offset := uintptr(start) - uintptr(unsafe.Pointer(unsafe.SliceData(m))); offset < hugeBytes {
			unmap(m)
			p.mapped = slices.Delete(p.mapped, i, i+1)
			return
		}
	}
}

// free gives all regions back. What was made of them must not be used any more.
func (p *pages) free() {
	for _, m := range p.mapped {
		unmap(m)
	}
	p.mapped, p.rest = nil, nil
}

func unmap(m []byte) {
	if err := unix.Munmap(m); err != nil {
		panic("yardstick: " + err.Error()) // it was mapped as a whole
	}
}
