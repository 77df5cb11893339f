package keyspace

// Clear removes every key, of which all partitions must be held, and reports
// how many there were. The keys are gone at once; the memory they take is
// given back, and taken off Used, by Release, once nobody has to wait for it.
func (h *Held) Clear() (removed int) {
	for i := range h.ks.partitions {
		if !h.holds(i) || h.shared {
			panic("keyspace: all keys were removed without holding all")
		}
		removed += h.ks.partitions[i].clear(h)
	}
	return removed
}

func (p *partition) clear(h *Held) int {
	if p.count == 0 {
		return 0
	}
	for key := range p.watched {
		slot := Slot([]byte(key))
		if p.find(slot, h.ks.hash([]byte(key), slot), []byte(key)) != nil {
			p.touch(key)
		}
	}
	n := p.count
	for i, d := range p.slots {
		if d != nil {
			h.cleared = append(h.cleared, d)
			p.slots[i] = nil
		}
	}
	h.ks.keys.Add(-int64(n))
	h.ks.expiring.Add(-int64(len(p.due)))
	p.due, p.count = nil, 0
	return n
}

// discard gives back what Clear removed.
func (h *Held) discard() {
	for _, d := range h.cleared {
		freed := d.bytes()
		d.visit(0, d.count+1, func(e *Entry) {
			freed += e.fixedBytes() + e.setBytes
			e.set.Release()
		})
		h.ks.used.Add(-freed)
	}
	h.cleared = nil
}
