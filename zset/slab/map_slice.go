//go:build !(aix || darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris)

package slab

import (
	"errors"
	"unsafe"
)

const (
	hugePages = false
	// reservable is the most pages that a space may reserve: not many, as all are taken at once.
	reservable = 256 << 20 / PageSize
)

// mapping is a slice that takes the place of a reservation.
type mapping = memory

func reserve(size uintptr) (mapping, error) {
	return mapping{unsafe.Pointer(unsafe.SliceData(make([]byte, size))), size}, nil
}

func commit(memory) error { return nil }

// release cannot give back part of a slice.
func release(memory) error { return errors.ErrUnsupported }

func unmap(mapping) {}

func adviseHuge(unsafe.Pointer, uintptr)  {}
func adviseSmall(unsafe.Pointer, uintptr) {}
