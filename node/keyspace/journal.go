package keyspace

import (
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/zset"
)

// While there is a journal, each Held that may change keys gathers what it
// changes, where it is changed: members by an observer of the sets, keys in the
// methods that make, remove and rename them. Release appends that to the log,
// as one, before it unlocks anything. So no command can forget an effect, and
// those on the same key stand in the log in the order in which they happened.
//
// What is done to keys without anybody's Held, as to those swept or evicted, is
// appended at once, likewise before the partition is unlocked.

const (
	// keptEffects is the memory for effects that a Held keeps.
	keptEffects = 16 << 10
	// mostPayload is what a set may take in memory to be logged as one payload.
	// A larger one is logged as its members, some at a time, so that nobody who
	// reads the log needs memory for all of them at once.
	mostPayload = 256 << 10
)

// Journal lets every hold append what it changes to log from now on; nil ends
// that. All that changes after it has returned is in the log.
func (ks *Keyspace) Journal(log *replog.Log) {
	var h Held
	ks.HoldAll(&h, 0)
	ks.journal.Store(log)
	h.log = nil
	h.Release()
}

// Log appends a command that names no key, and returns the offset behind it; 0
// when there is no journal. The caller holds nothing: who does uses Held.Log.
func (ks *Keyspace) Log(args ...[]byte) int64 {
	if ks.journal.Load() == nil {
		return 0
	}
	// Journal, which holds all partitions, so waits for this: nothing comes after it ended a log.
	p := &ks.partitions[0]
	p.mu.RLock()
	defer p.mu.RUnlock()
	log := ks.journal.Load()
	if log == nil {
		return 0
	}
	var e replog.Effects
	e.Command(args...)
	_, command, _ := e.Appended()
	return log.Append(command)
}

// Log is Keyspace.Log for a command within this hold: it is logged with what
// the hold changes, in its place.
func (h *Held) Log(args ...[]byte) {
	if h.Journals() {
		h.effects.Command(args...)
	}
}

// Given says how the client wrote a score that a set is about to be given, if
// that is how it is logged: see replog.Effects. Release forgets text at the
// latest.
func (h *Held) Given(text []byte, score float64) {
	if h.Journals() {
		h.effects.Given(text, score)
	}
}

// Logged is the offset behind what was appended by the last Release; 0 when it
// appended nothing.
func (h *Held) Logged() int64 { return h.logged }

// Journals reports whether what changes is to be logged.
func (h *Held) Journals() bool { return h.log != nil && !h.Mute }

// commit appends what the hold changed. Its partitions are still locked.
func (h *Held) commit() {
	if h.log == nil {
		return
	}
	if !h.effects.Empty() {
		h.logged = h.log.Append(h.effects.Appended())
		h.effects.Reset(keptEffects)
		for _, w := range h.served {
			w.Wrote = h.logged
		}
	}
	h.effects.Given(nil, 0)
	h.log = nil
}

// dropped says that a key is gone.
func (h *Held) dropped(key []byte) {
	if h.Journals() {
		h.effects.Drop(key)
	}
}

// named reports whether a set is so large that RENAME and COPY are logged by
// the names of keys, without its members.
func (e *Entry) named() bool { return e.rec.has(isLarge) && e.Set().MemoryUsage() > mostPayload }

// follow lets those who walk over all keys know that the set of e is about to
// become that of another key, also or only; named says that the effect will not
// tell its members. What is not logged here may be logged in either way.
func (h *Held) follow(e *Entry, to []byte, named bool) {
	if !named && h.Journals() {
		return
	}
	for _, w := range h.ks.walks {
		w.follow(e, to)
	}
}

// stored says that a key holds what e has.
func (h *Held) stored(e *Entry) {
	set, key, at := e.Set(), e.rec.key(), e.ExpireAt()
	if set.MemoryUsage() <= mostPayload {
		h.effects.Store(key, rdb.Append(nil, set), at)
		return
	}
	h.effects.Drop(key)
	for member, score := range set.All() {
		h.effects.Put(key, member, score)
	}
	if at != 0 {
		h.effects.Expire(key, at)
	}
}

// observer is an Entry to the set that it lets be written.
type observer Entry

// Put implements zset.Observer.
func (o *observer) Put(member []byte, score float64) {
	e := (*Entry)(o)
	h := e.h
	e.fresh = false
	flags := e.rec[flagsAt]
	e.rec[flagsAt] = flags &^ thinned
	if h.Mute {
		return
	}
	key := e.rec.key()
	h.effects.Put(key, member, score)
	if flags&(thinned|expires) == thinned|expires {
		h.effects.Expire(key, e.rec.expireAt())
	}
}

// Take implements zset.Observer.
func (o *observer) Take(member []byte) {
	e := (*Entry)(o)
	e.rec[flagsAt] |= thinned
	if !e.h.Mute {
		e.h.effects.Take(e.rec.key(), member)
	}
}

// observe lets what is done to a set that e holds be logged.
func (e *Entry) observe(set *zset.Set) {
	if e.observed != set {
		e.unobserve()
		set.Observe((*observer)(e))
		e.observed = set
	}
}

func (e *Entry) unobserve() {
	if e.observed != nil {
		e.observed.Observe(nil)
		e.observed = nil
	}
}

// logDrop logs that a key is gone, for who has no Held. Its partition is
// locked.
func (ks *Keyspace) logDrop(key []byte) {
	if log := ks.journal.Load(); log != nil {
		var e replog.Effects
		e.Drop(key)
		log.Append(e.Appended())
	}
}
