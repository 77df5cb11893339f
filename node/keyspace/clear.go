package keyspace

// Clear removes every key, of which all partitions must be held, and reports
// how many there were.
func (h *Held) Clear() (removed int) {
	for i := range h.ks.partitions {
		if !h.holds(i) || h.shared {
			panic("keyspace: all keys were removed without holding all")
		}
		removed += h.ks.partitions[i].clear(h.ks)
	}
	return removed
}

func (p *partition) clear(ks *Keyspace) int {
	if p.count == 0 {
		return 0
	}
	for key := range p.watched {
		if slot := Slot([]byte(key)); p.find(slot, ks.hash([]byte(key), slot), []byte(key)) != nil {
			p.touch(key)
		}
	}
	var freed int64
	for i, d := range p.slots {
		if d == nil {
			continue
		}
		freed += d.bytes()
		d.visit(0, d.count+1, func(e *Entry) {
			freed += e.fixedBytes() + e.setBytes
			e.set.Release()
		})
		p.slots[i] = nil
	}
	n := p.count
	ks.used.Add(-freed)
	ks.keys.Add(-int64(n))
	ks.expiring.Add(-int64(len(p.due)))
	p.due, p.count = nil, 0
	return n
}
