package keyspace

import (
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// Keyspace holds every key of the node. Its methods may be called from any
// goroutine that holds no partition.
type Keyspace struct {
	seed       maphash.Seed
	partitions [partitionCount]partition

	// Sums over all partitions, changed while the partition concerned is held.
	used     atomic.Int64
	keys     atomic.Int64
	expiring atomic.Int64
	expired  atomic.Int64 // keys removed because their time had come, ever
	evicted  atomic.Int64 // keys removed to make room, ever

	watched atomic.Int64 // keys watched, once for each watcher
	awaited atomic.Int64 // keys waited for

	observer  Observer    // set before use
	suspended atomic.Bool // expired keys are not removed
	counting  atomic.Pointer[Counting]
	evictor   evictor

	expireFrom int // the partition ExpireDue goes on with; owned by its caller
}

// partition is the keys of 128 neighbouring slots.
type partition struct {
	mu    sync.RWMutex
	slots [slotsInPartition]*dict // guarded by mu; nil when the slot is empty
	due   dueHeap                 // guarded by mu
	count int                     // guarded by mu

	watched map[string]map[*Watch]bool // guarded by mu; nil until the first
	waiting map[string]queue           // guarded by mu; nil until the first

	_ [64]byte // keeps neighbours' locks off one cache line
}

// New makes an empty keyspace.
func New() *Keyspace {
	ks := &Keyspace{seed: maphash.MakeSeed(), observer: nobody{}}
	ks.Count(Counting{})
	ks.evictor.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	return ks
}

// Used is the bytes that all keys and what they hold take.
func (ks *Keyspace) Used() int64 { return ks.used.Load() }

// Len is the number of keys, those included whose time has come but which
// were not removed yet.
func (ks *Keyspace) Len() int { return int(ks.keys.Load()) }

// Expiring is the number of keys with an expiry.
func (ks *Keyspace) Expiring() int { return int(ks.expiring.Load()) }

// Expired is the number of keys ever removed because their time had come.
func (ks *Keyspace) Expired() int64 { return ks.expired.Load() }

func (ks *Keyspace) hash(key []byte, slot int) uint64 {
	return maphash.Bytes(ks.seed, key)&^(Slots-1) | uint64(slot)
}

// partitionOf is the one that key is in.
func (ks *Keyspace) partitionOf(key string) *partition {
	return &ks.partitions[Slot([]byte(key))/slotsInPartition]
}

func (p *partition) find(slot int, hash uint64, key []byte) *Entry {
	d := p.slots[slot%slotsInPartition]
	if d == nil {
		return nil
	}
	return d.find(hash, key)
}

func (p *partition) insert(ks *Keyspace, e *Entry) {
	at := &p.slots[e.slot()%slotsInPartition]
	var before int64
	if *at == nil {
		*at = newDict()
	} else {
		before = (*at).bytes()
	}
	(*at).insert(e)
	p.count++
	ks.keys.Add(1)
	ks.used.Add((*at).bytes() - before + e.fixedBytes() + e.setBytes)
}

// remove takes e out of the partition and releases its set.
func (p *partition) remove(ks *Keyspace, e *Entry) {
	p.take(ks, e)
	e.set.Release()
}

// take takes e out of the partition.
func (p *partition) take(ks *Keyspace, e *Entry) {
	p.setExpiry(ks, e, 0)
	at := &p.slots[e.slot()%slotsInPartition]
	before, after := (*at).bytes(), int64(0)
	(*at).remove(e)
	if (*at).count == 0 {
		*at = nil
	} else {
		after = (*at).bytes()
	}
	p.count--
	ks.keys.Add(-1)
	ks.used.Add(after - before - e.fixedBytes() - e.setBytes)
}

func (p *partition) setExpiry(ks *Keyspace, e *Entry, at int64) {
	before := len(p.due)
	p.due.set(e, at)
	ks.expiring.Add(int64(len(p.due) - before))
}
