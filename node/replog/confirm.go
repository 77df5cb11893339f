package replog

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Confirmations says how much of the log others have: replicas, and this node's own disk. A Follower is one of
// them, whose offset only goes up while it is the same log. Who acknowledges a write waits here until enough of
// them have it (Await).
//
// Two questions are asked. How many replicas have it, in memory or on their disks, as WAIT and WAITAOF do; and
// whether all of those that are required have it, as a node does whose writes must not be lost. It bounds nothing
// by itself: a waiter ends its wait with Cancel.
//
// A replica may have a name, its process's. One that is required by its name is waited for also when
// it is not connected, until it is not required any more: whoever may become primary has to have
// everything that was acknowledged, reachable or not.
//
// The zero value is ready to use. All methods may be called from any goroutine.
type Confirmations struct {
	mu       sync.Mutex
	replicas []*Follower         // guarded by mu, as are their fields; those that are required and gone among them
	disk     Follower            // guarded by mu
	queues   map[quorum]*waiters // guarded by mu; none is empty

	requires atomic.Bool  // whether anybody is required; written under mu
	kept     atomic.Int64 // up to where all required have everything; written under mu
}

// A Follower confirms offsets.
type Follower struct {
	of       *Confirmations
	name     string // empty when it has none
	offset   int64  // of the next byte it wants
	saved    int64  // up to where a replica's own disk has everything
	required bool
	gone     bool
}

// everything is an offset that no log reaches.
const everything = math.MaxInt64

// Join adds a replica that has everything before offset, the next byte it wants.
func (c *Confirmations) Join(offset int64) *Follower { return c.JoinAs("", offset) }

// JoinAs is Join for a replica with a name. If one of that name has been here, this one takes its place.
func (c *Confirmations) JoinAs(name string, offset int64) *Follower {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &Follower{of: c, name: name, offset: offset}
	if name != "" {
		for _, old := range slices.Clone(c.replicas) {
			if old.name == name {
				f.required = f.required || old.required
				old.required = false
				c.remove(old)
			}
		}
	}
	c.replicas = append(c.replicas, f)
	c.serve()
	return f
}

// Disk is this node's own. It is never counted among the replicas.
func (c *Confirmations) Disk() *Follower {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.disk.of = c
	return &c.disk
}

// Confirm says that the follower has everything before offset. Less than it had before is ignored.
func (f *Follower) Confirm(offset int64) { f.confirm(offset, 0) }

// ConfirmSaved says the same, and up to where the replica's own disk has everything.
func (f *Follower) ConfirmSaved(offset, saved int64) { f.confirm(offset, saved) }

func (f *Follower) confirm(offset, saved int64) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	if offset <= f.offset && saved <= f.saved {
		return
	}
	f.offset, f.saved = max(f.offset, offset), max(f.saved, saved)
	f.of.serve()
}

// Restart says that the follower goes on with another log, of which it has everything before offset.
func (f *Follower) Restart(offset int64) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.offset = offset
	f.of.serve()
}

// Require says whether this follower is one of those required, for as long as it is here.
func (f *Follower) Require(required bool) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.required = required
	f.of.serve()
}

// Offset is that of the next byte it wants.
func (f *Follower) Offset() int64 {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	return f.offset
}

// Leave says that the replica is not connected any more. It confirms nothing from now on; nobody waits for it unless
// it is required and has a name.
func (f *Follower) Leave() {
	c := f.of
	c.mu.Lock()
	defer c.mu.Unlock()
	f.gone = true
	if !f.required || f.name == "" {
		c.remove(f)
	}
	c.serve()
}

func (c *Confirmations) remove(f *Follower) {
	if i := slices.Index(c.replicas, f); i >= 0 {
		c.replicas = slices.Delete(c.replicas, i, i+1)
	}
}

// RequireOnly makes the replicas of these names those that are required, and no others. One of them that has not been
// here has nothing.
func (c *Confirmations) RequireOnly(names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range slices.Clone(c.replicas) {
		if f.required = f.name != "" && slices.Contains(names, f.name); f.gone && !f.required {
			c.remove(f)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(c.replicas, func(f *Follower) bool { return f.name == name }) {
			c.replicas = append(c.replicas, &Follower{of: c, name: name, required: true, gone: true})
		}
	}
	c.serve()
}

// A Confirmed is how far one replica is.
type Confirmed struct {
	Name     string
	Offset   int64 // of the next byte it wants
	Gone     bool  // it is required and not connected
	Required bool
}

// Replicas is how far all of them are.
func (c *Confirmations) Replicas() (all []Confirmed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.replicas {
		all = append(all, Confirmed{f.name, f.offset, f.gone, f.required})
	}
	return all
}

// Count is how many replicas have everything before offset; saved asks for their disks.
func (c *Confirmations) Count(offset int64, saved bool) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.replicas {
		if !f.gone && f.has(saved) >= offset {
			n++
		}
	}
	return n
}

// has is the offset that counts.
func (f *Follower) has(saved bool) int64 {
	if saved {
		return f.saved
	}
	return f.offset
}

// Kept is up to where all that are required have everything; the greatest number when nobody is. It is one atomic load
// then, and takes no lock ever.
func (c *Confirmations) Kept() int64 {
	if !c.requires.Load() {
		return everything
	}
	return c.kept.Load()
}
