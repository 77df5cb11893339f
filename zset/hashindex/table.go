package hashindex

import "zset.dev/operator/zset/memory"

// table is a part of an index: what is there for the hashes that begin with certain bits.
type table struct {
	memory.Extent
	buckets int32
	used    int32
	depth   int32  // how many bits these are
	prefix  uint32 // these bits, at the upper end
}

const (
	// tableBuckets is how many buckets a table has at most, but for one that cannot be split.
	tableBuckets = 256
	fractionBits = 16
	// tellingBuckets is from how many buckets on a home and nine bits tell a fraction.
	tellingBuckets = 1 << (fractionBits - 9)
	// touchedAtOnce is for how many refs one call of Touch is made: enough for their cache misses to overlap.
	touchedAtOnce = 256
	// fewBuckets is below which size of a table that is not worth the trouble.
	fewBuckets = 32
)

// fraction is what places a hash in a table.
func (t *table) fraction(hash uint64) uint32 {
	return uint32(hash << (t.depth & 63) >> (64 - fractionBits))
}

// home is the bucket where a fraction belongs.
func (t *table) home(fraction uint32) int {
	return int(uint64(fraction) * uint64(t.buckets) >> fractionBits)
}

// least is the least fraction that belongs in a bucket or beyond it.
func (t *table) least(bucket int) uint32 {
	n := uint64(t.buckets)
	return uint32((uint64(bucket)<<fractionBits + n - 1) / n)
}

func tagOf(fraction uint32) uint8 { return max(uint8(fraction), 1) }

func (t *table) bucket(i int) []byte { return t.Buf[i*bucketBytes:][:bucketBytes] }

// after is the bucket behind i.
func (t *table) after(i int) int {
	if i++; i == int(t.buckets) {
		return 0
	}
	return i
}

// put enters r in a table that has a free slot.
func (t *table) put(fraction uint32, r Ref) {
	home := t.home(fraction)
	for at := home; ; at = t.after(at) {
		b := t.bucket(at)
		slot := freeSlot(b)
		if slot < 0 {
			if b[flagsAt] < overflowLimit {
				b[flagsAt]++
			}
			continue
		}
		f := flags(b) &^ (1<<(displacedBit+slot) | 1<<(ninthBit+slot))
		if at != home {
			f |= 1 << (displacedBit + slot)
		}
		setFlags(b, f|fraction>>8&1<<(ninthBit+slot))
		b[slot] = tagOf(fraction)
		setBucketRef(b, slot, r)
		t.used++
		return
	}
}

// take is the reverse of put.
func (t *table) take(fraction uint32, r Ref) {
	found, slot := t.slotOf(fraction, r)
	t.bucket(found)[slot] = 0
	for at := t.home(fraction); at != found; at = t.after(at) {
		if b := t.bucket(at); b[flagsAt] < overflowLimit {
			b[flagsAt]--
		}
	}
	t.used--
}

// slotOf finds r, which must be there.
func (t *table) slotOf(fraction uint32, r Ref) (at, slot int) {
	pattern := uint64(tagOf(fraction)) * lowBits
	for at = t.home(fraction); ; at = t.after(at) {
		b := t.bucket(at)
		for m := matches(b, pattern); m != 0; m &= m - 1 {
			if slot := m.slot(); bucketRef(b, slot) == r {
				return at, slot
			}
		}
	}
}

// fractionAt is the fraction of what is in a slot, if the table can tell: the bucket where something is at home leaves so few
// values to its fraction that the tag, and the fraction's ninth bit, tell which it is. So a large table grows
// without a look at what is in it.
func (t *table) fractionAt(at int, b []byte, slot int) (fraction uint32, ok bool) {
	f := flags(b)
	if b[slot] == 1 || f>>(displacedBit+slot)&1 != 0 || t.buckets < tellingBuckets {
		return 0, false
	}
	least := t.least(at)
	return least + (f>>(ninthBit+slot)&1<<8|uint32(b[slot])-least)&(1<<9-1), true
}

// refs are all refs in a table.
func (t *table) refs(yield func(Ref) bool) {
	for at := range int(t.buckets) {
		b := t.bucket(at)
		for slot := range bucketSlots {
			if b[slot] != 0 && !yield(bucketRef(b, slot)) {
				return
			}
		}
	}
}

// pour puts all of a table into another of the same depth or one less.
func (t *table) pour(to *table, h Hasher) {
	var untold []Ref
	if t.buckets >= fewBuckets {
		untold = make([]Ref, 0, touchedAtOnce)
	}
	for at := range int(t.buckets) {
		b := t.bucket(at)
		for slot := range bucketSlots {
			if b[slot] == 0 {
				continue
			}
			r := bucketRef(b, slot)
			if fraction, ok := t.fractionAt(at, b, slot); ok && to.depth == t.depth {
				to.put(fraction, r)
			} else if t.buckets < fewBuckets {
				to.put(to.fraction(h.HashOf(r)), r)
			} else {
				untold = append(untold, r)
			}
		}
		if len(untold) > touchedAtOnce-bucketSlots {
			to.putAll(untold, h)
			untold = untold[:0]
		}
	}
	if len(untold) > 0 {
		to.putAll(untold, h)
	}
}

// putAll enters refs whose hashes h has to say.
func (t *table) putAll(refs []Ref, h Hasher) {
	h.Touch(refs)
	for _, r := range refs {
		t.put(t.fraction(h.HashOf(r)), r)
	}
}
