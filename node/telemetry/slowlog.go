package telemetry

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// SlowCommand is an entry of the slow log.
type SlowCommand struct {
	ID   int64
	At   time.Time
	Took time.Duration
	Args []string // shortened
	Addr string   // the client's
	Name string   // the client's
}

// What of a command is kept.
const (
	slowArgs     = 32
	slowArgBytes = 128
)

// SlowArgs is the words of a command as the slow log keeps them: only so many,
// and of each only so much. word may replace one.
func SlowArgs(args [][]byte, word func(i int) []byte) []string {
	n := min(len(args), slowArgs)
	kept := make([]string, n)
	for i := range kept {
		switch a := word(i); {
		case i == slowArgs-1 && len(args) > slowArgs:
			kept[i] = fmt.Sprintf("... (%d more arguments)", len(args)-slowArgs+1)
		case len(a) > slowArgBytes:
			kept[i] = fmt.Sprintf("%s... (%d more bytes)", a[:slowArgBytes], len(a)-slowArgBytes)
		default:
			kept[i] = string(a)
		}
	}
	return kept
}

// SlowLog is the latest slow commands. It may be used from any goroutine.
type SlowLog struct {
	mu      sync.Mutex
	next    int64         // guarded by mu
	entries []SlowCommand // oldest first; guarded by mu
}

// Add notes a command, whose ID is set here. At most limit are kept.
func (l *SlowLog) Add(s SlowCommand, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.ID = l.next
	l.next++
	l.entries = append(l.entries, s)
	if extra := len(l.entries) - limit; extra > 0 {
		// What is cut off in front goes when append next makes room.
		clear(l.entries[:extra])
		l.entries = l.entries[extra:]
	}
}

// Latest is at most count entries, the newest first; a negative count is all.
func (l *SlowLog) Latest(count int) []SlowCommand {
	l.mu.Lock()
	defer l.mu.Unlock()
	if count < 0 || count > len(l.entries) {
		count = len(l.entries)
	}
	latest := slices.Clone(l.entries[len(l.entries)-count:])
	slices.Reverse(latest)
	return latest
}

// Len is the number of entries.
func (l *SlowLog) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}

// Reset forgets all entries.
func (l *SlowLog) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = nil
}
