package zset

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"
)

// An index finds a member's record by the member's hash. It is a number of tables, each for the hashes that begin with
// certain bits, found through a directory (extendible hashing). A table is a row of buckets of one cache line; within
// it, too, hashes lie in their order:
//
//	hash                   0110 1001110010101101 …
//	                       |--| |--------------|
//	                        |         |
//	        directory[0110] v         v fraction: × buckets of the table / 2^16 = home
//	        +----+----+----+----+  table  +------+------+------+------+------+
//	        |    |    |    |  ·-+-------> |      |      | home |      |      |
//	        +----+----+----+----+         +------+------+------+------+------+
//
//	bucket:
//	0          12         13                 16                           64
//	+----------+----------+------------------+-----------------------------+
//	| 12 tags  | overflow | displaced, ninth | 12 refs                     |
//	+----------+----------+------------------+-----------------------------+
//	                       12 bits each, one for each slot
//
// A tag is the lowest byte of the fraction, 1 instead of 0, which marks a free slot. A member that finds its home bucket
// full goes to the next one that is not, which says that it is displaced, and each bucket it passed counts that in
// overflow: a lookup goes on only behind a bucket that has some. A count that reaches its greatest stays there
// until the table is made anew.
//
// A table grows in steps of an eighth of its size, and when it has tableBuckets becomes two; both are bounded work, so
// no insert waits for more than that, however large the index is. It shrinks, and joins its neighbour, likewise.
// Nine slots of ten are in use. To grow, a table of some size need not look at the members: the bucket where one is
// at home leaves so few values to its fraction that the tag, and the fraction's ninth bit, tell which it is.
//
// The order of hashes does not depend on the number of buckets, so a position in it is all that a scan has to remember
// between calls (scan.go).
//
// The index does not know hashes of what it holds: methods that need them take a hasher that does.
type index struct {
	mem       Memory
	directory []uint32 // numbers of tables, 2^depth of them
	tables    []table
	depth     int
	held      int // bytes of all tables
}

// A hasher knows the hashes of what an index refers to.
type hasher interface {
	hashOf(r ref) uint64
	// touch brings what the hashes of refs are made of near, all at once.
	touch(refs []ref)
}

// table is a part of an index.
type table struct {
	extent
	buckets int32
	used    int32
	depth   int32 // how many bits of the hash its members have in common
}

const (
	bucketBytes   = 64
	bucketSlots   = 12
	flagsAt       = 12 // 32 bits: 8 of overflow, 12 of displaced, 12 of ninth
	bucketRefsAt  = 16
	overflowLimit = 255
	displacedBit  = 8
	ninthBit      = 20
	tableBuckets  = 256
	// tellingBuckets is from how many buckets on a home and nine bits tell a fraction.
	tellingBuckets = 1 << (fractionBits - 9)
	fractionBits   = 16
	// depthLimit leaves each table a fraction among the upper 32 bits of hashes, in which a scan counts.
	depthLimit = 32 - fractionBits
	// sparseBucket is how many of a bucket's slots are used on average when a table shrinks.
	sparseBucket = 7

	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

func newIndex(m Memory) index { return index{mem: m} }

// tableOf is the table for a hash.
func (ix *index) tableOf(hash uint64) *table {
	return &ix.tables[ix.directory[hash>>32>>(32-ix.depth)]]
}

// fraction is what places a hash in a table.
func (t *table) fraction(hash uint64) uint32 {
	return uint32(hash << (t.depth & 63) >> (64 - fractionBits))
}

// home is the bucket where a fraction belongs.
func (t *table) home(fraction uint32) int { return int(fraction * uint32(t.buckets) >> fractionBits) }

// least is the least fraction that belongs in a bucket or beyond it.
func (t *table) least(bucket int) uint32 {
	n := uint32(t.buckets)
	return (uint32(bucket)<<fractionBits + n - 1) / n
}

func tagOf(fraction uint32) uint8 { return max(uint8(fraction), 1) }

func (t *table) bucket(i int) []byte { return t.buf[i*bucketBytes:][:bucketBytes] }

// after is the bucket behind i.
func (t *table) after(i int) int {
	if i++; i == int(t.buckets) {
		return 0
	}
	return i
}

// zeroBytes marks by their high bits the bytes of x that are 0. The lowest mark is right, those above it may be
// too many.
func zeroBytes(x uint64) uint64 { return (x - lowBits) &^ x & highBits }

// matches are the slots of a bucket that have the tag, one bit in eight of two words, and maybe some that do not.
func matches(bucket []byte, tag uint8) (low, high uint64) {
	pattern := uint64(tag) * lowBits
	low = zeroBytes(binary.LittleEndian.Uint64(bucket) ^ pattern)
	high = zeroBytes(uint64(binary.LittleEndian.Uint32(bucket[8:])) ^ pattern&0xffffffff | 0xffffffff_00000000)
	return low, high
}

func bucketRef(bucket []byte, slot int) ref {
	return ref(binary.LittleEndian.Uint32(bucket[bucketRefsAt+slot*4:]))
}

func setBucketRef(bucket []byte, slot int, r ref) {
	binary.LittleEndian.PutUint32(bucket[bucketRefsAt+slot*4:], uint32(r))
}

// freeSlot is a free slot of a bucket, or -1.
func freeSlot(bucket []byte) int {
	low, high := matches(bucket, 0)
	switch {
	case low != 0:
		return bits.TrailingZeros64(low) / 8
	case high != 0:
		return 8 + bits.TrailingZeros64(high)/8
	}
	return -1
}

func bucketFlags(bucket []byte) uint32 { return binary.LittleEndian.Uint32(bucket[flagsAt:]) }

func setBucketFlags(bucket []byte, flags uint32) {
	binary.LittleEndian.PutUint32(bucket[flagsAt:], flags)
}

func overflow(bucket []byte) uint8 { return bucket[flagsAt] }

// put enters r in a table that has a free slot.
func (t *table) put(fraction uint32, r ref) {
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
		flags := bucketFlags(b) &^ (1<<(displacedBit+slot) | 1<<(ninthBit+slot))
		if at != home {
			flags |= 1 << (displacedBit + slot)
		}
		setBucketFlags(b, flags|fraction>>8&1<<(ninthBit+slot))
		b[slot] = tagOf(fraction)
		setBucketRef(b, slot, r)
		t.used++
		return
	}
}

// fractionAt is the fraction of what is in a slot, if the table can tell.
func (t *table) fractionAt(at int, b []byte, slot int) (fraction uint32, ok bool) {
	flags := bucketFlags(b)
	if b[slot] == 1 || flags>>(displacedBit+slot)&1 != 0 || t.buckets < tellingBuckets {
		return 0, false
	}
	least := t.least(at)
	return least + (flags>>(ninthBit+slot)&1<<8|uint32(b[slot])-least)&(1<<9-1), true
}

// slotOf finds r, which must be there.
func (t *table) slotOf(fraction uint32, r ref) (at, slot int) {
	for at = t.home(fraction); ; at = t.after(at) {
		b := t.bucket(at)
		for slot := range bucketSlots {
			if bucketRef(b, slot) == r && b[slot] != 0 {
				return at, slot
			}
		}
	}
}

// insert enters r, which must not be there, after a reserve.
func (ix *index) insert(hash uint64, r ref) {
	t := ix.tableOf(hash)
	t.put(t.fraction(hash), r)
}

// remove takes r out, which must be there.
func (ix *index) remove(hash uint64, r ref) {
	t := ix.tableOf(hash)
	fraction := t.fraction(hash)
	found, slot := t.slotOf(fraction, r)
	t.bucket(found)[slot] = 0
	for at := t.home(fraction); at != found; at = t.after(at) {
		if b := t.bucket(at); b[flagsAt] < overflowLimit {
			b[flagsAt]--
		}
	}
	t.used--
}

// replace puts another ref in the place of r, which must be there.
func (ix *index) replace(hash uint64, r, other ref) {
	t := ix.tableOf(hash)
	at, slot := t.slotOf(t.fraction(hash), r)
	setBucketRef(t.bucket(at), slot, other)
}

// fullTable is how many members a table of so many buckets has when it grows: 15 of 16 slots.
func fullTable(buckets int) int { return buckets * bucketSlots * 15 / 16 }

// bucketsFor is how many buckets to make for so many members and some to come.
func bucketsFor(used int) int { return used*17/(15*bucketSlots) + 1 }

// makeTable makes an empty table.
func (ix *index) makeTable(buckets, depth int) (t table, ok bool) {
	e, ok := obtain(ix.mem, buckets*bucketBytes)
	if !ok {
		return table{}, false
	}
	clear(e.buf)
	ix.held += len(e.buf)
	// What the memory gives beyond what was asked for is of use.
	return table{extent: e, buckets: int32(len(e.buf) / bucketBytes), depth: int32(depth)}, true
}

func (ix *index) dropTable(t table) {
	ix.held -= len(t.buf)
	dismiss(ix.mem, t.extent)
}

// reserve makes sure that the hash can be inserted. It fails when there is no memory.
func (ix *index) reserve(hash uint64, h hasher) bool {
	if len(ix.directory) == 0 {
		t, ok := ix.makeTable(1, 0)
		if !ok {
			return false
		}
		ix.directory, ix.tables = []uint32{0}, []table{t}
		return true
	}
	t := ix.tableOf(hash)
	if int(t.used) < fullTable(int(t.buckets)) {
		return true
	}
	step := max(t.buckets/8, 1)
	if t.buckets+step > tableBuckets && t.depth < depthLimit {
		return ix.split(hash, h) || t.used < t.buckets*bucketSlots
	}
	return ix.resize(t, int(t.buckets+step), h) || t.used < t.buckets*bucketSlots
}

// resize gives a table another number of buckets.
func (ix *index) resize(t *table, buckets int, h hasher) bool {
	fresh, ok := ix.makeTable(buckets, int(t.depth))
	if !ok {
		return false
	}
	t.pour(&fresh, h)
	ix.dropTable(*t)
	*t = fresh
	return true
}

// pour puts all of a table into another of the same depth or one less.
func (t *table) pour(to *table, h hasher) {
	for at := range int(t.buckets) {
		b := t.bucket(at)
		for slot := range bucketSlots {
			if b[slot] == 0 {
				continue
			}
			r := bucketRef(b, slot)
			fraction, ok := t.fractionAt(at, b, slot)
			if !ok || to.depth != t.depth {
				fraction = to.fraction(h.hashOf(r))
			}
			to.put(fraction, r)
		}
	}
}

// refs are all refs in a table.
func (t *table) refs(yield func(ref) bool) {
	for at := range int(t.buckets) {
		b := t.bucket(at)
		for slot := range bucketSlots {
			if b[slot] != 0 && !yield(bucketRef(b, slot)) {
				return
			}
		}
	}
}

// split makes two tables of the one for a hash.
func (ix *index) split(hash uint64, h hasher) bool {
	old := *ix.tableOf(hash)
	var refs [(tableBuckets + 1) * bucketSlots]ref
	var hashes [len(refs)]uint64
	var used [2]int
	n := 0
	for r := range old.refs {
		refs[n] = r
		n++
	}
	const some = 256
	for i, r := range refs[:n] {
		if i%some == 0 {
			h.touch(refs[i:min(i+some, n)])
		}
		hashes[i] = h.hashOf(r)
		used[hashes[i]<<old.depth>>63]++
	}
	low, ok := ix.makeTable(bucketsFor(used[0]), int(old.depth)+1)
	if !ok {
		return false
	}
	high, ok := ix.makeTable(bucketsFor(used[1]), int(old.depth)+1)
	if !ok {
		ix.dropTable(low)
		return false
	}
	for i, r := range refs[:n] {
		if hash := hashes[i]; hash<<old.depth>>63 == 0 {
			low.put(low.fraction(hash), r)
		} else {
			high.put(high.fraction(hash), r)
		}
	}
	if int(old.depth) == ix.depth {
		ix.deepen()
	}
	first, count := ix.entries(hash, int(old.depth))
	ix.tables[ix.directory[first]] = low
	for i := first + count/2; i < first+count; i++ {
		ix.directory[i] = uint32(len(ix.tables))
	}
	ix.tables = append(ix.tables, high)
	ix.dropTable(old)
	return true
}

// entries are those of the directory for a table of some depth.
func (ix *index) entries(hash uint64, depth int) (first, count int) {
	count = 1 << (ix.depth - depth)
	return int(hash>>32>>(32-ix.depth)) &^ (count - 1), count
}

// deepen doubles the directory.
func (ix *index) deepen() {
	directory := make([]uint32, 2*len(ix.directory))
	for i, number := range ix.directory {
		directory[2*i], directory[2*i+1] = number, number
	}
	ix.directory = directory
	ix.depth++
}

// shrink gives memory back that the table for a hash has too much. Where there is none for smaller tables it does
// not.
func (ix *index) shrink(hash uint64, h hasher) {
	t := ix.tableOf(hash)
	if t.buckets <= 1 || t.used >= t.buckets*sparseBucket {
		return
	}
	if t.depth > 0 && t.buckets <= tableBuckets*5/8 && ix.join(hash, h) {
		return
	}
	if buckets := bucketsFor(int(t.used)); buckets < int(t.buckets)*7/8 {
		ix.resize(t, buckets, h)
	}
}

// join makes one table of the one for a hash and its neighbour, if it would not be about to split again.
func (ix *index) join(hash uint64, h hasher) bool {
	t := ix.tableOf(hash)
	depth := int(t.depth)
	other := ix.tableOf(hash ^ 1<<(64-depth))
	if other.depth != t.depth {
		return false
	}
	buckets := bucketsFor(int(t.used + other.used))
	if buckets > tableBuckets*3/4 {
		return false
	}
	joined, ok := ix.makeTable(buckets, depth-1)
	if !ok {
		return false
	}
	t.pour(&joined, h)
	other.pour(&joined, h)
	ix.dropTable(*t)
	ix.dropTable(*other)
	first, count := ix.entries(hash, depth-1)
	kept, freed := ix.directory[first], ix.directory[first+count-1]
	ix.tables[kept] = joined
	for i := first; i < first+count; i++ {
		ix.directory[i] = kept
	}
	ix.forget(freed)
	ix.flatten()
	return true
}

// forget gives the number of a table that is gone to the last one.
func (ix *index) forget(number uint32) {
	last := uint32(len(ix.tables) - 1)
	ix.tables[number] = ix.tables[last]
	for i := range ix.directory {
		if ix.directory[i] == last {
			ix.directory[i] = number
		}
	}
	ix.tables[last] = table{}
	ix.tables = ix.tables[:last]
	if cap(ix.tables) > 4*len(ix.tables) {
		ix.tables = append([]table(nil), ix.tables...)
	}
}

// flatten halves the directory as long as no table needs all of it.
func (ix *index) flatten() {
	for i := range ix.tables {
		if int(ix.tables[i].depth) == ix.depth {
			return
		}
	}
	directory := make([]uint32, len(ix.directory)/2)
	for i := range directory {
		directory[i] = ix.directory[2*i]
	}
	ix.directory = directory
	ix.depth--
	ix.flatten()
}

// prepare makes tables for so many members in an empty index. Without memory for them it leaves it to reserve.
func (ix *index) prepare(members int) {
	depth := 0
	for members>>depth > fullTable(tableBuckets)*3/4 && depth < depthLimit {
		depth++
	}
	each := members >> depth
	if depth > 0 {
		each += 2 * int(math.Sqrt(float64(each))) // hashes do not fall quite evenly
	}
	ix.depth = depth
	for i := range uint32(1) << depth {
		t, ok := ix.makeTable(bucketsFor(each), depth)
		if !ok {
			ix.free()
			return
		}
		ix.directory, ix.tables = append(ix.directory, i), append(ix.tables, t)
	}
}

// free gives everything back.
func (ix *index) free() {
	for _, t := range ix.tables {
		ix.dropTable(t)
	}
	*ix = newIndex(ix.mem)
}

// bytes is the memory in all, beside the struct.
func (ix *index) bytes() int {
	return ix.held + cap(ix.directory)*int(unsafe.Sizeof(ix.directory[0])) + cap(ix.tables)*int(unsafe.Sizeof(table{}))
}
