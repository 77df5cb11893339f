package keyspace

import (
	"hash/maphash"
	"unsafe"

	"zset.dev/operator/zset"
	"zset.dev/operator/zset/hashindex"
	"zset.dev/operator/zset/slab"
)

// The keys of a partition are in one index, by hashes that begin with the
// slot's number within the partition:
//
//	63      57 56                                0
//	+---------+----------------------------------+
//	| slot    | upper 57 bits of the key's hash  |
//	+---------+----------------------------------+
//
// As the index has hashes in their order, a slot's keys lie together, and a
// position in that order, which does not depend on how large tables are, is
// all SCAN needs as a cursor. The hash of a key is not kept: it is computed
// again when its table is divided, or joined with another.
const (
	slotBits  = 7
	hashShift = 64 - slotBits
)

func (ks *Keyspace) hash(key []byte, slot int) uint64 {
	return uint64(slot%slotsInPartition)<<hashShift | maphash.Bytes(ks.seed, key)>>slotBits
}

// HashOf implements hashindex.Hasher.
func (p *partition) HashOf(r hashindex.Ref) uint64 {
	key := p.record(slab.Ref(r)).key()
	return p.ks.hash(key, Slot(key))
}

// Touch implements hashindex.Hasher.
func (p *partition) Touch(refs []hashindex.Ref) {
	var sum byte
	for _, r := range refs {
		sum += p.record(slab.Ref(r))[flagsAt]
	}
	touched(sum)
}

// touched keeps the compiler from leaving Touch's reads out.
//
//go:noinline
func touched(byte) {}

func (p *partition) record(ref slab.Ref) record { return p.ks.heap.Bytes(ref) }

// locate is a record of which only the ref is known.
func (p *partition) locate(ref slab.Ref) located {
	rec := p.record(ref)
	key := rec.key()
	return located{ref, p.ks.hash(key, Slot(key)), rec}
}

// find looks a key up by its hash; ok is false when it is not there.
func (p *partition) find(hash uint64, key []byte) (l located, ok bool) {
	if p.count == 0 {
		return located{}, false
	}
	for probe := p.index.Probe(hash); ; probe = probe.Next() {
		for m := probe.Matches(); m != 0; m &= m - 1 {
			ref := slab.Ref(probe.Ref(m))
			if rec := p.record(ref); string(rec.key()) == string(key) {
				return located{ref, hash, rec}, true
			}
		}
		if probe.Last() {
			return located{}, false
		}
	}
}

// charge accounts for bytes taken, or given back.
func (p *partition) charge(n int64) {
	p.bytes += n
	p.ks.bytes.Add(n)
}

// chargeTables accounts for what became of the tables.
func (p *partition) chargeTables() {
	now := int64(p.index.Bytes()) + int64(cap(p.due))*int64(unsafe.Sizeof(slab.Ref(0))) + int64(cap(p.large))*largeBytes
	if now != p.table {
		p.charge(now - p.table)
		p.ks.tables.Add(now - p.table)
		p.table = now
	}
}

// make makes a record without an expiry that has room for so many bytes of a
// listpack, and that nothing refers to yet.
func (p *partition) make(hash uint64, key []byte, room int, usage uint32, form byte) (l located, ok bool) {
	f, form, bytes := plan(len(key), room, form)
	ref, b, err := p.ks.heap.Alloc(bytes)
	if err != nil {
		return located{}, false
	}
	l = located{ref, hash, record(b[:cap(b)])}
	p.usage(ref).Store(usage)
	l.rec[flagsAt] = form
	l.rec.setFields(f)
	copy(l.rec[f.key:], key)
	p.charge(int64(len(l.rec)))
	return l, true
}

// unmake frees a record that nothing refers to.
func (p *partition) unmake(l *located) {
	p.charge(-int64(len(l.rec)))
	p.ks.heap.Free(l.ref)
}

// insert enters a record whose key is not there. It fails when there is no
// memory for it.
func (p *partition) insert(l *located) bool {
	if !p.index.Reserve(l.hash, p) {
		return false
	}
	p.index.Insert(l.hash, uint32(l.ref))
	p.slots[l.hash>>hashShift]++
	p.count++
	p.ks.keys.Add(1)
	p.chargeTables()
	return true
}

// remove takes a record out and gives back all it has.
func (p *partition) remove(l *located) {
	p.index.Remove(l.hash, uint32(l.ref))
	p.slots[l.hash>>hashShift]--
	p.count--
	p.ks.keys.Add(-1)
	p.abandon(l)
	if p.count == 0 {
		p.index.Free()
	} else {
		p.index.Shrink(l.hash, p)
	}
	p.chargeTables()
}

// abandon gives back all that a record has which the index does not refer to
// any more.
func (p *partition) abandon(l *located) {
	if l.rec.has(expires) {
		p.dueRemove(l.rec.place())
	}
	if number := l.rec.fields().number; l.rec.has(isLarge) && number != noSet {
		p.ks.reclaimer.release(p.largeTake(number))
	}
	p.unmake(l)
}

// reshape gives a record another form, and room for so many bytes of a
// listpack, of which it has keep now. It moves to an allocation of the size that
// takes. When there is none it stays if it can, else reshape fails and nothing
// has changed.
func (p *partition) reshape(l *located, form byte, room, keep int) bool {
	old := l.rec.fields()
	f, form, bytes := plan(old.block-old.key, room, form)
	f.number = old.number
	if slab.Size(bytes) != len(l.rec) && p.move(l, old, f, form, bytes, keep) {
		return true
	}
	if bytes > len(l.rec) {
		return false
	}
	reform(l.rec, l.rec, old, f, form, keep)
	return true
}

// move moves a record to another allocation.
func (p *partition) move(l *located, old, f fields, form byte, bytes, keep int) bool {
	ref, b, err := p.ks.heap.Alloc(bytes)
	if err != nil {
		return false
	}
	to := record(b[:cap(b)])
	p.usage(ref).Store(p.usage(l.ref).Load())
	reform(to, l.rec, old, f, form, keep)
	if l.rec.has(expires) && form&expires != 0 {
		copy(to[headBytes:], l.rec[headBytes:headBytes+expiryBytes])
		p.due[to.place()] = ref
	}
	if l.rec.has(isLarge) {
		p.large[f.number].ref = ref
	}
	p.index.Replace(l.hash, uint32(l.ref), uint32(ref))
	p.charge(int64(len(to) - len(l.rec)))
	p.ks.heap.Free(l.ref)
	l.ref, l.rec = ref, to
	return true
}

// setExpiry lets a record expire at that time, or never when it is 0.
func (p *partition) setExpiry(l *located, at int64) bool {
	f := l.rec.fields()
	switch {
	case l.rec.has(expires) && at == 0:
		p.dueRemove(l.rec.place())
		p.reshape(l, l.rec[flagsAt]&^expires, f.size, f.size)
	case l.rec.has(expires):
		l.rec.setExpireAt(at)
		p.dueFix(l.rec.place())
	case at != 0:
		if !p.reshape(l, l.rec[flagsAt]|expires, f.size, f.size) {
			return false
		}
		l.rec.setExpireAt(at)
		p.dueAdd(l.ref)
	}
	p.chargeTables()
	return true
}

// enlarge lets a record hold a set that has become a skip list.
func (p *partition) enlarge(l *located, set *zset.Set) {
	p.reshape(l, l.rec[flagsAt]|isLarge, 0, 0) // there is room for it where it is
	p.largeAdd(l, set)
	p.chargeTables()
}

// expire removes a record whose time has come.
func (p *partition) expire(l *located) {
	key := l.rec.key()
	p.touch(key)
	p.ks.observer.Expired(key)
	p.ks.expired.Add(1)
	p.remove(l)
}

// evict removes a record to make room.
func (p *partition) evict(l *located) {
	key := l.rec.key()
	p.touch(key)
	p.ks.observer.Evicted(key)
	p.ks.evicted.Add(1)
	p.remove(l)
}
