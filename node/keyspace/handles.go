package keyspace

import "zset.dev/operator/zset/slab"

const (
	fewEntries  = 8  // so many handles are searched one by one
	keptEntries = 16 // and so many kept by who holds nothing
)

// entry is a handle of a record. For writing there is one for each record, as
// a second one would not know where the first has moved it.
func (h *Held) entry(p *partition, l located) *Entry {
	if !h.shared {
		if e := h.known(l.ref); e != nil {
			return e
		}
	}
	if h.inUse == len(h.entries) {
		h.entries = append(h.entries, &Entry{})
	}
	e := h.entries[h.inUse]
	e.h, e.at = h, h.inUse
	h.inUse++
	e.open(p, l, !h.shared)
	if !h.shared && h.inUse > fewEntries {
		h.note(e)
	}
	return e
}

// known is the handle in use of a record, if there is one.
func (h *Held) known(ref slab.Ref) *Entry {
	if h.byRef != nil {
		return h.byRef[ref]
	}
	for _, e := range h.entries[:h.inUse] {
		if e.ref == ref {
			return e
		}
	}
	return nil
}

// note enters a handle in byRef.
func (h *Held) note(e *Entry) {
	if h.byRef == nil {
		h.byRef = make(map[slab.Ref]*Entry, 4*fewEntries)
		for _, e := range h.entries[:h.inUse] {
			h.byRef[e.ref] = e
		}
	}
	h.byRef[e.ref] = e
}

// moved notes that the record of e may no longer be where it was.
func (h *Held) moved(e *Entry, before slab.Ref) {
	if h != nil && h.byRef != nil && e.ref != before {
		delete(h.byRef, before)
		h.byRef[e.ref] = e
	}
}

// drop ends the use of the handle, if there is one, of a record that goes.
func (h *Held) drop(l *located) {
	if h.shared {
		return
	}
	e := h.known(l.ref)
	if e == nil {
		return
	}
	e.sync()
	*l = e.located
	delete(h.byRef, e.ref)
	e.close()
	h.inUse--
	last := h.entries[h.inUse]
	h.entries[e.at], h.entries[h.inUse] = last, e
	last.at, e.at = e.at, h.inUse
}

// Forget ends the use of all entries that were found, as Release does. Who
// does many things under one hold calls it after each.
func (h *Held) Forget() {
	for _, e := range h.entries[:h.inUse] {
		e.close()
	}
	h.inUse, h.byRef = 0, nil
	if len(h.entries) > keptEntries {
		h.entries = append([]*Entry(nil), h.entries[:keptEntries]...)
	}
}
