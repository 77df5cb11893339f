package zset

import "bytes"

// CloneIn makes another set with the same members, as NewIn makes one. The error is ErrFull.
func (s *Set) CloneIn(m Memory, t *Tuning) (*Set, error) {
	c := NewIn(m, t)
	if s.list == nil {
		c.packed.buf = bytes.Clone(s.packed.buf)
		if longest := s.packed.longest(); c.outgrown(c.Len(), longest) && c.Len() > 0 && !c.convert() {
			return nil, ErrFull
		}
		return c, nil
	}
	var f Filler
	f.Begin(c, s.Len())
	for member, score := range s.All() {
		if err := f.Add(member, score); err != nil {
			return nil, err
		}
	}
	if err := f.End(); err != nil {
		return nil, err
	}
	return c, nil
}

// longest is the length of the longest member.
func (lp *listpack) longest() int {
	most := 0
	for at := lp.begin(); at < lp.end(); {
		start, stop := lp.fields(at)
		most, at = max(most, stop-start), stop
	}
	return most
}
