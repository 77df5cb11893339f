package zset

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"
)

// An arena is memory for the nodes of one skip list, in chunks of bytes that the garbage collector has no
// reason to look into. It deals in units of 4 bytes; a ref is the number of a unit, counted through all chunks:
//
//	ref   0         65536      131072     196608
//	      +-----+---+---------+----------+--------+
//	      |head |   | chunk 1 | a single | chunk 3|
//	      +-----+---+---------+----------+--------+
//
// Ref 0 is nil: no block begins there, as the first unit of the first chunk is never given out.
//
// A block that is given back joins the list of free blocks of its size class, linked through their first
// units. Up to 64 units each size is a class of its own; above, a doubling has eight classes and a block's size
// is rounded up to one, so a block's class follows from the size asked for and need not be kept. A block of more
// than an eighth of a chunk gets a chunk to itself, which leaves with it.
//
// Free blocks are split but never joined. A list whose arena is half waste is rebuilt in a new one (rebuild.go),
// which bounds what fragments can cost.
type arena struct {
	chunks [][]byte // each filled up to its length
	filled int      // the chunk that new blocks are cut from
	free   []ref    // head of the list of free blocks, by class
	some   uint64   // bit c-1 is set when class c has a free block; for c up to 64
	live   int      // bytes in blocks given out, at their class's size
	held   int      // bytes of all chunks at their capacity
	limit  int      // how many chunks there may be
}

// ref is the number of the unit where a block begins.
type ref uint32

const (
	unitBytes   = 4
	chunkShift  = 16 // units of a chunk, as a power of two
	chunkUnits  = 1 << chunkShift
	chunkBytes  = chunkUnits * unitBytes
	chunksLimit = 1 << (32 - chunkShift)
	// singleUnits is the size above which a block has a chunk of its own.
	singleUnits = chunkUnits / 8
	// exactUnits is the size up to which each size is a class.
	exactUnits = 64
	// A block is split only if what remains can hold a node of some use.
	splitUnits = 8
)

func newArena() arena { return arena{limit: chunksLimit} }

// at is the memory from r on, at least to the end of r's block.
func (a *arena) at(r ref) []byte {
	return a.chunks[r>>chunkShift][r%chunkUnits*unitBytes:]
}

// sizeClass is the class of blocks of so many units, and what a block of that class has.
func sizeClass(units int) (class, size int) {
	if units <= exactUnits {
		return units, units
	}
	shift := bits.Len(uint(units-1)) - 4 // size will be 9 to 16 times 2^shift
	size = (units + 1<<shift - 1) >> shift << shift
	return exactUnits + (shift-3)*8 + size>>shift - 8, size
}

// blockBytes is the memory that alloc takes for a number of bytes.
func blockBytes(size int) int {
	units := (size + unitBytes - 1) / unitBytes
	if units > singleUnits {
		return units * unitBytes
	}
	_, units = sizeClass(units)
	return units * unitBytes
}

// alloc finds memory for size bytes, of unknown content; ok is false when no references are left.
func (a *arena) alloc(size int) (r ref, ok bool) {
	units := (size + unitBytes - 1) / unitBytes
	if units > singleUnits {
		return a.allocSingle(units)
	}
	class, units := sizeClass(units)
	if r = a.take(class); r == 0 {
		r = a.split(units)
	}
	if r == 0 {
		r = a.cut(units)
	}
	if r == 0 {
		return 0, false
	}
	a.live += units * unitBytes
	return r, true
}

// release takes back the block of size bytes at r.
func (a *arena) release(r ref, size int) {
	units := (size + unitBytes - 1) / unitBytes
	if units > singleUnits {
		a.releaseSingle(r)
		return
	}
	class, units := sizeClass(units)
	a.live -= units * unitBytes
	a.put(class, r)
}

// take removes a block from a class's list.
func (a *arena) take(class int) ref {
	if class >= len(a.free) {
		return 0
	}
	r := a.free[class]
	if r == 0 {
		return 0
	}
	a.free[class] = ref(binary.LittleEndian.Uint32(a.at(r)))
	if class <= exactUnits && a.free[class] == 0 {
		a.some &^= 1 << (class - 1)
	}
	return r
}

// put adds a block to a class's list.
func (a *arena) put(class int, r ref) {
	if class >= len(a.free) {
		a.free = append(a.free, make([]ref, class+1-len(a.free))...)
	}
	binary.LittleEndian.PutUint32(a.at(r), uint32(a.free[class]))
	a.free[class] = r
	if class <= exactUnits {
		a.some |= 1 << (class - 1)
	}
}

// split cuts a block from the smallest free one that leaves a useful rest.
func (a *arena) split(units int) ref {
	least := units + splitUnits
	if least > exactUnits {
		return 0
	}
	fit := a.some >> (least - 1)
	if fit == 0 {
		return 0
	}
	class := least + bits.TrailingZeros64(fit)
	r := a.take(class)
	a.put(class-units, r+ref(units))
	return r
}

// cut takes a block from the end of the chunk being filled, or from a new one.
func (a *arena) cut(units int) ref {
	if len(a.chunks) == 0 || len(a.chunks[a.filled])+units*unitBytes > chunkBytes {
		if !a.newChunk() {
			return 0
		}
	}
	chunk := a.chunks[a.filled]
	start := len(chunk)
	end := start + units*unitBytes
	if end > cap(chunk) {
		// Small sets grow in small steps, large ones a chunk at a time.
		larger := slices.Grow([]byte(nil), min(end+a.held/8, chunkBytes))
		a.held += cap(larger) - cap(chunk)
		chunk = append(larger, chunk...)
	}
	a.chunks[a.filled] = chunk[:end]
	return ref(a.filled<<chunkShift | start/unitBytes)
}

// newChunk makes an empty chunk the one to fill. What is left of the last becomes free blocks.
func (a *arena) newChunk() bool {
	number, ok := a.vacant()
	if !ok {
		return false
	}
	if len(a.chunks) > 1 || number > 0 {
		a.retire()
	}
	a.filled = number
	if number == 0 {
		a.chunks[0] = make([]byte, unitBytes, unitBytes*2) // ref 0 stays unused
		a.held += cap(a.chunks[0])
	}
	return true
}

// retire turns the rest of the chunk that was being filled into free blocks.
func (a *arena) retire() {
	chunk := a.chunks[a.filled]
	for {
		start := len(chunk)
		units := min((cap(chunk)-start)/unitBytes, exactUnits, (chunkBytes-start)/unitBytes)
		if units == 0 {
			return
		}
		chunk = chunk[:start+units*unitBytes]
		a.chunks[a.filled] = chunk
		a.put(units, ref(a.filled<<chunkShift|start/unitBytes))
	}
}

// vacant finds the number of a chunk that is not there.
func (a *arena) vacant() (number int, ok bool) {
	for number, chunk := range a.chunks {
		if chunk == nil {
			return number, true
		}
	}
	if len(a.chunks) >= a.limit {
		return 0, false
	}
	a.chunks = append(a.chunks, nil)
	return len(a.chunks) - 1, true
}

// allocSingle gives a block a chunk of its own.
func (a *arena) allocSingle(units int) (ref, bool) {
	if len(a.chunks) == 0 && !a.newChunk() {
		return 0, false
	}
	number, ok := a.vacant()
	if !ok {
		return 0, false
	}
	size := units * unitBytes
	chunk := slices.Grow([]byte(nil), size)[:size]
	a.chunks[number] = chunk
	a.held += cap(chunk)
	a.live += size
	return ref(number << chunkShift), true
}

func (a *arena) releaseSingle(r ref) {
	chunk := &a.chunks[r>>chunkShift]
	a.held -= cap(*chunk)
	a.live -= len(*chunk)
	*chunk = nil
}

// bytes is the memory of the arena in all, beside the struct.
func (a *arena) bytes() int {
	return a.held + cap(a.chunks)*int(unsafe.Sizeof(a.chunks[0])) + cap(a.free)*int(unsafe.Sizeof(a.free[0]))
}

// wasteful says that rebuilding would give back half of what is held. The allowance is for the steps in which a
// small arena grows.
func (a *arena) wasteful() bool { return a.held > 2*a.live+4096 }
