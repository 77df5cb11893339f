package keyspace

import (
	"hash/maphash"
	"slices"

	"zset.dev/operator/zset"
)

// Held is the partitions one command holds. The zero value holds nothing; it
// is used by one goroutine and may be used again after Release.
type Held struct {
	ks     *Keyspace
	now    int64
	shared bool // for reading, beside others

	// The partitions held, ascending, each once. Most commands name one key.
	numbers []int
	one     [1]int

	// Hits and Misses count what Find met since Hold.
	Hits, Misses int
}

// Hold locks the partitions of keys, in ascending order, for a command that
// runs at now (milliseconds since the epoch) and may change them. The caller
// must hold nothing else of this keyspace, and must call Release.
func (ks *Keyspace) Hold(h *Held, now int64, keys ...[]byte) {
	h.hold(ks, false, now, keys)
}

// HoldShared is Hold for a command that only reads: others may read beside it.
func (ks *Keyspace) HoldShared(h *Held, now int64, keys ...[]byte) {
	h.hold(ks, true, now, keys)
}

func (h *Held) hold(ks *Keyspace, shared bool, now int64, keys [][]byte) {
	h.ks, h.shared, h.now, h.Hits, h.Misses = ks, shared, now, 0, 0
	if len(keys) == 1 {
		h.one[0] = Slot(keys[0]) / slotsInPartition
		h.numbers = h.one[:]
	} else {
		h.numbers = h.one[:0]
		for _, key := range keys {
			h.numbers = append(h.numbers, Slot(key)/slotsInPartition)
		}
		slices.Sort(h.numbers)
		h.numbers = slices.Compact(h.numbers)
	}
	for _, n := range h.numbers {
		if shared {
			ks.partitions[n].mu.RLock()
		} else {
			ks.partitions[n].mu.Lock()
		}
	}
}

// Release unlocks what Hold locked. No entry may be used afterwards.
func (h *Held) Release() {
	for _, n := range h.numbers {
		if h.shared {
			h.ks.partitions[n].mu.RUnlock()
		} else {
			h.ks.partitions[n].mu.Unlock()
		}
	}
	h.numbers = nil
}

// Find is the entry of key, nil when there is none or its time has come. In
// that case it is removed, unless the partition is held for reading only.
func (h *Held) Find(key []byte) *Entry {
	slot := Slot(key)
	p := h.partition(slot)
	e := p.find(slot, maphash.Bytes(h.ks.seed, key), key)
	if e != nil && e.expireAt != 0 && e.expireAt <= h.now {
		if !h.shared {
			p.remove(h.ks, e)
			h.ks.expired.Add(1)
		}
		e = nil
	}
	if e == nil {
		h.Misses++
		return nil
	}
	h.Hits++
	return e
}

// Create adds key with an empty set and no expiry. The key must not be there.
// Settle must be called before Release.
func (h *Held) Create(key []byte, t *zset.Tuning) *Entry {
	return h.insert(key, zset.New(t))
}

func (h *Held) insert(key []byte, set *zset.Set) *Entry {
	slot := Slot(key)
	e := &Entry{
		key:  string(key),
		set:  set,
		hash: maphash.Bytes(h.ks.seed, key),
		due:  -1,
		slot: uint16(slot),
	}
	e.setBytes = int64(e.set.MemoryUsage())
	h.writable(slot).insert(h.ks, e)
	return e
}

// Put makes key hold set, which is not empty and the keyspace's from now on,
// without expiry. What the key held is gone.
func (h *Held) Put(key []byte, set *zset.Set) *Entry {
	h.Drop(key)
	return h.insert(key, set)
}

// Rename makes key hold what e held, with its expiry, and removes e. What the
// key held is gone. The key must not be e's own.
func (h *Held) Rename(e *Entry, key []byte) *Entry {
	h.Drop(key)
	set, at := e.set, e.expireAt
	h.writable(int(e.slot)).take(h.ks, e)
	to := h.insert(key, set)
	h.SetExpiry(to, at)
	return to
}

// Drop removes key, if it is there, and reports whether it was.
func (h *Held) Drop(key []byte) bool {
	e := h.Find(key)
	if e != nil {
		h.Remove(e)
	}
	return e != nil
}

// Settle accounts for what was done to e's set, and removes the key when the
// set is empty; gone tells so.
func (h *Held) Settle(e *Entry) (gone bool) {
	if e.set.Len() == 0 {
		h.Remove(e)
		return true
	}
	now := int64(e.set.MemoryUsage())
	if now != e.setBytes {
		h.ks.used.Add(now - e.setBytes)
		e.setBytes = now
	}
	return false
}

// Remove takes the key out.
func (h *Held) Remove(e *Entry) { h.writable(int(e.slot)).remove(h.ks, e) }

// SetExpiry lets e expire at that time (milliseconds since the epoch), or
// never when it is 0.
func (h *Held) SetExpiry(e *Entry, at int64) {
	h.writable(int(e.slot)).setExpiry(h.ks, e, at)
}

// partition is the one that slot is in. That it is held is the caller's duty:
// a key outside those given to Hold would be a race, so it panics.
func (h *Held) partition(slot int) *partition {
	n := slot / slotsInPartition
	if !slices.Contains(h.numbers, n) {
		panic("keyspace: a key was used whose partition is not held")
	}
	return &h.ks.partitions[n]
}

// writable is partition for a change.
func (h *Held) writable(slot int) *partition {
	if h.shared {
		panic("keyspace: a key was changed whose partition is held for reading")
	}
	return h.partition(slot)
}
