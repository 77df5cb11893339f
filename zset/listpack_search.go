package zset

import (
	"bytes"
	"encoding/binary"
)

// place is a position in either encoding with its rank: in a listpack the offset of an entry (of the end, for the
// place after the last), in a skip list a spot.
type place struct {
	rank, pos int
	spot      spot
}

// find looks a member up by its bytes: a walk that decodes no score, and compares members only where the length is
// right and the last eight bytes, in which members that are named alike differ most.
func (lp *listpack) find(member []byte) (e entry, rank int, ok bool) {
	tail, mask := tailOf(member)
	buf := lp.buf
	for at := lp.begin(); at < len(buf); rank++ {
		field := at + scoreSize(buf[at])
		start, size := field+1, int(buf[field])
		if size >= 0x80 {
			start, size = longField(buf, field)
		}
		stop := start + size
		if size == len(member) && (stop < tailBytes || (binary.LittleEndian.Uint64(buf[stop-tailBytes:])^tail)&mask == 0) &&
			bytes.Equal(buf[start:stop], member) {
			return lp.entryAt(at), rank, true
		}
		at = stop
	}
	return entry{}, 0, false
}

// tailBytes is how many bytes of a member are compared at once.
const tailBytes = 8

// tailOf is the last bytes of a member as the upper ones of a number, with a mask of those there are.
func tailOf(member []byte) (tail, mask uint64) {
	if n := len(member); n >= tailBytes {
		return binary.LittleEndian.Uint64(member[n-tailBytes:]), ^uint64(0)
	}
	for i, b := range member {
		at := 8 * (tailBytes - len(member) + i)
		tail |= uint64(b) << at
		mask |= 0xff << at
	}
	return tail, mask
}

// seek is the offset of the first entry after b.
func (lp *listpack) seek(b *bound) int { return lp.first(place{pos: lp.begin()}, b).pos }

// first is the place of the first entry after b, or of the end, looked for from p onward.
func (lp *listpack) first(p place, b *bound) place {
	buf, at, rank := lp.buf, p.pos, p.rank
	for ; at < len(buf); rank++ {
		tag := buf[at]
		field := at + scoreSize(tag)
		start, size := field+1, int(buf[field])
		if size >= 0x80 {
			start, size = longField(buf, field)
		}
		var score float64
		if field == at+8 && tag < 0x80 {
			score = commonDouble(buf, at, tag)
		} else {
			score = lp.scoreAt(at)
		}
		stop := start + size
		if score > b.score || score == b.score && !b.follows(buf[start:stop], score) {
			break
		}
		at = stop
	}
	p.pos, p.rank = at, rank
	return p
}

// ends are the places of the first entry and after the last.
func (lp *listpack) ends() (low, high place) {
	return place{pos: lp.begin()}, place{rank: lp.len(), pos: lp.end()}
}

// walk is the place with the given rank, which must be from 0 to the length, reached from the nearest before it of the
// beginning, the end and two places that are known.
func (lp *listpack) walk(rank int, a, b place) place {
	best, last := lp.ends()
	for _, p := range [...]place{a, b, last} {
		if best.rank < p.rank && p.rank <= rank {
			best = p
		}
	}
	buf, at := lp.buf, best.pos
	for range rank - best.rank {
		field := at + scoreSize(buf[at])
		start, size := field+1, int(buf[field])
		if size >= 0x80 {
			start, size = longField(buf, field)
		}
		at = start + size
	}
	best.pos, best.rank = at, rank
	return best
}
