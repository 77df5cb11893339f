package keyspace

import (
	"unsafe"

	"zset.dev/operator/zset"
	"zset.dev/operator/zset/slab"
)

// largeSet is a set that is a skip list. The Go heap has its struct, and the
// keyspace's heap its members. A partition has them in a row without gaps;
// each one's record knows its number.
type largeSet struct {
	set   *zset.Set
	bytes int64    // what the set took when it was last settled
	ref   slab.Ref // the record
}

// noSet is the number in a record whose set was taken out.
const noSet = 1<<32 - 1

const largeBytes = int64(unsafe.Sizeof(largeSet{}))

// largeAdd takes in the set of a record, which has the form of one that holds
// a large set.
func (p *partition) largeAdd(l *located, set *zset.Set) {
	l.rec.setNumber(uint32(len(p.large)))
	s := largeSet{set, int64(set.MemoryUsage()), l.ref}
	p.large = append(p.large, s)
	p.charge(s.bytes)
}

// largeTake takes out the set with that number.
func (p *partition) largeTake(number uint32) largeSet {
	s := p.large[number]
	last := uint32(len(p.large)) - 1
	if number != last {
		p.large[number] = p.large[last]
		p.record(p.large[number].ref).setNumber(number)
	}
	p.large[last] = largeSet{}
	p.large = p.large[:last]
	switch {
	case last == 0:
		p.large = nil
	case cap(p.large) > 16 && int(last) < cap(p.large)/4:
		p.large = append(make([]largeSet, 0, 2*last), p.large...)
	}
	p.charge(-s.bytes)
	return s
}

// largeSettle accounts for what was done to a set.
func (p *partition) largeSettle(number uint32) {
	s := &p.large[number]
	if now := int64(s.set.MemoryUsage()); now != s.bytes {
		p.charge(now - s.bytes)
		s.bytes = now
	}
}
