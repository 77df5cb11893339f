package zset

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// blocks is the memory of a skip list's blocks, apart from that of records so that a search stays in few pages. It
// deals in units of a cache line; a ref is the number of a unit, counted through all segments.
//
// Blocks come in all sizes and change them as they fill. One that is given back is a hole:
//
//	0      4          8       12      15
//	+------+----------+-------+-------+---+
//	| next | previous | units | …     | 0 |  no levels
//	+------+----------+-------+-------+---+
//
// Holes are listed by their size, all above holeClasses units in one list. A hole that is given back joins the
// one that follows it.
type blocks struct {
	segments
	holes []ref  // the first of each class
	some  uint64 // bit c is set when class c has a hole
}

const (
	unitShift    = 6
	unitBytes    = 1 << unitShift
	segmentUnits = segmentBytes / unitBytes
	holeClasses  = 63
	// nilBytes are left unused at the beginning of an arena, so that ref 0 refers to nothing.
	nilBytes = unitBytes
)

func newBlocks(m Memory) blocks {
	return blocks{segments: newSegments(m, 1<<(32+unitShift-segmentShift))}
}

func (a *blocks) at(r ref) block {
	return a.bufs[r>>(segmentShift-unitShift)][r&(segmentUnits-1)<<unitShift:]
}

func holeClass(units int) int { return min(units, holeClasses) }

// add makes an empty block.
func (a *blocks) add(levels, units int) (r ref, b block, ok bool) {
	if r, ok = a.alloc(units); !ok {
		return 0, nil, false
	}
	b = a.at(r)
	clear(b[:linkAt])
	b[unitsAt], b[levelsAt] = byte(units), byte(levels)
	return r, b, true
}

func (a *blocks) alloc(units int) (r ref, ok bool) {
	if r = a.refill(units); r == 0 {
		offset, ok := a.cut(units * unitBytes)
		if !ok {
			if !a.next(units) {
				return 0, false
			}
			offset, _ = a.cut(units * unitBytes)
		}
		r = ref(offset >> unitShift)
	}
	a.count(uint64(r)<<unitShift, units*unitBytes)
	return r, true
}

// next opens another segment. What is left of the last becomes a hole.
func (a *blocks) next(units int) bool {
	fill, rest := a.fill, a.rest()/unitBytes
	if !a.open(units*unitBytes + nilBytes) {
		return false
	}
	if a.fill == 0 {
		a.books[0].filled = nilBytes // so that no block has the ref 0
	}
	if fill >= 0 && rest > 0 {
		at := a.books[fill].filled
		a.books[fill].filled += uint32(rest * unitBytes)
		a.dig(ref(fill<<(segmentShift-unitShift))|ref(at>>unitShift), rest)
	}
	return true
}

// refill takes the least hole that is large enough; what it has too much stays a hole.
func (a *blocks) refill(units int) ref {
	fit := a.some &^ (1<<holeClass(units) - 1)
	if fit == 0 {
		return 0
	}
	class := bits.TrailingZeros64(fit)
	r := a.holes[class]
	have := a.holeUnits(r)
	if have < units {
		return 0
	}
	a.fillIn(r, class)
	if have > units {
		a.dig(r+ref(units), have-units)
	}
	return r
}

func (a *blocks) holeUnits(r ref) int { return int(binary.LittleEndian.Uint32(a.at(r)[8:])) }

// dig makes a hole at r.
func (a *blocks) dig(r ref, units int) {
	class := holeClass(units)
	if class >= len(a.holes) {
		a.holes = append(a.holes, make([]ref, class+1-len(a.holes))...)
	}
	b, first := a.at(r), a.holes[class]
	setHoleNext(b, first)
	setHolePrevious(b, 0)
	binary.LittleEndian.PutUint32(b[8:], uint32(units))
	b[levelsAt] = 0
	if first != 0 {
		setHolePrevious(a.at(first), r)
	}
	a.holes[class] = r
	a.some |= 1 << class
}

// fillIn takes a hole off the list of its class.
func (a *blocks) fillIn(r ref, class int) {
	b := a.at(r)
	next, previous := holeLinks(b)
	if next != 0 {
		setHolePrevious(a.at(next), previous)
	}
	if previous != 0 {
		setHoleNext(a.at(previous), next)
		return
	}
	a.holes[class] = next
	if next == 0 {
		a.some &^= 1 << class
	}
}

// remove gives a block back.
func (a *blocks) remove(r ref) {
	units := a.at(r).units()
	a.count(uint64(r)<<unitShift, -units*unitBytes)
	number := int(r >> (segmentShift - unitShift))
	filled := &a.books[number].filled
	start := uint32(r&(segmentUnits-1)) << unitShift
	end := start + uint32(units)<<unitShift
	if end < *filled {
		if after := r + ref(units); a.at(after).levels() == 0 {
			more := a.holeUnits(after)
			a.fillIn(after, holeClass(more))
			units += more
			end += uint32(more) << unitShift
		}
	}
	if end == *filled && number == a.fill {
		*filled = start
		return
	}
	a.dig(r, units)
}

// free gives everything back.
func (a *blocks) free() {
	a.segments.free()
	*a = newBlocks(a.mem)
}

// bytes is the memory in all, beside the struct.
func (a *blocks) bytes() int { return a.segments.bytes() + cap(a.holes)*int(unsafe.Sizeof(ref(0))) }
