package keyspace

// Place is where a key belongs, which follows from its name alone and is worth
// being computed once. It is good for the keyspace that gave it.
type Place struct {
	hash uint64 // begins with the slot's number within its partition
	slot int32
}

// Place is the place of a key.
func (ks *Keyspace) Place(key []byte) Place {
	slot := Slot(key)
	return Place{ks.hash(key, slot), int32(slot)}
}

// Slot is the key's hash slot.
func (p Place) Slot() int { return int(p.slot) }

// partition is the number of the key's partition.
func (p Place) partition() int { return int(p.slot) / slotsInPartition }

// place is the place of a key, which is mostly the one that Hold was called
// with.
func (h *Held) place(key []byte) Place {
	if len(key) == len(h.key) && len(key) > 0 && &key[0] == &h.key[0] {
		return h.at
	}
	return h.ks.Place(key)
}
