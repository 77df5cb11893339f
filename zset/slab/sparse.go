package slab

// Sparse reports whether an allocation is one of few in its slab, so that to allocate it anew and to free this one, which
// only its owner can do, brings the slab nearer to being free as a whole. Allocations go to the fullest slabs; an owner
// that moves what is sparse, time after time, so gets back all but a quarter of what mass deletion left behind.
func (h *Heap) Sparse(r Ref) bool {
	page := uint32(r >> pageShift)
	kind := h.refs.kind(page)
	return kindSize[kind] != 0 && h.pools[kind].sparse(h, page)
}

// sparse reports whether the slab of a page is one to be emptied. The current one is about to be filled.
func (p *pool) sparse(h *Heap, page uint32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	slab := page - uint32(h.refs.record(page).back)
	return slab != p.current && p.quarter(h.refs.record(slab).used) < quarters-1
}
