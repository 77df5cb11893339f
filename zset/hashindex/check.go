package hashindex

import (
	"fmt"
	"slices"
)

// Check holds all that the index keeps about itself against a fresh count, and says how many refs there are. It is for
// tests and for builds that check invariants.
func (ix *Index) Check(h Hasher) (refs int, err error) {
	if len(ix.directory) == 0 && len(ix.tables) == 0 && ix.held == 0 {
		return 0, nil
	}
	if len(ix.directory) != 1<<ix.depth {
		return 0, fmt.Errorf("index has %d entries at depth %d", len(ix.directory), ix.depth)
	}
	held, deepest := 0, 0
	for number := range ix.tables {
		t := &ix.tables[number]
		n, err := t.check(h)
		if err != nil {
			return 0, fmt.Errorf("table %d: %w", number, err)
		}
		refs += n
		held += len(t.Buf)
		if int(t.depth) == ix.depth {
			deepest++
		}
		leading := slices.Index(ix.directory, uint32(number))
		shift := ix.depth - int(t.depth)
		if want := int(uint64(t.prefix) >> (32 - ix.depth)); leading != want {
			return 0, fmt.Errorf("table %d begins at entry %d of the directory, want %d", number, leading, want)
		}
		for i, other := range ix.directory {
			if (other == uint32(number)) != (i>>shift == leading>>shift) {
				return 0, fmt.Errorf("table %d of depth %d is in the wrong places of the directory", number, t.depth)
			}
		}
	}
	if ix.held != held || ix.deepest != deepest {
		return 0, fmt.Errorf("index holds %d bytes and %d tables of its depth, want %d and %d", ix.held, ix.deepest, held, deepest)
	}
	return refs, nil
}

// check counts what a table has, and how many refs passed each bucket.
func (t *table) check(h Hasher) (used int, err error) {
	passed := make([]int, t.buckets)
	for at := range int(t.buckets) {
		b := t.bucket(at)
		for slot := range bucketSlots {
			if b[slot] == 0 {
				continue
			}
			used++
			hash := h.HashOf(bucketRef(b, slot))
			if uint64(t.prefix)<<32^hash>>(64-t.depth)<<(64-t.depth) != 0 {
				return 0, fmt.Errorf("bucket %d has the hash %#x, which does not begin with %d bits of %#x", at, hash, t.depth, t.prefix)
			}
			fraction := t.fraction(hash)
			if b[slot] != tagOf(fraction) {
				return 0, fmt.Errorf("bucket %d: tag is %#x, want %#x", at, b[slot], tagOf(fraction))
			}
			if told, ok := t.fractionAt(at, b, slot); ok && told != fraction {
				return 0, fmt.Errorf("bucket %d tells the fraction %#x, want %#x", at, told, fraction)
			}
			if bit := flags(b)>>(displacedBit+slot)&1 != 0; bit != (t.home(fraction) != at) {
				return 0, fmt.Errorf("bucket %d says that a ref is displaced: %v", at, bit)
			}
			for home := t.home(fraction); home != at; home = t.after(home) {
				passed[home]++
			}
		}
	}
	if used != int(t.used) {
		return 0, fmt.Errorf("%d slots are taken, want %d", used, t.used)
	}
	for at, n := range passed {
		if have := int(overflow(t.bucket(at))); have != n && have != overflowLimit {
			return 0, fmt.Errorf("bucket %d has an overflow of %d, want %d", at, have, n)
		}
	}
	return used, nil
}
