package zset

import "bytes"

// CloneIn makes another set with the same members, as NewIn makes one. A listpack is copied as it is, whatever t allows,
// as it would stay one. The error is ErrFull.
func (s *Set) CloneIn(m Memory, t *Tuning) (*Set, error) {
	c := NewIn(m, t)
	if s.list == nil {
		c.packed.buf = bytes.Clone(s.packed.buf)
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
