package yardstick

import (
	"encoding/binary"
	"unsafe"
)

// ref is the number of the 4-byte unit where a block begins, counted through all chunks; 0 is nil, as the first
// unit of the first chunk is never given out.
type ref uint32

const (
	unitBytes  = 4
	chunkShift = 16 // units of a chunk, as a power of two
	chunkUnits = 1 << chunkShift
	chunkBytes = chunkUnits * unitBytes
	// blockUnits is the largest block: a node of 32 levels and its member.
	blockUnits = 96
)

// An arena is memory in chunks of bytes that the garbage collector has no reason to look into. A block that is
// given back joins the list of free blocks of its size, linked through their first units.
type arena struct {
	chunks [][]byte // each filled up to its length
	free   [blockUnits + 1]ref
	held   int // bytes of all chunks at their capacity
	pages  pages
}

// at is the memory from r on, at least to the end of r's block.
func (a *arena) at(r ref) []byte {
	return a.chunks[r>>chunkShift][r%chunkUnits*unitBytes:]
}

// alloc gives a block of size bytes, of unknown content.
func (a *arena) alloc(size int) ref {
	units := (size + unitBytes - 1) / unitBytes
	if r := a.free[units]; r != 0 {
		a.free[units] = ref(binary.LittleEndian.Uint32(a.at(r)))
		return r
	}
	return a.cut(units)
}

// release takes back the block of size bytes at r.
func (a *arena) release(r ref, size int) {
	units := (size + unitBytes - 1) / unitBytes
	binary.LittleEndian.PutUint32(a.at(r), uint32(a.free[units]))
	a.free[units] = r
}

// cut takes a block from the end of the last chunk, or from a new one.
func (a *arena) cut(units int) ref {
	last := len(a.chunks) - 1
	if last < 0 || len(a.chunks[last])+units*unitBytes > chunkBytes {
		a.chunks = append(a.chunks, nil)
		if last++; last == 0 {
			a.grow(0, unitBytes)
			a.chunks[0] = a.chunks[0][:unitBytes] // ref 0 stays unused
		}
	}
	start := len(a.chunks[last])
	end := start + units*unitBytes
	if end > cap(a.chunks[last]) {
		a.grow(last, end)
	}
	a.chunks[last] = a.chunks[last][:end]
	return ref(last<<chunkShift | start/unitBytes)
}

// grow makes room for size bytes in a chunk. Small lists grow in small steps, large ones a chunk at a time.
func (a *arena) grow(number, size int) {
	chunk := a.chunks[number]
	larger := a.pages.bytes(min(size+a.held/8, chunkBytes))
	a.held += cap(larger) - cap(chunk)
	a.chunks[number] = append(larger[:0], chunk...)
}

// bytes is the memory of the arena beside the struct.
func (a *arena) bytes() int { return a.held + cap(a.chunks)*int(unsafe.Sizeof(a.chunks[0])) }
