package zset

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"zset.dev/operator/zset/memory"
)

// records are the members of a skip list with their scores, each in one piece of bytes:
//
//	0       8        9
//	+-------+--------+--------+
//	| score | length | member |
//	+-------+--------+--------+
//	         1-5 packed (packed.go): twice the member's length, plus 1 in a hole
//
// Nothing is aligned, so a member of up to 63 bytes costs 9 beside its own, and a ref of 32 bits is simply the
// offset, up to 4 GiB. A long member (longMember) is in an array of its own, whose number the piece has in
// the member's place. This is the only place where a score is kept.
//
// A piece that was given back is a hole. Where its score was it has links to others of its class, and what its
// length says is what there is of it beyond the length field. So a segment can be walked from its beginning,
// hole or record:
//
//	0      4          8        9
//	+------+----------+--------+--------+
//	| next | previous | length | …      |
//	+------+----------+--------+--------+
//
// Holes of up to exactSize bytes are listed by their size, larger ones in classes, eight to a doubling. A hole that is
// given back joins the one that follows it.
type records struct {
	segments
	holes []ref                      // the first of each class
	some  [recordClasses / 64]uint64 // bit c is set when class c has a hole
	longs []memory.Extent            // long members; an empty one is free
	apart int                        // bytes of longs
}

// ref refers to a record by its offset, to a block by its offset in units. 0 is nil.
type ref uint32

const (
	scoreBytes = 8
	// leastRecord is the size of the empty member's, and of the least hole.
	leastRecord = scoreBytes + 1
	// longMember is the length from which a member is apart.
	longMember = 32 << 10
	// maxMember is the longest member a skip list takes, in bytes: twice what a command can carry.
	maxMember = 1 << 30

	exactSize     = 127
	recordClasses = 256
)

func newRecords(m Memory) records { return records{segments: newSegments(m, 1<<(32-segmentShift))} }

func (a *records) at(r ref) []byte {
	return a.bufs[r>>segmentShift][r&(segmentBytes-1):]
}

func (a *records) score(r ref) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(a.at(r)))
}

func (a *records) setScore(r ref, score float64) {
	binary.LittleEndian.PutUint64(a.at(r), math.Float64bits(score))
}

// pair is the member and score at r.
func (a *records) pair(r ref) ([]byte, float64) {
	b := a.at(r)
	score := math.Float64frombits(binary.LittleEndian.Uint64(b))
	if tag := int(b[scoreBytes]); tag < 0x80 {
		return b[leastRecord : leastRecord+tag>>1 : leastRecord+tag>>1], score
	}
	return a.longer(b), score
}

func (a *records) member(r ref) []byte {
	b := a.at(r)
	if tag := int(b[scoreBytes]); tag < 0x80 {
		return b[leastRecord : leastRecord+tag>>1 : leastRecord+tag>>1]
	}
	return a.longer(b)
}

// longer is the member of a record whose length takes more than a byte.
func (a *records) longer(b []byte) []byte {
	v, n := packedAt(b, scoreBytes)
	at, length := scoreBytes+n, int(v>>1)
	if length >= longMember {
		return a.longs[binary.LittleEndian.Uint32(b[at:])].Buf[:length:length]
	}
	return b[at : at+length : at+length]
}

// recordBytes is the size of a record for a member of so many bytes.
func recordBytes(length int) int {
	size := scoreBytes + packedLen(uint64(length)<<1)
	if length >= longMember {
		return size + 4
	}
	return size + length
}

// extentOf is the size of the piece at b, and whether it is a hole.
func extentOf(b []byte) (size int, hole bool) {
	if tag := b[scoreBytes]; tag < 0x80 {
		return leastRecord + int(tag>>1), tag&1 == 1
	}
	return longExtentOf(b)
}

// longExtentOf is extentOf where the length takes more than a byte.
func longExtentOf(b []byte) (size int, hole bool) {
	v, n := packedAt(b, scoreBytes)
	length := int(v >> 1)
	if v&1 == 0 && length >= longMember {
		length = 4
	}
	return scoreBytes + n + length, v&1 == 1
}

// add makes a record. It fails when there is no memory.
func (a *records) add(member []byte, score float64) (r ref, ok bool) {
	size := recordBytes(len(member))
	number := 0
	if len(member) >= longMember {
		if number, ok = a.addLong(member); !ok {
			return 0, false
		}
	}
	if r, ok = a.alloc(size); !ok {
		if len(member) >= longMember {
			a.removeLong(number)
		}
		return 0, false
	}
	b := a.at(r)
	binary.LittleEndian.PutUint64(b, math.Float64bits(score))
	switch {
	case len(member) <= 63:
		b[scoreBytes] = byte(len(member) << 1)
		copy(b[leastRecord:], member)
	case len(member) >= longMember:
		head := appendPacked(b[:scoreBytes], uint64(len(member))<<1)
		binary.LittleEndian.PutUint32(b[len(head):], uint32(number))
	default:
		head := appendPacked(b[:scoreBytes], uint64(len(member))<<1)
		copy(b[len(head):], member)
	}
	return r, true
}

// remove gives a record back.
func (a *records) remove(r ref) {
	b := a.at(r)
	size, _ := extentOf(b)
	if b[scoreBytes] >= 0x80 {
		if v, n := packedAt(b, scoreBytes); v>>1 >= longMember {
			a.removeLong(int(binary.LittleEndian.Uint32(b[scoreBytes+n:])))
		}
	}
	a.release(r, size)
}

// addLong copies a long member to an array of its own.
func (a *records) addLong(member []byte) (number int, ok bool) {
	e, ok := memory.Obtain(a.mem, len(member))
	if !ok {
		return 0, false
	}
	copy(e.Buf, member)
	a.apart += len(e.Buf)
	for number := range a.longs {
		if a.longs[number].Buf == nil {
			a.longs[number] = e
			return number, true
		}
	}
	a.longs = append(a.longs, e)
	return len(a.longs) - 1, true
}

func (a *records) removeLong(number int) {
	a.apart -= len(a.longs[number].Buf)
	a.longs[number].Dismiss(a.mem)
	a.longs[number] = memory.Extent{}
	for n := len(a.longs); n > 0 && a.longs[n-1].Buf == nil; n-- {
		a.longs = a.longs[:n-1]
	}
}

// recordClass is the class of holes of a size.
func recordClass(size int) int {
	if size <= exactSize {
		return size
	}
	shift := bits.Len(uint(size)) - 4 // size is 8 to 15 times 2^shift
	return exactSize + 1 + (shift-4)*8 + size>>shift - 8
}

// alloc finds a piece.
func (a *records) alloc(size int) (r ref, ok bool) {
	if r = a.refill(size); r == 0 {
		offset, ok := a.cut(size)
		if !ok {
			if !a.next(size) {
				return 0, false
			}
			offset, _ = a.cut(size)
		}
		r = ref(offset)
	}
	a.count(uint64(r), size)
	return r, true
}

// next opens another segment. What is left of the last becomes a hole.
func (a *records) next(size int) bool {
	fill, rest := a.fill, a.rest()
	if !a.open(size + nilBytes) {
		return false
	}
	if a.fill == 0 {
		a.books[0].filled = nilBytes // so that no record has the ref 0
	}
	if fill >= 0 && rest >= leastRecord {
		at := a.books[fill].filled
		a.books[fill].filled += uint32(rest)
		a.dig(ref(fill<<segmentShift)|ref(at), rest)
	}
	return true
}

// tries is how many holes of a class are looked at for one that is large enough.
const tries = 4

// refill finds a hole for size bytes and takes it; what it has too much stays a hole.
func (a *records) refill(size int) ref {
	class := recordClass(size)
	if class >= len(a.holes) {
		return 0
	}
	r := a.holes[class]
	if class > exactSize {
		for range tries {
			if r == 0 {
				break
			}
			if have, _ := extentOf(a.at(r)); have == size || have >= size+leastRecord {
				break
			}
			r, _ = holeLinks(a.at(r))
		}
		if r != 0 {
			if have, _ := extentOf(a.at(r)); have != size && have < size+leastRecord {
				r = 0
			}
		}
	}
	if r == 0 {
		// The least class of which each hole leaves a rest that can be one.
		least := recordClass(size+leastRecord-1) + 1
		if size+leastRecord <= exactSize {
			least = size + leastRecord
		}
		if class = a.someFrom(least); class < 0 {
			return 0
		}
		r = a.holes[class]
	}
	have, _ := extentOf(a.at(r))
	a.fillIn(r, class)
	if have > size {
		a.dig(r+ref(size), have-size)
	}
	return r
}

// someFrom is the first class from least on that has a hole, or -1.
func (a *records) someFrom(least int) int {
	for word := least / 64; word < len(a.some); word++ {
		set := a.some[word]
		if word == least/64 {
			set &= ^uint64(0) << (least % 64)
		}
		if set != 0 {
			return word*64 + bits.TrailingZeros64(set)
		}
	}
	return -1
}

// dig makes a hole of size bytes at r.
func (a *records) dig(r ref, size int) {
	b := a.at(r)
	switch n := size - leastRecord; {
	case n <= 63:
		b[scoreBytes] = byte(n<<1 | 1)
	case n-1 < 1<<13:
		appendTagged(b[:scoreBytes], uint64(n-1)<<1|1, 2)
	default:
		appendTagged(b[:scoreBytes], uint64(n-2)<<1|1, 3)
	}
	class := recordClass(size)
	if class >= len(a.holes) {
		a.holes = append(a.holes, make([]ref, class+1-len(a.holes))...)
	}
	first := a.holes[class]
	setHoleNext(b, first)
	setHolePrevious(b, 0)
	if first != 0 {
		setHolePrevious(a.at(first), r)
	}
	a.holes[class] = r
	a.some[class/64] |= 1 << (class % 64)
}

// fillIn takes a hole off the list of its class.
func (a *records) fillIn(r ref, class int) {
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
		a.some[class/64] &^= 1 << (class % 64)
	}
}

// release makes a piece a hole, together with one that follows. At the end of what is filled it is cut off
// instead.
func (a *records) release(r ref, size int) {
	a.count(uint64(r), -size)
	number, start := int(r>>segmentShift), int(r&(segmentBytes-1))
	filled := &a.books[number].filled
	end := start + size
	if end < int(*filled) {
		if more, hole := extentOf(a.bufs[number][end:]); hole {
			a.fillIn(ref(number<<segmentShift|end), recordClass(more))
			end += more
		}
	}
	if end == int(*filled) && number == a.fill {
		*filled = uint32(start)
		return
	}
	a.dig(r, end-start)
}

// all are the records in the order of their places, while no segment is being emptied.
func (a *records) all(yield func(ref) bool) {
	for number, buf := range a.bufs {
		at := 0
		if number == 0 {
			at = nilBytes
		}
		for at < int(a.books[number].filled) {
			size, hole := extentOf(buf[at:])
			if !hole && !yield(ref(number<<segmentShift|at)) {
				return
			}
			at += size
		}
	}
}

// free gives everything back.
func (a *records) free() {
	a.segments.free()
	for _, e := range a.longs {
		e.Dismiss(a.mem)
	}
	*a = newRecords(a.mem)
}

// bytes is the memory in all, beside the struct.
func (a *records) bytes() int {
	return a.segments.bytes() + cap(a.holes)*int(unsafe.Sizeof(ref(0))) + cap(a.longs)*int(unsafe.Sizeof(memory.Extent{})) + a.apart
}
