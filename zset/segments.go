package zset

import (
	"encoding/binary"
	"unsafe"

	"zset.dev/operator/zset/memory"
)

// segments are the memory of an arena: arrays of up to 1 MiB, each filled from its beginning. A place in them is an
// offset, counted through all segments as if each were full size:
//
//	0             1 MiB         2 MiB         3 MiB
//	+-------------+-------------+-------------+-----
//	| segment 0   | (given back)| segment 2 …
//	+-------------+-------------+-------------+-----
//
// The segment being filled grows in steps, by copying, so a small set has little that it does not use, and what
// refers to places does not notice. It is not copied beyond grownBytes: another segment follows it then,
// which is the larger from the start the more there is already, up to the full size.
type segments struct {
	mem   Memory
	bufs  [][]byte // by number, at full capacity; nil where there is none
	books []book   // beside bufs, apart from them to keep what searches read dense
	fill  int      // the segment being filled
	held  int      // bytes of all segments
	live  int      // bytes in pieces given out
	limit int      // how many segments there may be
	// victim is the segment being emptied, -1 if there is none; what is before the byte sweep of it is so already.
	victim int
	sweep  uint32
}

// book is what is known of a segment beside its bytes.
type book struct {
	id     uint32 // of its extent
	filled uint32 // bytes cut from it so far
	live   uint32 // bytes of these in pieces given out
}

const (
	segmentShift = 20
	segmentBytes = 1 << segmentShift
	// grownBytes bounds what a write copies to make a segment grow, a matter of 0.1 ms with the faults of fresh pages.
	grownBytes = 256 << 10
	// scarce is how few numbers are left when each is made the most of, by copying too.
	scarce = 16
	// smallArena is up to how many bytes an arena grows in steps of a sixteenth, which costs more copying than the
	// eighth that it is later.
	smallArena = 64 << 10
)

func newSegments(m Memory, limit int) segments {
	return segments{mem: m, fill: -1, limit: limit, victim: -1}
}

// cut takes size bytes from the end of the segment being filled; ok is false when it has no room for them.
func (s *segments) cut(size int) (offset uint64, ok bool) {
	if s.fill < 0 {
		return 0, false
	}
	b := &s.books[s.fill]
	end := int(b.filled) + size
	if end > len(s.bufs[s.fill]) && !s.grow(end) {
		return 0, false
	}
	offset = uint64(s.fill)<<segmentShift | uint64(b.filled)
	b.filled = uint32(end)
	return offset, true
}

// step is how much more than what is needed to make: a share of what is in use.
func (s *segments) step() int {
	if s.live < smallArena {
		return s.live / 16
	}
	return s.live / 8
}

// grow gives the segment being filled room for size bytes and some more.
func (s *segments) grow(size int) bool {
	most := grownBytes
	if s.limit-len(s.bufs) < scarce {
		most = segmentBytes
	}
	if size > most {
		return false
	}
	old := memory.Extent{Buf: s.bufs[s.fill], ID: s.books[s.fill].id}
	e, ok := memory.Obtain(s.mem, min(size+s.step(), most))
	if !ok {
		return false
	}
	if len(e.Buf) > segmentBytes {
		e.Buf = e.Buf[:segmentBytes:segmentBytes] // only a Memory that is generous with very much
	}
	copy(e.Buf, old.Buf[:s.books[s.fill].filled])
	old.Dismiss(s.mem)
	s.held += len(e.Buf) - len(old.Buf)
	s.bufs[s.fill], s.books[s.fill].id = e.Buf, e.ID
	return true
}

// rest is what the segment being filled has left.
func (s *segments) rest() int {
	if s.fill < 0 {
		return 0
	}
	return len(s.bufs[s.fill]) - int(s.books[s.fill].filled)
}

// open makes an empty segment with room for size bytes the one to fill.
func (s *segments) open(size int) bool {
	number := -1
	for i, buf := range s.bufs {
		if buf == nil {
			number = i
			break
		}
	}
	if number < 0 && len(s.bufs) >= s.limit {
		return false
	}
	e, ok := memory.Obtain(s.mem, min(size+s.step(), segmentBytes))
	if !ok {
		return false
	}
	if number < 0 {
		number = len(s.bufs)
		s.bufs = append(s.bufs, nil)
		s.books = append(s.books, book{})
	}
	s.bufs[number], s.books[number] = e.Buf, book{id: e.ID}
	s.held += len(e.Buf)
	s.fill = number
	return true
}

// count adds to the bytes given out at an offset.
func (s *segments) count(offset uint64, size int) {
	s.live += size
	s.books[offset>>segmentShift].live += uint32(size) // a negative size wraps around to the right sum
}

// drop gives a segment back.
func (s *segments) drop(number int) {
	s.held -= len(s.bufs[number])
	s.live -= int(s.books[number].live)
	memory.Extent{Buf: s.bufs[number], ID: s.books[number].id}.Dismiss(s.mem)
	s.bufs[number], s.books[number] = nil, book{}
	if s.fill == number {
		s.fill = -1
	}
	if s.victim == number {
		s.victim = -1
	}
}

// holed is how many bytes of what was cut are in no piece in use.
func (s *segments) holed() int { return s.held - s.rest() - s.live }

// wasteAllowed is what an arena of any size may waste, in bytes.
const wasteAllowed = 1024

// wasteful says that an arena has more in holes, or at the end of the segment being filled, than it should.
func (s *segments) wasteful() bool {
	return s.held-s.live-min(s.rest(), s.live/8) > s.held/3+wasteAllowed
}

// toChase says that there is a segment to empty.
func (s *segments) toChase() bool { return s.victim >= 0 || s.wasteful() }

// chase picks a segment to empty, that with the least in use, unless there is one being emptied. It is false when there
// is no need.
func (s *segments) chase() bool {
	if s.victim >= 0 {
		return true
	}
	if !s.wasteful() {
		return false
	}
	for number, buf := range s.bufs {
		if buf != nil && (s.victim < 0 || s.books[number].live < s.books[s.victim].live) {
			s.victim = number
		}
	}
	if s.victim == s.fill {
		s.fill = -1
	}
	s.sweep = 0
	if s.victim == 0 {
		s.sweep = nilBytes
	}
	return true
}

// free gives everything back.
func (s *segments) free() {
	for number, buf := range s.bufs {
		if buf != nil {
			s.drop(number)
		}
	}
	s.bufs, s.books = nil, nil
}

// bytes is the memory in all, beside the struct.
func (s *segments) bytes() int {
	return s.held + cap(s.bufs)*int(unsafe.Sizeof(s.bufs[0])) + cap(s.books)*int(unsafe.Sizeof(book{}))
}

// holeLinks are the links of a hole, in either arena, to others of its class.
func holeLinks(b []byte) (next, previous ref) {
	return ref(binary.LittleEndian.Uint32(b)), ref(binary.LittleEndian.Uint32(b[4:]))
}

func setHoleNext(b []byte, next ref)         { binary.LittleEndian.PutUint32(b, uint32(next)) }
func setHolePrevious(b []byte, previous ref) { binary.LittleEndian.PutUint32(b[4:], uint32(previous)) }
