package hashindex

import (
	"unsafe"

	"zset.dev/operator/zset/memory"
)

// A Ref is the owner's number for a thing. Any value may be one.
type Ref = uint32

// A Hasher knows the hashes of what an index refers to.
type Hasher interface {
	// HashOf is the hash under which r was inserted.
	HashOf(r Ref) uint64
	// Touch brings what the hashes of refs are made of near, all at once. It must not keep refs.
	Touch(refs []Ref)
}

// An Index is made by New. Its methods must not be called at a time, but for Probe and what a Probe does.
type Index struct {
	mem       memory.Source
	directory []uint32 // numbers of tables, 2^depth of them; none in an empty index
	tables    []table
	depth     int
	deepest   int // how many tables have the directory's depth
	held      int // bytes of all tables
}

// New makes an index whose tables are from m, or from the Go heap where m is nil. It holds no memory until there is
// something in it.
func New(m memory.Source) Index { return Index{mem: m} }

// tableOf is the table for a hash.
func (ix *Index) tableOf(hash uint64) *table {
	return &ix.tables[ix.directory[hash>>32>>((32-ix.depth)&63)]]
}

// Insert enters r, which must not be there, after a Reserve for this hash.
func (ix *Index) Insert(hash uint64, r Ref) {
	t := ix.tableOf(hash)
	t.put(t.fraction(hash), r)
}

// Remove takes r out, which must be there. Shrink may follow.
func (ix *Index) Remove(hash uint64, r Ref) {
	t := ix.tableOf(hash)
	t.take(t.fraction(hash), r)
}

// Replace puts another ref in the place of r, which must be there.
func (ix *Index) Replace(hash uint64, r, other Ref) {
	t := ix.tableOf(hash)
	at, slot := t.slotOf(t.fraction(hash), r)
	setBucketRef(t.bucket(at), slot, other)
}

// Free gives all memory back, and leaves the index empty.
func (ix *Index) Free() {
	for _, t := range ix.tables {
		ix.dropTable(t)
	}
	*ix = New(ix.mem)
}

// Held is how many bytes of the Source's memory the index has.
func (ix *Index) Held() int { return ix.held }

// Bytes is the memory in all, beside the struct.
func (ix *Index) Bytes() int {
	return ix.held + cap(ix.directory)*int(unsafe.Sizeof(ix.directory[0])) + cap(ix.tables)*int(unsafe.Sizeof(table{}))
}
