package zset

// IndexLines appends where a lookup of the member will look first, while lines has room. With RecordLines, which is for when
// that has arrived, it lets whoever knows of several lookups have package prefetch ask for what all of them need. Both are
// reads of the set, and append nothing for one without an index.
func (s *Set) IndexLines(lines []*byte, member []byte) []*byte {
	if s.list == nil || s.list.length == 0 || len(lines)+2 > cap(lines) {
		return lines
	}
	first, last := s.list.index.Home(s.list.key.sum(member))
	return append(lines, first, last)
}

// RecordLines appends where a lookup of the member will look next, while lines has room.
func (s *Set) RecordLines(lines []*byte, member []byte) []*byte {
	if s.list == nil || s.list.length == 0 {
		return lines
	}
	probe, m := s.list.index.Candidates(s.list.key.sum(member))
	for ; m != 0 && len(lines)+2 <= cap(lines); m &= m - 1 {
		b := s.list.records.at(ref(probe.Ref(m)))
		lines = append(lines, &b[0], &b[min(leastRecord+len(member), len(b))-1])
	}
	return lines
}
