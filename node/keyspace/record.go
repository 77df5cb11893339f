package keyspace

import (
	"encoding/binary"

	"zset.dev/operator/zset/slab"
)

// A record is all there is of a key, in one allocation of the keyspace's heap:
// what is known of it, its name, and a small set's listpack.
//
//	0       4       5                 17
//	+-------+-------+--------+-------+------------+-------------+-----+-----------+-------+
//	| usage | flags | expiry | place | key length | block length| key | block     | slack |
//	+-------+-------+--------+-------+------------+-------------+-----+-----------+-------+
//	 4       1       8        4       1 or 4       2 or 4              of zset
//	                 only if it       4 if longKey 4 if longBlock
//	                 expires
//
// usage is the word of usage.go, the only one that is written beside readers.
// expiry is in milliseconds since the epoch, place where the key is in the
// partition's queue of those that expire (due.go). A set that is a skip list
// has no block here: in place of the block's length is its number among the
// partition's large sets (large.go), in 4 bytes.
//
// So a key that does not expire costs 8 bytes beside its name and its set, and
// what the size class is larger, which is less than 8 up to 256 bytes. Integers
// begin with the little end.
type record []byte

const (
	flagsAt     = 4
	headBytes   = 5 // usage and flags
	expiryBytes = 12
	longLength  = 4 // bytes of a length that is long, and of a large set's number

	// flags
	expires   = 1 << 0
	isLarge   = 1 << 1
	longKey   = 1 << 2
	longBlock = 1 << 3
	thinned   = 1 << 4 // a member was taken and none put since, as far as the journal was there (journal.go)

	mostShortBlock = 1<<16 - 1
	// leastRoom is what there is at least behind a key, so that every record
	// can become that of a large set where it is.
	leastRoom = 4
)

// fields is where things are in a record.
type fields struct {
	lengths int // the key's length, then the block's
	key     int
	block   int    // also the end of the key
	size    int    // of the block in bytes; 0 of a large set
	number  uint32 // of a large set
}

func (r record) has(flag byte) bool { return r[flagsAt]&flag != 0 }

func (r record) fields() (f fields) {
	flags := r[flagsAt]
	at := headBytes
	if flags&expires != 0 {
		at += expiryBytes
	}
	f.lengths = at
	var key int
	if flags&longKey != 0 {
		key = int(binary.LittleEndian.Uint32(r[at:]))
		at += longLength
	} else {
		key = int(r[at])
		at++
	}
	switch {
	case flags&isLarge != 0:
		f.number = binary.LittleEndian.Uint32(r[at:])
		at += longLength
	case flags&longBlock != 0:
		f.size = int(binary.LittleEndian.Uint32(r[at:]))
		at += longLength
	default:
		f.size = int(binary.LittleEndian.Uint16(r[at:]))
		at += 2
	}
	f.key, f.block = at, at+key
	return f
}

// key is the key's name. It is good until the record is freed.
func (r record) key() []byte {
	f := r.fields()
	return r[f.key:f.block:f.block]
}

// set puts the lengths that fields has.
func (r record) setFields(f fields) {
	at := f.lengths
	if r.has(longKey) {
		binary.LittleEndian.PutUint32(r[at:], uint32(f.block-f.key))
		at += longLength
	} else {
		r[at] = byte(f.block - f.key)
		at++
	}
	switch {
	case r.has(isLarge):
		binary.LittleEndian.PutUint32(r[at:], f.number)
	case r.has(longBlock):
		binary.LittleEndian.PutUint32(r[at:], uint32(f.size))
	default:
		binary.LittleEndian.PutUint16(r[at:], uint16(f.size))
	}
}

// block is the listpack: its bytes, and as its capacity those it may take.
func (r record) block() []byte {
	f := r.fields()
	return r.blockAt(f, f.size)
}

// blockAt is the first size bytes for a listpack, with all the record has as
// its capacity.
func (r record) blockAt(f fields, size int) []byte {
	end := len(r)
	if !r.has(longBlock) {
		end = min(end, f.block+mostShortBlock)
	}
	return r[f.block : f.block+size : end]
}

// setSize says how many bytes of the block are in use.
func (r record) setSize(size int) {
	f := r.fields()
	f.size = size
	r.setFields(f)
}

// setNumber says which large set it is.
func (r record) setNumber(number uint32) {
	f := r.fields()
	f.number = number
	r.setFields(f)
}

// expireAt is when the key expires, 0 for never.
func (r record) expireAt() int64 {
	if !r.has(expires) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(r[headBytes:]))
}

func (r record) setExpireAt(at int64) { binary.LittleEndian.PutUint64(r[headBytes:], uint64(at)) }

// place is where the key is among those that expire.
func (r record) place() int { return int(binary.LittleEndian.Uint32(r[headBytes+8:])) }

func (r record) setPlace(i int) { binary.LittleEndian.PutUint32(r[headBytes+8:], uint32(i)) }

// gone reports whether the key's time has come by now.
func (r record) gone(now int64) bool {
	at := r.expireAt()
	return at != 0 && at <= now
}

// plan is the form of a record: its flags, where fields go, and how many bytes
// it takes.
func plan(key, room int, flags byte) (f fields, form byte, bytes int) {
	form = flags & (expires | isLarge | thinned)
	f.lengths = headBytes
	if form&expires != 0 {
		f.lengths += expiryBytes
	}
	at := f.lengths + 1
	if key > 0xff {
		form |= longKey
		at = f.lengths + longLength
	}
	switch {
	case form&isLarge != 0:
		at += longLength
		room = 0
	case room > mostShortBlock:
		form |= longBlock
		at += longLength
	default:
		at += 2
		room = max(room, leastRoom)
	}
	f.key, f.block = at, at+key
	return f, form, f.block + room
}

// reform lets to, which may be the same memory, have the key of from and keep
// bytes of its block in another form. What else is in fields is left to do.
func reform(to, from record, old, f fields, form byte, keep int) {
	block := func() { copy(to[f.block:], from[old.block:old.block+keep]) }
	if f.block > old.block {
		block()
	}
	copy(to[f.key:], from[old.key:old.block])
	if f.block <= old.block {
		block()
	}
	to[flagsAt] = form
	f.size = keep
	to.setFields(f)
}

// located is a record and where it is.
type located struct {
	ref  slab.Ref
	hash uint64 // of the key
	rec  record
}
