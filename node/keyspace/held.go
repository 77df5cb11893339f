package keyspace

import (
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

	ready []string // keys made since Hold that someone waits for, in that order

	cleared []*dict // tables Clear removed, whose memory Release gives back

	left bool // Find left a key in place whose time had come

	expired []string // keys whose time has come that Release removes, since they were met while reading

	// Quiet lets Find not count as a use of the key (Entry.Idle). Set it after
	// Hold, which sets it back.
	Quiet bool

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

// HoldAll is Hold for a command that may look at and change any key.
func (ks *Keyspace) HoldAll(h *Held, now int64) {
	*h = Held{ks: ks, now: now, numbers: everyPartition}
	h.lock()
}

// everyPartition is the numbers of all of them.
var everyPartition = func() (all []int) {
	for i := range partitionCount {
		all = append(all, i)
	}
	return all
}()

func (h *Held) hold(ks *Keyspace, shared bool, now int64, keys [][]byte) {
	h.ks, h.shared, h.now, h.left, h.Quiet, h.Hits, h.Misses = ks, shared, now, false, false, 0, 0
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
	h.lock()
}

func (h *Held) lock() {
	for _, n := range h.numbers {
		if h.shared {
			h.ks.partitions[n].mu.RLock()
		} else {
			h.ks.partitions[n].mu.Lock()
		}
	}
}

// holds reports whether partition n is held.
func (h *Held) holds(n int) bool {
	return len(h.numbers) == partitionCount || slices.Contains(h.numbers, n)
}

// beside reports whether partitions still have to be locked one by one for a
// look at all keys. Some held and others not would not be in ascending order.
func (h *Held) beside() (lock bool) {
	if h == nil || len(h.numbers) == 0 {
		return true
	}
	if len(h.numbers) != partitionCount {
		panic("keyspace: a look at all keys while some partitions are held")
	}
	return false
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
	if h.cleared != nil {
		h.discard()
	}
	if h.expired != nil {
		h.ks.removeExpired(nil, h.now, h.expired)
		h.expired = nil
	}
}

// Find is the entry of key, nil when there is none or its time has come. In
// that case it is removed, unless expiry is suspended: at once, or by Release
// when the partition is held for reading only.
func (h *Held) Find(key []byte) *Entry {
	e := h.Peek(key)
	if e == nil {
		h.Misses++
		if h.shared {
			h.ks.observer.Missed(key)
		}
		return nil
	}
	h.Hits++
	if !h.Quiet {
		e.use(h.ks, h.now)
	}
	return e
}

// Peek is Find for a look that is nobody's use of the key: it is not counted,
// and a miss is not told of.
func (h *Held) Peek(key []byte) *Entry {
	slot := Slot(key)
	p := h.partition(slot)
	e := p.find(slot, h.ks.hash(key, slot), key)
	if e == nil || e.expireAt == 0 || e.expireAt > h.now {
		return e
	}
	switch {
	case h.ks.suspended.Load():
		h.left = true
	case h.shared:
		h.expired = append(h.expired, e.key)
	default:
		p.expire(h.ks, e)
	}
	return nil
}

// Create adds key with an empty set and no expiry. The key must not be there.
// Settle must be called before Release.
func (h *Held) Create(key []byte, t *zset.Tuning) *Entry {
	return h.insert(key, zset.New(t), true)
}

// insert adds a key that is not there; created tells the observer.
func (h *Held) insert(key []byte, set *zset.Set, created bool) *Entry {
	slot := Slot(key)
	e := &Entry{
		key:  string(key),
		set:  set,
		hash: h.ks.hash(key, slot),
		due:  -1,
	}
	e.used.Store(h.ks.freshWord(h.now))
	e.setBytes = int64(e.set.MemoryUsage())
	p := h.writable(slot)
	if h.left {
		if old := p.find(slot, e.hash, key); old != nil {
			p.expire(h.ks, old)
		}
	}
	p.insert(h.ks, e)
	if p.waiting[e.key] != nil {
		h.ready = append(h.ready, e.key)
	}
	if created {
		h.ks.observer.Created(e.key)
	}
	return e
}

// Put makes key hold set, which is not empty and the keyspace's from now on,
// without expiry. What the key held is gone.
func (h *Held) Put(key []byte, set *zset.Set) *Entry {
	replaced := h.Drop(key)
	return h.insert(key, set, !replaced)
}

// Rename makes key hold what e held, with its expiry, and removes e. What the
// key held is gone. The key must not be e's own.
func (h *Held) Rename(e *Entry, key []byte) *Entry {
	h.Drop(key)
	set, at := e.set, e.expireAt
	h.writable(e.slot()).take(h.ks, e)
	to := h.insert(key, set, true)
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
func (h *Held) Remove(e *Entry) { h.writable(e.slot()).remove(h.ks, e) }

// SetExpiry lets e expire at that time (milliseconds since the epoch), or
// never when it is 0.
func (h *Held) SetExpiry(e *Entry, at int64) {
	h.writable(e.slot()).setExpiry(h.ks, e, at)
}

// partition is the one that slot is in. That it is held is the caller's duty:
// a key outside those given to Hold would be a race, so it panics.
func (h *Held) partition(slot int) *partition {
	n := slot / slotsInPartition
	if !h.holds(n) {
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
