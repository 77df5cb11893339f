package zset

import (
	"bytes"
	"fmt"
	"math"
)

// checkedAlways is the number of members up to which a skip list is checked after each change; larger ones
// after each so many as their length has of it, so that the time taken does not grow with the square.
const checkedAlways = 200

// verify is called after each change.
func (s *Set) verify() {
	if !invariants || s.list != nil && s.changes%uint64(1+s.list.length/checkedAlways) != 0 {
		return
	}
	if err := s.check(); err != nil {
		panic("zset: damaged set: " + err.Error())
	}
}

// check holds everything that a set keeps about itself against a fresh count. It is for tests and for builds with
// invariants.
func (s *Set) check() error {
	if s.list == nil {
		return s.packed.check()
	}
	if s.packed.buf != nil {
		return fmt.Errorf("a skip list beside a listpack of %d bytes", len(s.packed.buf))
	}
	return s.list.check()
}

// check reads the block without trusting anything in it.
func (lp *listpack) check() error {
	if lp.buf == nil {
		return nil
	}
	if room := cap(lp.buf); lp.room == nil && room > listpackKeep && len(lp.buf) < room/2 {
		return fmt.Errorf("block of %d bytes with %d in use", room, len(lp.buf))
	}
	entries, err := parseListpack(lp.buf)
	if err != nil {
		return err
	}
	// What was read with care must be what the trusting walks read.
	at := lp.begin()
	for i := range entries {
		if e := lp.entryAt(at); !same(e, entries[i]) {
			return fmt.Errorf("entry %d is read as %v, want %v", i, e, entries[i])
		}
		at = entries[i].next
	}
	return nil
}

func same(a, b entry) bool {
	return a.at == b.at && a.next == b.next && bytes.Equal(a.member, b.member) &&
		math.Float64bits(a.score) == math.Float64bits(b.score)
}

// parseListpack reads a block of any bytes, and says what is wrong with it if it is no listpack: exactly one block of
// bytes stands for each set.
func parseListpack(block []byte) ([]entry, error) {
	if len(block) <= listpackHeader {
		return nil, fmt.Errorf("block of %d bytes holds no entry", len(block))
	}
	lp := listpack{buf: block}
	var entries []entry
	seen := map[string]bool{}
	for at := listpackHeader; at < len(block); {
		e, err := parseEntry(block, at)
		if err != nil {
			return nil, fmt.Errorf("entry %d at offset %d: %w", len(entries), at, err)
		}
		if seen[string(e.member)] {
			return nil, fmt.Errorf("entry %d: member %q occurs twice", len(entries), e.member)
		}
		seen[string(e.member)] = true
		if n := len(entries); n > 0 && !entries[n-1].precedes(e) {
			return nil, fmt.Errorf("entry %d: member %q with score %v is out of order", n, e.member, e.score)
		}
		entries = append(entries, e)
		at = e.next
	}
	if lp.len() != len(entries) {
		return nil, fmt.Errorf("count is %d, entries are %d", lp.len(), len(entries))
	}
	return entries, nil
}

// parseEntry reads the entry that may be at offset at.
func parseEntry(block []byte, at int) (entry, error) {
	rest := block[at:]
	score := tagLen(rest[0])
	if rest[0] >= firstDouble && rest[0] < 0x80 {
		score = 8
	}
	if len(rest) <= score {
		return entry{}, fmt.Errorf("score of %d bytes is cut off", score)
	}
	length := tagLen(rest[score])
	if length > 8 || len(rest) < score+length {
		return entry{}, fmt.Errorf("member's length of %d bytes is cut off or none", length)
	}
	size, _ := packedAt(rest, score)
	if uint64(len(rest)) < uint64(score+length)+size {
		return entry{}, fmt.Errorf("member of %d bytes is cut off", size)
	}
	lp := listpack{buf: block}
	e := lp.entryAt(at)
	if math.IsNaN(e.score) {
		return entry{}, fmt.Errorf("score is not a number")
	}
	if want := appendEntry(nil, e.member, e.score); len(rest) < len(want) || !bytes.Equal(rest[:len(want)], want) {
		return entry{}, fmt.Errorf("bytes are % x…, want % x", rest[:min(len(rest), 32)], want)
	}
	return e, nil
}

func (e entry) precedes(f entry) bool {
	b := bound{score: f.score, member: f.member}
	return b.follows(e.member, e.score)
}
