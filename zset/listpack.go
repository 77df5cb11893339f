package zset

import (
	"encoding/binary"
	"math"
	"slices"
)

// A listpack is a small set in one block of bytes: a count, then the members in order.
//
//	+-------+---------+---------+-- … --+-----------+
//	| count | entry 0 | entry 1 |       | entry n-1 |
//	+-------+---------+---------+-- … --+-----------+
//	 4 bytes, little end first
//
//	entry:
//	+------------+-----------------+--------+
//	| score      | member's length | member |
//	+------------+-----------------+--------+
//	 1-9           1-5 packed
//
// A score begins with a tag:
//
//	00-77       a whole number, packed (packed.go) in its zigzag form: 0, -1, 1, -2 … are 0, 1, 2, 3 …
//	78-7f       a double whose first byte is the one of doubleBytes that the tag says; its other 7 bytes follow
//	80-fe       a whole number between ±2^55, packed likewise
//	ff          any other double, and -0 for its sign; its 8 bytes follow
//
// (the bytes of doubles most significant first). So a member of up to 127 bytes costs its own bytes and two more when its
// score is whole and from -60 to 59, and nine when the score is of a common size.
//
// A walk goes forwards only; what is wanted backwards is found going forwards first. Every edit replaces one stretch of
// bytes by another and moves what follows once.
//
// The zero listpack is empty and holds no memory; one that has lost its last member is so again.
type listpack struct {
	buf  []byte // the block; nil when empty
	room Room   // whose the block's memory is; nil: the Go heap's
}

const (
	listpackHeader = 4
	// listpackLimit bounds a block, in bytes, whatever the thresholds allow: beyond it a set converts.
	listpackLimit = 1 << 30
	// listpackKeep is the capacity up to which a block is not reallocated to save memory.
	listpackKeep = 64
	// A score is packed when it is whole and its magnitude below this: its zigzag form then has 56 bits.
	packedScoreLimit = 1 << (packedBits - 1)
	// firstDouble is the tag of a double whose first byte is doubleBytes[0].
	firstDouble = 0x78
)

// doubleBytes are the first bytes of doubles from 2^-31 to 2^49, and from -2^-15 to -2^33: shares, times in seconds and in
// milliseconds with fractions.
var doubleBytes = [0x80 - firstDouble]byte{0x3e, 0x3f, 0x40, 0x41, 0x42, 0xbf, 0xc0, 0xc1}

// doubleTags is the inverse: the tag of a first byte, notPacked if it has none.
var doubleTags = func() (tags [256]byte) {
	for i := range tags {
		tags[i] = notPacked
	}
	for i, b := range doubleBytes {
		tags[b] = firstDouble + byte(i)
	}
	return tags
}()

// entry is one decoded member. Its bytes are those at [at, next) of the block.
type entry struct {
	member   []byte // within the block: good until the next edit
	score    float64
	at, next int
}

func (lp *listpack) len() int {
	if lp.buf == nil {
		return 0
	}
	return int(binary.LittleEndian.Uint32(lp.buf))
}

func (lp *listpack) setLen(n int) { binary.LittleEndian.PutUint32(lp.buf, uint32(n)) }

// begin and end are the offsets of the first entry and just past the last.
func (lp *listpack) begin() int { return min(listpackHeader, len(lp.buf)) }
func (lp *listpack) end() int   { return len(lp.buf) }

// entryAt decodes the entry that begins at offset at.
func (lp *listpack) entryAt(at int) entry {
	start, stop := lp.fields(at)
	return entry{member: lp.buf[start:stop:stop], score: lp.scoreAt(at), at: at, next: stop}
}

// fields is where the member of the entry at offset at starts, and where it stops, which is where the next entry
// begins.
func (lp *listpack) fields(at int) (start, stop int) {
	field := at + scoreSize(lp.buf[at])
	start, size := field+1, int(lp.buf[field])
	if size >= 0x80 {
		start, size = longField(lp.buf, field)
	}
	return start, start + size
}

// scoreSize is how many bytes a score of that tag takes. With longField it is what walks consist of, those that go over many
// entries without a call for each. The kinds of scores are told apart by branches: these are foreseen, whereas a length
// computed from the tag would have to be waited for.
func scoreSize(tag byte) int {
	if tag < firstDouble {
		return 1
	}
	if tag < 0x80 {
		return 8
	}
	return longScore(tag)
}

// longScore is scoreSize of a tag from 80 on.
func longScore(tag byte) int {
	if tag == notPacked {
		return 9
	}
	return tagLen(tag)
}

// longField is where a member starts whose length, at field, takes more than a byte, and that length.
func longField(buf []byte, field int) (start, size int) {
	v, n := packedAt(buf, field)
	return field + n, int(v)
}

// scoreAt decodes the score at offset at.
func (lp *listpack) scoreAt(at int) float64 {
	switch tag := lp.buf[at]; {
	case tag == notPacked:
		return math.Float64frombits(binary.BigEndian.Uint64(lp.buf[at+1:]))
	case tag < firstDouble || tag >= 0x80:
		v, _ := packedAt(lp.buf, at)
		return float64(int64(v>>1) ^ -int64(v&1))
	default:
		return commonDouble(lp.buf, at, tag)
	}
}

// commonDouble is the double at offset at, whose tag is one that says its first byte.
func commonDouble(buf []byte, at int, tag byte) float64 {
	rest := binary.BigEndian.Uint64(buf[at:]) &^ (0xff << 56)
	return math.Float64frombits(rest | uint64(doubleBytes[(tag-firstDouble)%8])<<56)
}

// appendEntry appends the bytes of an entry to dst.
func appendEntry(dst []byte, member []byte, score float64) []byte {
	dst = appendScore(dst, score)
	dst = appendPacked(dst, uint64(len(member)))
	return append(dst, member...)
}

func appendScore(dst []byte, score float64) []byte {
	if -packedScoreLimit < score && score < packedScoreLimit {
		whole := int64(score)
		if float64(whole) == score && (whole != 0 || !math.Signbit(score)) {
			v := uint64(whole<<1) ^ uint64(whole>>63)
			if v >= firstDouble && v < 0x80 {
				return appendTagged(dst, v, 2)
			}
			return appendPacked(dst, v)
		}
	}
	bits := math.Float64bits(score)
	tag := doubleTags[bits>>56]
	if dst = append(dst, tag); tag == notPacked {
		dst = append(dst, byte(bits>>56))
	}
	return append(dst, byte(bits>>48), byte(bits>>40), byte(bits>>32), byte(bits>>24), byte(bits>>16), byte(bits>>8), byte(bits))
}

// all is the entries in order, for use inside the package.
func (lp *listpack) all(yield func(entry) bool) {
	for at := lp.begin(); at < lp.end(); {
		e := lp.entryAt(at)
		if !yield(e) {
			return
		}
		at = e.next
	}
}

// scratchBytes is what an entry may take and be put together on the stack. It is put together apart from the
// block because its member may be bytes of the block, which move.
const scratchBytes = 128

// insert puts a new member before the entry at offset at. It fails, with nothing changed, when there is no memory.
func (lp *listpack) insert(at int, member []byte, score float64) bool {
	var scratch [scratchBytes]byte
	fresh := appendEntry(scratch[:0], member, score)
	if lp.buf == nil {
		if !lp.reserve(listpackHeader + len(fresh)) {
			return false
		}
		lp.buf = append(lp.buf[:0], 0, 0, 0, 0)
		at = listpackHeader
	} else if !lp.reserve(len(lp.buf) + len(fresh)) {
		return false
	}
	lp.splice(at, at, fresh)
	lp.setLen(lp.len() + 1)
	return true
}

// rescore gives the entry old a new score, and moves it before the entry at offset to. It fails, with nothing
// changed, when there is no memory.
func (lp *listpack) rescore(old entry, to int, score float64) bool {
	var scratch [scratchBytes]byte
	moved := appendEntry(scratch[:0], old.member, score)
	size := old.next - old.at
	grow := len(moved) - size
	end := len(lp.buf)
	if !lp.reserve(end + grow) {
		return false
	}
	if grow > 0 {
		lp.buf = lp.buf[:end+grow]
		copy(lp.buf[max(to, old.next)+grow:], lp.buf[max(to, old.next):end])
	}
	if to > old.at { // the entries between go down, into the place it leaves
		copy(lp.buf[old.at:], lp.buf[old.next:to])
		copy(lp.buf[to-size:], moved)
	} else {
		copy(lp.buf[to+len(moved):], lp.buf[to:old.at])
		copy(lp.buf[to:], moved)
	}
	if grow < 0 {
		copy(lp.buf[max(to, old.next)+grow:], lp.buf[max(to, old.next):])
		lp.splice(end+grow, end, nil) // cuts off the end, and gives memory back if due
	}
	return true
}

// remove takes out the count entries that lie at [from, to).
func (lp *listpack) remove(from, to, count int) {
	n := lp.len() - count
	if n == 0 {
		lp.buf = nil
		return
	}
	lp.splice(from, to, nil)
	lp.setLen(n)
}

// splice replaces the bytes at [from, to) by fresh, for which there must be room, and gives memory back if much of it is
// left over.
func (lp *listpack) splice(from, to int, fresh []byte) {
	size := len(lp.buf) - (to - from) + len(fresh)
	tail := lp.buf[to:]
	lp.buf = lp.buf[:size]
	copy(lp.buf[from+len(fresh):], tail)
	copy(lp.buf[from:], fresh)
	if room := cap(lp.buf); size < room/2 && room > listpackKeep {
		lp.resize(size)
	}
}

// reserve makes room for a block of size bytes. It fails when there is no memory.
func (lp *listpack) reserve(size int) bool { return size <= cap(lp.buf) || lp.resize(size) }

// resize moves the block to memory for size bytes and, in the Go heap, at most an eighth more, both rounded up to the
// allocator's next size.
func (lp *listpack) resize(size int) bool {
	if lp.room == nil {
		lp.buf = append(slices.Grow([]byte(nil), size+size/8), lp.buf...)
		return true
	}
	b := lp.room.Resize(lp.buf, size)
	if cap(b) < size {
		return false
	}
	lp.buf = b[:len(lp.buf)]
	return true
}
