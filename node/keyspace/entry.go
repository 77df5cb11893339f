package keyspace

import (
	"sync/atomic"

	"zset.dev/operator/zset"
	"zset.dev/operator/zset/slab"
)

// Entry is one key and what it holds, to whoever holds its partition: a handle,
// which the Held that gave it uses again. It is good until the key is removed,
// by whatever call, or the partition released, and not to be kept beyond.
// Held.Settle leaves it good, if it says that the key is still there.
type Entry struct {
	h *Held // whose handle it is; nil of one to read
	p *partition
	located
	view   *zset.Set // works on the listpacks of one record after another
	viewed bool      // on that of this one
	// reserved says that Create made room for what is about to be written, so the
	// record does not shrink before that is settled.
	reserved bool
	writes   bool      // the partition is held for writing
	fresh    bool      // Create made it, and the journal does not know of it
	observed *zset.Set // the set whose changes are logged; nil for none
	at       int       // which of the Held's handles it is
}

// open makes e the handle of a record.
func (e *Entry) open(p *partition, l located, writes bool) {
	e.p, e.located, e.writes, e.reserved, e.fresh = p, l, writes, false, false
}

// close ends the use of the handle.
func (e *Entry) close() {
	e.unobserve()
	if e.viewed {
		if e.writes {
			e.sync()
		} else {
			e.view.Detach()
			e.viewed = false
		}
	}
	e.located = located{}
}

// Key is the entry's name, in memory of its own.
func (e *Entry) Key() string { return string(e.rec.key()) }

// Name is the entry's name in the keyspace's memory. It is good until the set
// is changed, or the entry.
func (e *Entry) Name() []byte { return e.rec.key() }

// Set is the sorted set to read from. It is good as long as the entry, but not
// after Settle. To change it, use Write.
func (e *Entry) Set() *zset.Set {
	switch {
	case e.viewed:
		return e.view
	case e.rec.has(isLarge):
		return e.p.large[e.rec.fields().number].set
	case e.view == nil:
		e.view = zset.NewIn(e.p.ks.memory, nil)
	}
	e.viewed = true
	if e.writes {
		e.view.Attach(e.rec.block(), e)
	} else {
		e.view.Attach(e.rec.block(), nil)
	}
	return e.view
}

// Write is the sorted set to change, with the tuning its next write follows.
// Held.Settle must be called afterwards.
func (e *Entry) Write(t *zset.Tuning) *zset.Set {
	set := e.Set()
	set.SetTuning(t)
	if e.h.log != nil {
		e.observe(set)
	}
	return set
}

// reshape makes room for so many bytes of a listpack that has keep.
func (e *Entry) reshape(room, keep int) bool {
	before := e.ref
	ok := e.p.reshape(&e.located, e.rec[flagsAt], room, keep)
	e.h.moved(e, before)
	return ok
}

// Resize implements zset.Room: it moves the record to where its listpack has
// so much room.
func (e *Entry) Resize(block []byte, size int) []byte {
	if first := e.rec.blockAt(e.rec.fields(), 0); e.reserved && size <= cap(first) {
		return first[:len(block)] // it is about to be filled
	}
	if !e.reshape(size, len(block)) {
		return nil
	}
	return e.rec.blockAt(e.rec.fields(), len(block))
}

// sync lets the record say what the set has become, and ends the view of it.
func (e *Entry) sync() {
	e.unobserve()
	if !e.viewed {
		return
	}
	e.viewed = false
	if block, set := e.view.Detach(); set != nil {
		before := e.ref
		e.p.enlarge(&e.located, set)
		e.h.moved(e, before)
	} else {
		e.rec.setSize(len(block))
		if e.reserved {
			e.reshape(len(block), len(block)) // gives back what was too much
		}
	}
	e.reserved = false
}

// empty reports whether the set of a handle in sync has no member.
func (e *Entry) empty() bool {
	f := e.rec.fields()
	if e.rec.has(isLarge) {
		return e.p.large[f.number].set.Len() == 0
	}
	return f.size == 0
}

// ExpireAt is when the key expires, in milliseconds since the epoch; 0 when it
// does not.
func (e *Entry) ExpireAt() int64 { return e.rec.expireAt() }

// Idle is how many seconds the key has not been used by now (milliseconds since
// the epoch); under an LFU policy, to a minute.
func (e *Entry) Idle(now int64) int64 { return idle(e.usage().Load(), now) }

// SetIdle takes the key for one that has not been used for so many seconds.
func (e *Entry) SetIdle(now, seconds int64) { e.usage().Store(timeWord(now, seconds)) }

// Frequency is how often the key was used of late, on a logarithmic scale of 0
// to 255. It means something under an LFU policy.
func (ks *Keyspace) Frequency(e *Entry, now int64) uint8 {
	return ks.counting.Load().count(e.usage().Load(), now)
}

// SetFrequency takes the key for one that was used so often.
func (e *Entry) SetFrequency(now int64, frequency uint8) {
	e.usage().Store(countWord(frequency, now))
}

// use notes that the key is used now.
func (e *Entry) use(now int64) { e.p.use(e.ref, now) }

// usage is the word about the key's use, which is written beside other readers.
func (e *Entry) usage() *atomic.Uint32 { return e.p.usage(e.ref) }

func (p *partition) use(ref slab.Ref, now int64) {
	usage := p.usage(ref)
	before := usage.Load()
	if after := p.ks.usedWord(before, now); after != before {
		usage.Store(after)
	}
}

func (p *partition) usage(ref slab.Ref) *atomic.Uint32 { return p.ks.heap.Word(ref) }

// MemoryUsage is the bytes the key takes: its record and, if that is a skip
// list, its set. Those of all keys, and Keyspace.Tables, add up to Used.
func (e *Entry) MemoryUsage() int64 {
	bytes := int64(len(e.rec))
	if e.rec.has(isLarge) {
		bytes += int64(e.Set().MemoryUsage())
	}
	return bytes
}
