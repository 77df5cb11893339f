package keyspace

import "math/bits"

// dict is the table of one slot's keys: chained buckets, a power of two of
// them, at most about one key to a bucket.
//
// A bucket is chosen by the high bits of the hash, so bucket i of n holds
// exactly the i-th n-th part of the hash space, in order. Doubling the table
// splits each part in two, halving it joins neighbours: a position in hash
// space means the same before and after, which is all SCAN needs as a cursor.
//
// A table is rehashed in one go. It holds the keys of one slot only, so this
// is microseconds unless one {hash tag} gathers millions of keys.
type dict struct {
	buckets []*Entry
	count   int
}

const (
	bucketBytes = 8
	dictBytes   = 32 // a test compares it with the real size
)

// cursorBits is how much of the hash a SCAN cursor carries.
const cursorBits = 48

func newDict() *dict { return &dict{buckets: make([]*Entry, 1)} }

// bytes is what the table itself takes, without its entries.
func (d *dict) bytes() int64 { return dictBytes + bucketBytes*int64(len(d.buckets)) }

// shift turns a hash into a bucket number: 64 for a single bucket, where Go's
// shift yields 0.
func (d *dict) shift() int { return 64 - bits.TrailingZeros(uint(len(d.buckets))) }

func (d *dict) find(hash uint64, key []byte) *Entry {
	for e := d.buckets[hash>>d.shift()]; e != nil; e = e.next {
		if e.hash == hash && e.key == string(key) {
			return e
		}
	}
	return nil
}

// insert adds an entry whose key is not there.
func (d *dict) insert(e *Entry) {
	if d.count >= len(d.buckets) {
		d.resize(2 * len(d.buckets))
	}
	d.link(e)
	d.count++
}

// remove takes out an entry that is there.
func (d *dict) remove(e *Entry) {
	at := &d.buckets[e.hash>>d.shift()]
	for *at != e {
		at = &(*at).next
	}
	*at = e.next
	e.next = nil
	d.count--
	if d.count < len(d.buckets)/8 {
		d.resize(len(d.buckets) / 4)
	}
}

func (d *dict) link(e *Entry) {
	bucket := &d.buckets[e.hash>>d.shift()]
	e.next = *bucket
	*bucket = e
}

func (d *dict) resize(size int) {
	old := d.buckets
	d.buckets = make([]*Entry, size)
	for _, e := range old {
		for e != nil {
			next := e.next
			d.link(e)
			e = next
		}
	}
}

// visit calls yield for the entries at or after position from in hash space
// (cursorBits wide), a bucket at a time, until at least count were visited. It
// returns where to go on; done when there is no more.
func (d *dict) visit(from uint64, count int, yield func(*Entry)) (next uint64, visited int, done bool) {
	shift := d.shift()
	bucket := 0
	if shift < 64 {
		bucket = int(from >> (shift - (64 - cursorBits)))
	}
	for ; bucket < len(d.buckets); bucket++ {
		if visited >= count {
			return uint64(bucket) << (shift - (64 - cursorBits)), visited, false
		}
		for e := d.buckets[bucket]; e != nil; e = e.next {
			// The bucket may begin before from: the table shrank since.
			if e.hash>>(64-cursorBits) >= from {
				yield(e)
				visited++
			}
		}
	}
	return 0, visited, true
}
