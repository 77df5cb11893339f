package keyspace

import (
	"errors"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"zset.dev/operator/node/replog"
	"zset.dev/operator/zset"
	"zset.dev/operator/zset/hashindex"
	"zset.dev/operator/zset/slab"
)

// ErrFull is what becomes of a change for which there is no memory. Nothing
// has changed then.
var ErrFull = errors.New("keyspace: no memory left")

// Keyspace holds every key of the node. Its methods may be called from any
// goroutine that holds no partition.
type Keyspace struct {
	heap       *slab.Heap
	memory     zset.Memory // of the heap
	seed       maphash.Seed
	_          [64]byte // what all read is on no cache line that is written often
	partitions [partitionCount]partition

	// Sums over all partitions, changed while the partition concerned is held.
	bytes    atomic.Int64
	tables   atomic.Int64 // what of them the partitions' tables take
	keys     atomic.Int64
	expiring atomic.Int64
	expired  atomic.Int64 // keys removed because their time had come, ever
	evicted  atomic.Int64 // keys removed to make room, ever

	_ [64]byte

	watched atomic.Int64 // keys watched, once for each watcher
	awaited atomic.Int64 // keys waited for

	journal   atomic.Pointer[replog.Log] // where changes are logged; nil for nowhere; changed while all partitions are held
	walks     []*Walk                    // under way; changed while all partitions are held
	beginning sync.Mutex                 // held while a walk begins; taken before partitions

	observer  Observer      // set before use
	suspended atomic.Uint32 // expired keys are not removed; why, of Suspension
	counting  atomic.Pointer[Counting]
	evictor   evictor

	expireFrom int // the partition ExpireDue goes on with; owned by its caller

	reclaimer reclaimer
	defrag    defrag
}

// partition is the keys of 128 neighbouring slots.
type partition struct {
	ks     *Keyspace
	number int
	mu     sync.RWMutex

	// Guarded by mu, and with them the records that the index refers to, all
	// but the word of usage.
	index hashindex.Index
	due   []slab.Ref              // those that expire (due.go)
	large []largeSet              // sets that are skip lists (large.go)
	slots [slotsInPartition]int32 // how many keys each has
	count int
	bytes int64 // the partition's share of Keyspace.bytes
	table int64 // what of them the index, due and large take

	watched map[string]map[*Watch]bool // guarded by mu; nil until the first
	waiting map[string]queue           // guarded by mu; nil until the first

	_ [64]byte // keeps neighbours' locks off one cache line
}

// New makes an empty keyspace.
func New() *Keyspace { return NewLimited(0) }

// NewLimited makes one whose keys, with what they hold and the tables, take at
// most so many bytes from the system; 0 is no limit.
func NewLimited(limit int64) *Keyspace {
	heap := slab.New(slab.Options{Limit: limit})
	ks := &Keyspace{heap: heap, memory: zset.OffHeap(heap), seed: maphash.MakeSeed(), observer: nobody{}}
	ks.Count(Counting{})
	ks.evictor.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	ks.reclaimer.heap, ks.reclaimer.queue = heap, make(chan garbage, reclaimMost)
	for i := range ks.partitions {
		ks.partitions[i].ks, ks.partitions[i].number = ks, i
		ks.partitions[i].index = hashindex.New(ks.memory)
	}
	// A node has its keyspace to its end. What tests make goes with them.
	runtime.AddCleanup(ks, (*slab.Heap).Close, heap)
	return ks
}

// Memory is where sets are made that are to be kept here.
func (ks *Keyspace) Memory() zset.Memory { return ks.memory }

// Used is the bytes that all keys and what they hold take, with the tables.
func (ks *Keyspace) Used() int64 { return ks.bytes.Load() }

// Tables is what of Used the tables take by which keys are found.
func (ks *Keyspace) Tables() int64 { return ks.tables.Load() }

// OffHeap is the bytes outside the Go heap: in use, and had from the system.
// The latter are more by what is free inside of pages that are not.
func (ks *Keyspace) OffHeap() (inUse, mapped int64) { return ks.heap.InUse(), ks.heap.Mapped() }

// Trim gives back to the system what is free outside the Go heap and was kept
// for use again.
func (ks *Keyspace) Trim() { ks.heap.Trim() }

// Len is the number of keys, those included whose time has come but which
// were not removed yet.
func (ks *Keyspace) Len() int { return int(ks.keys.Load()) }

// Expiring is the number of keys with an expiry.
func (ks *Keyspace) Expiring() int { return int(ks.expiring.Load()) }

// Expired is the number of keys ever removed because their time had come.
func (ks *Keyspace) Expired() int64 { return ks.expired.Load() }

// SlotLen is the number of keys in a slot.
func (ks *Keyspace) SlotLen(slot int) int {
	p := &ks.partitions[slot/slotsInPartition]
	p.mu.RLock()
	defer p.mu.RUnlock()
	return int(p.slots[slot%slotsInPartition])
}

// partitionOf is the one that key is in.
func (ks *Keyspace) partitionOf(key string) *partition {
	return &ks.partitions[Slot([]byte(key))/slotsInPartition]
}
