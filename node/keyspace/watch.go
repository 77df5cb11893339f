package keyspace

import "sync/atomic"

// Watch is the keys a client wants to know unchanged, from WATCH to EXEC. The
// zero value watches none. All but Changed belongs to one goroutine.
type Watch struct {
	changed atomic.Bool
	keys    []string // in the partitions' tables; owned by the client's goroutine
}

// Changed reports whether one of the keys changed since it was watched. It is
// certain while their partitions are held.
func (w *Watch) Changed() bool { return w.changed.Load() }

// Len is the number of keys watched.
func (w *Watch) Len() int { return len(w.keys) }

// Keys is the keys watched.
func (w *Watch) Keys() []string { return w.keys }

// Watch adds a key, whose partition must be held for writing. It reports
// whether it was not watched before. A key whose time has come counts as
// missing already.
func (h *Held) Watch(w *Watch, key []byte) bool {
	p := h.writable(h.place(key))
	if p.watched[string(key)][w] {
		return false
	}
	h.Peek(key)
	name := string(key)
	if p.watched == nil {
		p.watched = map[string]map[*Watch]bool{}
	}
	if p.watched[name] == nil {
		p.watched[name] = map[*Watch]bool{}
	}
	p.watched[name][w] = true
	w.keys = append(w.keys, name)
	h.ks.watched.Add(1)
	return true
}

// Unwatch lets w watch nothing. The caller holds no partition.
func (ks *Keyspace) Unwatch(w *Watch) {
	for _, key := range w.keys {
		p := ks.partitionOf(key)
		p.mu.Lock()
		p.unwatch(ks, w, key)
		p.mu.Unlock()
	}
	w.keys = nil
	w.changed.Store(false)
}

// Unwatch is the same for a caller that holds the partitions of all its keys.
func (h *Held) Unwatch(w *Watch) {
	for _, key := range w.keys {
		h.writable(h.place([]byte(key))).unwatch(h.ks, w, key)
	}
	w.keys = nil
	w.changed.Store(false)
}

func (p *partition) unwatch(ks *Keyspace, w *Watch, key string) {
	delete(p.watched[key], w)
	if len(p.watched[key]) == 0 {
		delete(p.watched, key)
	}
	ks.watched.Add(-1)
}

// Touch says that key changed. Commands call it for every change they make.
func (h *Held) Touch(key []byte) {
	if h.ks.watched.Load() == 0 {
		return
	}
	for w := range h.writable(h.place(key)).watched[string(key)] {
		w.changed.Store(true)
	}
}

func (p *partition) touch(key []byte) {
	for w := range p.watched[string(key)] {
		w.changed.Store(true)
	}
}

// Watched is how often keys are watched in all.
func (ks *Keyspace) Watched() int { return int(ks.watched.Load()) }

// Refresh removes those of the keys whose time has come, so that who watches
// them knows. Their partitions must be held for writing.
func (h *Held) Refresh(keys []string) {
	for _, key := range keys {
		h.Peek([]byte(key))
	}
}
