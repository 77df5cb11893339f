package acl

import (
	"slices"
	"sync"
	"time"
)

// Entry is something that was refused, as ACL LOG tells it.
type Entry struct {
	ID               int64
	Count            int64
	Reason           Reason
	Context          string // toplevel, multi or lua
	Object           string // the command, key, channel or database
	User             string
	Client           string // its line of CLIENT LIST
	Created, Updated time.Time
}

// similar entries within this many of the newest are counted together.
const similarWithin = 10

// Log is what was refused lately, the newest first. It may be used from any
// goroutine.
type Log struct {
	mu      sync.Mutex
	next    int64   // guarded by mu
	entries []Entry // guarded by mu
}

// Add notes an entry, of which ID, Count and the times are set here. Like ones
// are counted as one. At most limit are kept.
func (l *Log) Add(e Entry, now time.Time, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit <= 0 {
		l.entries = nil
		return
	}
	const longest = 1024 // of an object that is kept
	if len(e.Object) > longest {
		e.Object = e.Object[:longest]
	}
	for i := range l.entries[:min(similarWithin, len(l.entries))] {
		old := l.entries[i]
		if old.Reason == e.Reason && old.Context == e.Context && old.Object == e.Object && old.User == e.User && now.Sub(old.Updated) <= time.Minute {
			old.Count++
			old.Client, old.Updated = e.Client, now
			copy(l.entries[1:i+1], l.entries[:i])
			l.entries[0] = old
			return
		}
	}
	e.ID, e.Count, e.Created, e.Updated = l.next, 1, now, now
	l.next++
	l.entries = slices.Insert(l.entries, 0, e)
	if len(l.entries) > limit {
		clear(l.entries[limit:])
		l.entries = l.entries[:limit]
	}
}

// Entries are at most count, the newest first.
func (l *Log) Entries(count int) []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries[:min(count, len(l.entries))])
}

// Reset forgets all.
func (l *Log) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = nil
}
