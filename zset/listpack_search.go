package zset

import "bytes"

// place is a position in either encoding with its rank: in a listpack the offset of an entry (of the end, for the
// place after the last), in a skip list a spot.
type place struct {
	rank, pos int
	spot      spot
}

// find looks a member up by its bytes: a walk that decodes no score, and compares bytes only where the length is
// right and the last byte, in which members that are named alike differ most.
func (lp *listpack) find(member []byte) (e entry, rank int, ok bool) {
	last := len(member) - 1
	for at, end := lp.begin(), lp.end(); at < end; rank++ {
		start, stop := lp.fields(at)
		if stop-start == len(member) && (last < 0 || lp.buf[stop-1] == member[last]) &&
			bytes.Equal(lp.buf[start:stop], member) {
			return lp.entryAt(at), rank, true
		}
		at = stop
	}
	return entry{}, 0, false
}

// seek is the offset of the first entry after b.
func (lp *listpack) seek(b *bound) int { return lp.first(place{pos: lp.begin()}, b).pos }

// first is the place of the first entry after b, or of the end, looked for from p onward.
func (lp *listpack) first(p place, b *bound) place {
	for end := lp.end(); p.pos < end; p.rank++ {
		start, stop := lp.fields(p.pos)
		if score := lp.scoreAt(p.pos); score > b.score ||
			score == b.score && !b.follows(lp.buf[start:stop], score) {
			break
		}
		p.pos = stop
	}
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
	for ; best.rank < rank; best.rank++ {
		_, best.pos = lp.fields(best.pos)
	}
	return best
}
