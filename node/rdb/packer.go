package rdb

import (
	"zset.dev/operator/zset"
)

// packer reads values, one after another, each into what zset.Set.Detach would give of it.
//
// What servers write is a listpack in order almost always. That becomes a block by one pass; everything else goes through a set,
// whose block is in memory that is used again and again.
type packer struct {
	set    *zset.Set // empty between values
	pack   zset.Packer
	block  []byte // what the set is in, as long as it is small
	member []byte // read last

	elements reader // of a listpack; here since it would not stay on the stack
}

// Resize implements zset.Room.
func (p *packer) Resize(block []byte, size int) []byte {
	if size > cap(p.block) {
		p.block = append(make([]byte, 0, 2*size), block...)
	}
	return p.block[:len(block)]
}

// value reads a value of that type: a block, which is valid until the next value, or a large set.
func (p *packer) value(r *reader, kind byte) (block []byte, large *zset.Set, err error) {
	if kind == typeListpack {
		list, err := r.text()
		if err != nil {
			return nil, nil, err
		}
		if block := p.listpack(list); block != nil {
			return block, nil, nil
		}
		return p.by(nil, func(s *zset.Set) error { return readListpack(s, list) })
	}
	if kind == typeBinary {
		return p.binary(r)
	}
	return p.by(nil, func(s *zset.Set) error { return r.value(s, kind) })
}

// packedAtMost is how many members a value of typeBinary may have that is tried as a block.
const packedAtMost = 128

// binary reads a value of typeBinary. Few members in order become a block by one pass; from the first on that does not fit there,
// a set takes them.
func (p *packer) binary(r *reader) (block []byte, large *zset.Set, err error) {
	n, err := r.count()
	if err != nil {
		return nil, nil, err
	}
	if n > packedAtMost {
		return p.by(nil, func(s *zset.Set) error { return r.members(s, n, (*reader).binaryScore) })
	}
	p.pack.Begin(p.set.Tuning())
	for ; n > 0; n-- {
		score, err := p.binaryMember(r)
		if err != nil {
			return nil, nil, err
		}
		if !p.pack.Add(p.member, score) {
			return p.by(p.pack.Block(), func(s *zset.Set) error {
				err := add(s, p.member, score)
				for n--; n > 0 && err == nil; n-- {
					if score, err = p.binaryMember(r); err == nil {
						err = add(s, p.member, score)
					}
				}
				return err
			})
		}
	}
	if block = p.pack.Block(); block == nil {
		return nil, nil, ErrFormat
	}
	return block, nil, nil
}

// binaryMember reads one of a value of typeBinary: its score, and p.member.
func (p *packer) binaryMember(r *reader) (score float64, err error) {
	text, err := r.text()
	if err != nil {
		return 0, err
	}
	p.member = append(p.member[:0], text...) // the next read may move it
	return r.binaryScore()
}

// by is the value that fill puts into a set, which begins with the members of a block.
func (p *packer) by(begun []byte, fill func(*zset.Set) error) (block []byte, large *zset.Set, err error) {
	const kept = 1 << 20
	if cap(p.block) > kept {
		p.block = nil
	}
	p.block = append(p.block[:0], begun...)
	p.set.Attach(p.block, p)
	err = fill(p.set)
	if err == nil && p.set.Len() == 0 {
		err = ErrFormat
	}
	if err != nil {
		p.set.Release()
	}
	block, large = p.set.Detach()
	return block, large, err
}

// listpack makes a block of a listpack. It is nil when that is not as simple, or makes no sense: readListpack knows.
func (p *packer) listpack(b []byte) []byte {
	elements, ok := listpackBody(b)
	if !ok {
		return nil
	}
	p.pack.Begin(p.set.Tuning())
	r := &p.elements
	r.b = elements
	var space [20]byte // the text of an integer
	n := 0
	for ; len(r.b) > 0; n += 2 {
		e, err := r.listpackElement()
		if err != nil {
			return nil
		}
		member := e.text
		if e.isInt {
			member = e.appendTo(space[:0])
		}
		e, err = r.listpackElement()
		if err != nil {
			return nil
		}
		score, err := e.score()
		if err != nil || !p.pack.Add(member, score) {
			return nil
		}
	}
	if !listpackCounts(b, n) {
		return nil
	}
	return p.pack.Block()
}
