package hashindex

// sparseBucket is how many of a bucket's slots are used on average when a table shrinks.
const sparseBucket = 7

// Shrink gives memory back that the table for a hash has too much, after a Remove. Where there is none for smaller tables
// it does not.
func (ix *Index) Shrink(hash uint64, h Hasher) {
	if t := ix.tableOf(hash); t.used < t.buckets*sparseBucket {
		ix.shrink(t, hash, h)
	}
}

func (ix *Index) shrink(t *table, hash uint64, h Hasher) {
	if t.depth > 0 && t.buckets <= tableBuckets*5/8 && ix.join(t, h) {
		if t = ix.tableOf(hash); t.used <= touchedAtOnce {
			ix.Shrink(hash, h) // no more than depthLimit times, with little to move
		}
		return
	}
	if buckets := bucketsFor(int(t.used)); buckets < int(t.buckets)*7/8 {
		ix.resize(t, buckets, h)
	}
}

// join makes one table of two neighbours, if it would not be about to split again.
func (ix *Index) join(t *table, h Hasher) bool {
	bit := uint32(1) << (32 - t.depth)
	other := ix.tableOf(uint64(t.prefix^bit) << 32)
	if other.depth != t.depth {
		return false
	}
	buckets := bucketsFor(int(t.used + other.used))
	if buckets > tableBuckets*3/4 {
		return false
	}
	joined, ok := ix.makeTable(buckets, int(t.depth)-1, t.prefix&^bit)
	if !ok {
		return false
	}
	t.pour(&joined, h)
	other.pour(&joined, h)
	ix.dropTable(*t)
	ix.dropTable(*other)
	ix.unite(joined)
	return true
}
