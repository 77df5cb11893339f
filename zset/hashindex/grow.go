package hashindex

import (
	"math"

	"zset.dev/operator/zset/memory"
)

// fullTable is how many refs a table of so many buckets has when it grows: 15 of 16 slots.
func fullTable(buckets int) int { return buckets * bucketSlots * 15 / 16 }

// bucketsFor is how many buckets to make for so many refs and some to come.
func bucketsFor(used int) int { return used*17/(15*bucketSlots) + 1 }

// bucketsForHalf is bucketsFor for a table that is split off. When most of what was there goes to one side, that is about
// to be split again, and must not have become larger by then.
func bucketsForHalf(used int) int {
	if n := bucketsFor(used); n <= tableBuckets {
		return n
	}
	return used*16/(15*bucketSlots) + 1
}

// makeTable makes an empty table.
func (ix *Index) makeTable(buckets, depth int, prefix uint32) (t table, ok bool) {
	e, ok := memory.Obtain(ix.mem, buckets*bucketBytes)
	if !ok {
		return table{}, false
	}
	clear(e.Buf)
	ix.held += len(e.Buf)
	// What the memory gives beyond what was asked for is of use.
	buckets = min(len(e.Buf)/bucketBytes, max(buckets, tableBuckets))
	return table{Extent: e, buckets: int32(buckets), depth: int32(depth), prefix: prefix}, true
}

func (ix *Index) dropTable(t table) {
	ix.held -= len(t.Buf)
	t.Dismiss(ix.mem)
}

// Reserve makes sure that the hash can be inserted. It fails when there is no memory.
func (ix *Index) Reserve(hash uint64, h Hasher) bool {
	if len(ix.directory) == 0 {
		t, ok := ix.makeTable(1, 0, 0)
		if !ok {
			return false
		}
		ix.directory, ix.tables, ix.deepest = []uint32{0}, []table{t}, 1
		return true
	}
	t := ix.tableOf(hash)
	if int(t.used) < fullTable(int(t.buckets)) {
		return true
	}
	step := max(t.buckets/8, 1)
	if t.buckets+step > tableBuckets && t.depth < depthLimit {
		// Where all went to one side there is room for one more, too.
		return ix.split(t, h) || t.used < t.buckets*bucketSlots
	}
	return ix.resize(t, int(t.buckets+step), h) || t.used < t.buckets*bucketSlots
}

// resize gives a table another number of buckets.
func (ix *Index) resize(t *table, buckets int, h Hasher) bool {
	fresh, ok := ix.makeTable(buckets, int(t.depth), t.prefix)
	if !ok {
		return false
	}
	t.pour(&fresh, h)
	ix.dropTable(*t)
	*t = fresh
	return true
}

// split makes two tables of one.
func (ix *Index) split(t *table, h Hasher) bool {
	// Each time that most went to one side, a table may have become larger than tableBuckets, by one.
	const most = (tableBuckets + depthLimit) * bucketSlots
	refs := make([]Ref, 0, t.used)
	for r := range t.refs {
		refs = append(refs, r)
	}
	var room [most]uint64
	hashes := room[:0]
	var used [2]int
	for len(hashes) < len(refs) {
		some := refs[len(hashes):min(len(hashes)+touchedAtOnce, len(refs))]
		h.Touch(some)
		for _, r := range some {
			hash := h.HashOf(r)
			hashes = append(hashes, hash)
			used[hash<<t.depth>>63]++
		}
	}
	depth := int(t.depth) + 1
	low, ok := ix.makeTable(bucketsForHalf(used[0]), depth, t.prefix)
	if !ok {
		return false
	}
	high, ok := ix.makeTable(bucketsForHalf(used[1]), depth, t.prefix|1<<(32-depth))
	if !ok {
		ix.dropTable(low)
		return false
	}
	halves := [2]*table{&low, &high}
	for i, r := range refs {
		half := halves[hashes[i]<<t.depth>>63]
		half.put(half.fraction(hashes[i]), r)
	}
	ix.dropTable(*t)
	ix.divide(t, low, high)
	return true
}

// Prepare makes tables for so many refs in an empty index, whose hashes will fall evenly. Without memory for them it leaves
// it to Reserve.
func (ix *Index) Prepare(refs int) {
	depth := 0
	for refs>>depth > fullTable(tableBuckets)*3/4 && depth < depthLimit {
		depth++
	}
	each := refs >> depth
	if depth > 0 {
		each += 2 * int(math.Sqrt(float64(each))) // hashes do not fall quite evenly
	}
	ix.depth, ix.deepest = depth, 1<<depth
	for i := range uint32(1) << depth {
		t, ok := ix.makeTable(bucketsFor(each), depth, uint32(uint64(i)<<(32-depth)))
		if !ok {
			ix.Free()
			return
		}
		ix.directory, ix.tables = append(ix.directory, i), append(ix.tables, t)
	}
}
