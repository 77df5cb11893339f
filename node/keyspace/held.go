package keyspace

import (
	"slices"

	"zset.dev/operator/node/replog"
	"zset.dev/operator/zset"
	"zset.dev/operator/zset/slab"
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

	key []byte // the one key that Hold was called with, nil when they were more
	at  Place  // its place

	ready []string // keys made since Hold that someone waits for, in that order

	// Handles of entries, those in use first. Those behind them are kept to be
	// used again.
	entries []*Entry
	inUse   int
	byRef   map[slab.Ref]*Entry // of those in use for writing, when they are many

	cleared []cleared // what Clear removed, whose memory Release gives back
	wait    bool      // until it is given back

	left bool // Find left a key in place whose time had come

	expired []string // keys whose time has come that Release removes, since they were met while reading

	log     *replog.Log    // the journal while this holds something for writing; nil for none
	effects replog.Effects // what changed since Hold, for the journal
	logged  int64          // the offset behind what was logged last; 0 for nothing
	served  []*Waiter      // by Ready

	// Mute lets what changes not be logged: it is in the log by other ways. Set
	// it after Hold, which sets it back.
	Mute bool

	// Quiet lets Find not count as a use of the key (Entry.Idle). Set it after
	// Hold, which sets it back.
	Quiet bool

	// Timeless lets keys be seen whose time has come, for who does what another
	// node did, by that one's clock. Nothing but its owner sets it.
	Timeless bool

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

// HoldOne is Hold, or HoldShared, for one key whose place is known.
func (ks *Keyspace) HoldOne(h *Held, now int64, shared bool, key []byte, at Place) {
	h.begin(ks, shared, now)
	h.holdOne(key, at)
}

// HoldAll is Hold for a command that may look at and change any key.
func (ks *Keyspace) HoldAll(h *Held, now int64) {
	h.begin(ks, false, now)
	h.numbers = everyPartition
	h.lock()
}

// everyPartition is the numbers of all of them.
var everyPartition = func() (all []int) {
	for i := range partitionCount {
		all = append(all, i)
	}
	return all
}()

func (h *Held) begin(ks *Keyspace, shared bool, now int64) {
	if h.ks != ks {
		h.entries = nil // their views are of the other's memory
	}
	h.ks, h.shared, h.now, h.left, h.wait, h.Quiet, h.Hits, h.Misses = ks, shared, now, false, false, false, 0, 0
	h.Mute, h.logged = false, 0
}

func (h *Held) hold(ks *Keyspace, shared bool, now int64, keys [][]byte) {
	h.begin(ks, shared, now)
	if len(keys) == 1 {
		h.holdOne(keys[0], ks.Place(keys[0]))
		return
	}
	h.numbers = h.one[:0]
	for _, key := range keys {
		h.numbers = append(h.numbers, Slot(key)/slotsInPartition)
	}
	slices.Sort(h.numbers)
	h.numbers = slices.Compact(h.numbers)
	h.lock()
}

func (h *Held) holdOne(key []byte, at Place) {
	h.key, h.at = key, at
	h.one[0] = at.partition()
	h.numbers = h.one[:]
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
	if !h.shared {
		h.log = h.ks.journal.Load()
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

// Release unlocks what Hold locked, once what changed is in the journal, if
// there is one. No entry may be used afterwards.
func (h *Held) Release() {
	h.Forget()
	h.commit()
	for _, n := range h.numbers {
		if h.shared {
			h.ks.partitions[n].mu.RUnlock()
		} else {
			h.ks.partitions[n].mu.Unlock()
		}
	}
	h.numbers, h.served, h.key = nil, nil, nil
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
	h.count(key, e != nil)
	if e != nil && !h.Quiet {
		e.use(h.now)
	}
	return e
}

// Has is Find for who only wants to know whether it is there.
func (h *Held) Has(key []byte) bool {
	p, l, ok := h.look(key)
	h.count(key, ok)
	if ok && !h.Quiet {
		p.use(l.ref, h.now)
	}
	return ok
}

// count notes what came of a lookup.
func (h *Held) count(key []byte, found bool) {
	if found {
		h.Hits++
		return
	}
	h.Misses++
	if h.shared {
		h.ks.observer.Missed(key)
	}
}

// Peek is Find for a look that is nobody's use of the key: it is not counted,
// and a miss is not told of.
func (h *Held) Peek(key []byte) *Entry {
	p, l, ok := h.look(key)
	if !ok {
		return nil
	}
	return h.entry(p, l)
}

// Stored is Peek also for a key whose time has come but that nothing has removed
// yet.
func (h *Held) Stored(key []byte) *Entry {
	at := h.place(key)
	p := h.partition(at)
	if l, ok := p.find(at.hash, key); ok {
		return h.entry(p, l)
	}
	return nil
}

// look looks a key up. It is not there if its time has come.
func (h *Held) look(key []byte) (p *partition, l located, ok bool) {
	at := h.place(key)
	p = h.partition(at)
	l, ok = p.find(at.hash, key)
	if !ok || h.Timeless || !l.rec.gone(h.now) {
		return p, l, ok
	}
	switch {
	case !h.ks.expires():
		h.left = true
	case h.shared:
		h.expired = append(h.expired, string(key))
	default:
		h.expire(p, &l)
	}
	return p, l, false
}

// Create adds key with an empty set and no expiry, which has room for so many
// bytes of a listpack. The key must not be there. Settle must be called before
// Release. The error is ErrFull.
func (h *Held) Create(key []byte, room int) (*Entry, error) {
	at := h.place(key)
	p := h.writable(at)
	l, ok := p.make(at.hash, key, room, h.ks.freshWord(h.now), 0)
	if !ok {
		return nil, ErrFull
	}
	if !h.insert(p, &l) {
		p.unmake(&l)
		return nil, ErrFull
	}
	h.ks.observer.Created(key)
	e := h.entry(p, l)
	e.reserved, e.fresh = true, true
	return e, nil
}

// insert adds the record of a key that is not there, or is there only because
// expiry is suspended.
func (h *Held) insert(p *partition, l *located) bool {
	key := l.rec.key()
	if h.left {
		if old, ok := p.find(l.hash, key); ok {
			h.expire(p, &old)
		}
	}
	if !p.insert(l) {
		return false
	}
	h.came(p, key)
	return true
}

// came notes a key that holds something now, for those who wait for it.
func (h *Held) came(p *partition, key []byte) {
	if p.waiting[string(key)] != nil {
		h.ready = append(h.ready, string(key))
	}
}

// Copy is Put of a set that has the members of another key, e, and its expiry.
func (h *Held) Copy(e *Entry, key []byte, set *zset.Set) (copied *Entry, err error) {
	named, mute, name := e.named(), h.Mute, e.Key()
	h.follow(e, key, named)
	h.Mute = h.Mute || named
	copied, err = h.Put(key, set, e.ExpireAt())
	if h.Mute = mute; named && err == nil && h.Journals() {
		h.effects.Copy([]byte(name), key)
	}
	return copied, err
}

// Put makes key hold set, which is not empty and the keyspace's from now on,
// until that time (milliseconds since the epoch), 0 for ever. What the key held
// is gone. The error is ErrFull; then key holds what it held, and set is
// released.
func (h *Held) Put(key []byte, set *zset.Set, expireAt int64) (*Entry, error) {
	block, large := set.Detach()
	return h.put(key, block, large, expireAt)
}

// put is Put of a set that is in block, or is large.
func (h *Held) put(key, block []byte, list *zset.Set, expireAt int64) (*Entry, error) {
	at := h.place(key)
	p := h.writable(at)
	_, old, replaces := h.look(key)
	form := byte(0)
	if list != nil {
		form = isLarge
	}
	if expireAt != 0 {
		form |= expires
	}
	l, ok := p.make(at.hash, key, len(block), h.ks.freshWord(h.now), form)
	if ok && replaces {
		h.drop(&old)
		p.index.Replace(l.hash, uint32(old.ref), uint32(l.ref))
		p.abandon(&old)
	} else if ok && !h.insert(p, &l) {
		p.unmake(&l)
		ok = false
	}
	if !ok {
		if list != nil {
			list.Release()
		}
		return nil, ErrFull
	}
	p.fill(&l, block, list, expireAt)
	if !replaces {
		h.ks.observer.Created(key)
	}
	e := h.entry(p, l)
	if h.Journals() {
		h.stored(e)
	}
	return e, nil
}

// Rename makes key hold what e held, with its expiry, and removes e. What the
// key held is gone. The key must not be e's own. The error is ErrFull; then
// nothing has changed.
func (h *Held) Rename(e *Entry, key []byte) error {
	from := e.p
	e.sync()
	f := e.rec.fields()
	at := h.place(key)
	p := h.writable(at)
	_, old, replaces := h.look(key)
	l, ok := p.make(at.hash, key, f.size, h.ks.freshWord(h.now), e.rec[flagsAt])
	if ok && !replaces && !h.insert(p, &l) {
		p.unmake(&l)
		ok = false
	}
	if !ok {
		return ErrFull
	}
	named := e.named()
	h.follow(e, key, named)
	e.sync()
	if replaces {
		h.drop(&old)
		p.index.Replace(l.hash, uint32(old.ref), uint32(l.ref))
		p.abandon(&old)
	}
	var list *zset.Set
	if e.rec.has(isLarge) {
		list = from.largeTake(e.rec.fields().number).set
		e.rec.setNumber(noSet)
		for _, w := range h.ks.walks {
			w.moved(list, key)
		}
	}
	p.fill(&l, e.rec.block(), list, e.rec.expireAt())
	if named && h.Journals() {
		h.effects.Rename(e.rec.key(), key)
		e.fresh = true // what was logged has it that it is gone
	}
	h.Remove(e)
	if !named && h.Journals() {
		h.stored(h.entry(p, l))
	}
	h.ks.observer.Created(key)
	return nil
}

// fill gives a record that was made for it, and entered, what it is to hold.
func (p *partition) fill(l *located, block []byte, list *zset.Set, expireAt int64) {
	if list != nil {
		p.largeAdd(l, list)
	} else {
		l.rec.setSize(len(block))
		copy(l.rec.block(), block)
	}
	if expireAt != 0 {
		l.rec.setExpireAt(expireAt)
		p.dueAdd(l.ref)
	}
	p.chargeTables()
}

// Drop removes key, if it is there, and reports whether it was.
func (h *Held) Drop(key []byte) bool {
	p, l, ok := h.look(key)
	if ok {
		h.mustWrite()
		h.drop(&l)
		h.dropped(key)
		p.remove(&l)
	}
	return ok
}

// Settle accounts for what was done to e's set, and removes the key when the
// set is empty; gone tells so.
func (h *Held) Settle(e *Entry) (gone bool) {
	e.sync()
	if e.empty() {
		h.Remove(e)
		return true
	}
	if e.rec.has(isLarge) {
		e.p.largeSettle(e.rec.fields().number)
	}
	return false
}

// Remove takes the key out.
func (h *Held) Remove(e *Entry) {
	h.mustWrite()
	e.sync()
	p, l := e.p, e.located
	if !e.fresh {
		h.dropped(l.rec.key())
	}
	h.drop(&l)
	p.remove(&l)
}

// SetExpiry lets e expire at that time (milliseconds since the epoch), or
// never when it is 0. The error is ErrFull, but not for 0; then nothing has
// changed.
func (h *Held) SetExpiry(e *Entry, at int64) error {
	h.mustWrite()
	e.sync()
	before := e.ref
	if at == e.rec.expireAt() {
		return nil
	}
	if !e.p.setExpiry(&e.located, at) {
		return ErrFull
	}
	h.moved(e, before)
	if h.Journals() {
		h.effects.Expire(e.rec.key(), at)
	}
	return nil
}

// expire removes a key whose time has come.
func (h *Held) expire(p *partition, l *located) {
	h.drop(l)
	h.dropped(l.rec.key())
	p.expire(l)
}

// partition is the one of a place. That it is held is the caller's duty:
// a key outside those given to Hold would be a race, so it panics.
func (h *Held) partition(at Place) *partition {
	n := at.partition()
	if !h.holds(n) {
		panic("keyspace: a key was used whose partition is not held")
	}
	return &h.ks.partitions[n]
}

// writable is partition for a change.
func (h *Held) writable(at Place) *partition {
	h.mustWrite()
	return h.partition(at)
}

func (h *Held) mustWrite() {
	if h.shared {
		panic("keyspace: a key was changed whose partition is held for reading")
	}
}
