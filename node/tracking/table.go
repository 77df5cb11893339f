package tracking

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"zset.dev/operator/node/client"
)

// Options is how a client wants to be told.
type Options struct {
	Redirect  uint64 // the client to tell instead; 0 is itself
	Broadcast bool   // every change under its prefixes, not only of what it read
	OptIn     bool   // only what is read after CLIENT CACHING YES
	OptOut    bool   // all but what is read after CLIENT CACHING NO
	NoLoop    bool   // not what it changed itself
	Prefixes  []string
}

// Table is the clients that track and what they track. It may be used from
// any goroutine, also one that holds partitions of the keyspace.
type Table struct {
	clients *client.Registry
	limit   func() int // keys remembered at most; 0 is any number

	active atomic.Int64 // clients that track
	bytes  atomic.Int64 // what readers takes, about

	mu       sync.Mutex
	tracking map[uint64]*tracker        // by client; guarded by mu
	spells   map[uint64]*tracker        // by spell; guarded by mu
	lastOne  uint64                     // spell; guarded by mu
	readers  map[string]map[uint64]bool // spells by key; guarded by mu
	prefixes map[string]map[uint64]bool // clients by prefix; guarded by mu
	items    int                        // sum over readers; guarded by mu
}

// tracker is one client that tracks.
type tracker struct {
	client  *client.Client
	spell   uint64 // from On to Off, of all there ever were: what was read in another does not count
	options Options
}

// New makes an empty table.
func New(clients *client.Registry, limit func() int) *Table {
	return &Table{
		clients: clients, limit: limit,
		tracking: map[uint64]*tracker{}, spells: map[uint64]*tracker{}, readers: map[string]map[uint64]bool{}, prefixes: map[string]map[uint64]bool{},
	}
}

// Active reports whether any client tracks.
func (t *Table) Active() bool { return t.active.Load() != 0 }

// Options is how c tracks; false when it does not.
func (t *Table) Options(c *client.Client) (o Options, on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tr := t.tracking[c.ID]; tr != nil {
		return tr.options, true
	}
	return Options{}, false
}

// On lets c track. If it does already, what is given counts from now on, and
// prefixes are added.
func (t *Table) On(c *client.Client, o Options) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tr := t.tracking[c.ID]
	if tr == nil {
		t.lastOne++
		tr = &tracker{client: c, spell: t.lastOne}
		t.tracking[c.ID], t.spells[tr.spell] = tr, tr
		t.active.Add(1)
	}
	added := o.Prefixes
	o.Prefixes = tr.options.Prefixes
	if o.Broadcast && len(added) == 0 && len(o.Prefixes) == 0 {
		added = []string{""}
	}
	for _, p := range added {
		if t.prefixes[p] == nil {
			t.prefixes[p] = map[uint64]bool{}
		}
		if !t.prefixes[p][c.ID] {
			t.prefixes[p][c.ID] = true
			o.Prefixes = append(o.Prefixes[:len(o.Prefixes):len(o.Prefixes)], p)
			c.Kept.Add(prefixCost(p))
		}
	}
	tr.options = o
	c.Redirect.Store(int64(o.Redirect))
	c.Exit(client.TrackingBroken | client.TrackingBroadcast)
	c.Enter(client.Tracking)
	if o.Broadcast {
		c.Enter(client.TrackingBroadcast)
	}
}

// prefixCost is what a prefix takes, about.
func prefixCost(p string) int64 { return int64(len(p)) + 128 }

// Off lets c track no more. Keys it read stay in the table until they change
// or are dropped, but nobody is told: should c track again, then only what it
// reads from then on.
func (t *Table) Off(c *client.Client) {
	if !c.Is(client.Tracking) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	tr := t.tracking[c.ID]
	for _, p := range tr.options.Prefixes {
		delete(t.prefixes[p], c.ID)
		if len(t.prefixes[p]) == 0 {
			delete(t.prefixes, p)
		}
		c.Kept.Add(-prefixCost(p))
	}
	delete(t.tracking, c.ID)
	delete(t.spells, tr.spell)
	t.active.Add(-1)
	c.Redirect.Store(-1)
	c.Exit(client.Tracking | client.TrackingBroadcast | client.TrackingBroken)
}

// Remember notes that c read key and wants to hear of its next change.
func (t *Table) Remember(c *client.Client, key []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tr := t.tracking[c.ID]
	if tr == nil {
		return
	}
	of := t.readers[string(key)]
	if of == nil {
		of = map[uint64]bool{}
		t.readers[string(key)] = of
		t.bytes.Add(keyCost(len(key)))
	}
	if !of[tr.spell] {
		of[tr.spell] = true
		t.items++
		t.bytes.Add(itemCost)
	}
	if limit := t.limit(); limit > 0 && len(t.readers) > limit {
		t.drop(len(t.readers) - limit)
	}
}

// Shrink drops keys above the limit, some at a time: it may have been lowered.
func (t *Table) Shrink() {
	const most = 1000
	t.mu.Lock()
	defer t.mu.Unlock()
	if limit := t.limit(); limit > 0 && len(t.readers) > limit {
		t.drop(min(len(t.readers)-limit, most))
	}
}

// drop forgets n keys and tells their readers; mu is held.
func (t *Table) drop(n int) {
	for key := range t.readers { // in no order: any will do
		if n--; n < 0 {
			return
		}
		t.tellReaders(nil, key)
	}
}

// Invalidate tells those concerned that keys changed, which by did; nil is
// nobody.
func (t *Table) Invalidate(by *client.Client, keys ...string) {
	t.InvalidateReaders(by, keys...)
	t.InvalidatePrefixes(by, keys...)
}

// InvalidateReaders is the part of Invalidate for those who read the keys. It
// must come before any of them is read again.
func (t *Table) InvalidateReaders(by *client.Client, keys ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range keys {
		t.tellReaders(by, key)
	}
}

// InvalidatePrefixes is the part of Invalidate for those who broadcast: they
// get one message for all the keys.
func (t *Table) InvalidatePrefixes(by *client.Client, keys ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.prefixes) == 0 {
		return
	}
	changed := map[uint64][]string{}
	for p, clients := range t.prefixes {
		for _, key := range keys {
			if strings.HasPrefix(key, p) {
				for id := range clients {
					changed[id] = append(changed[id], key)
				}
			}
		}
	}
	for id, keys := range changed {
		slices.Sort(keys)
		keys = slices.Compact(keys) // one that was changed twice, or is under two prefixes
		if tr := t.tracking[id]; !(tr.options.NoLoop && tr.client == by) {
			t.tell(tr, keys)
		}
	}
}

// tellReaders tells all who read key and forgets it; mu is held.
func (t *Table) tellReaders(by *client.Client, key string) {
	of := t.readers[key]
	if of == nil {
		return
	}
	for spell := range of {
		tr := t.spells[spell]
		if tr == nil || tr.options.Broadcast || tr.options.NoLoop && tr.client == by {
			continue
		}
		t.tell(tr, []string{key})
	}
	t.items -= len(of)
	t.bytes.Add(-keyCost(len(key)) - int64(len(of))*itemCost)
	delete(t.readers, key)
}

// Flush tells every client that tracks that all keys are gone.
func (t *Table) Flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tr := range t.tracking {
		t.tell(tr, nil)
	}
	t.readers, t.items = map[string]map[uint64]bool{}, 0
	t.bytes.Store(0)
}

// What a key and one of its readers take, about.
func keyCost(length int) int64 { return int64(length) + 112 }

const itemCost = 16

// Bytes is what the keys remembered take, about.
func (t *Table) Bytes() int64 { return t.bytes.Load() }

// Counts are the sizes INFO prints.
type Counts struct{ Clients, Keys, Items, Prefixes int }

// Counts is the sizes at present.
func (t *Table) Counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Counts{len(t.tracking), len(t.readers), t.items, len(t.prefixes)}
}
