//go:build linux

package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// progress tells on standard error what is done, at most every few seconds. Its methods are safe for concurrent use; total and
// done belong to the goroutine that measures.
type progress struct {
	total, done int

	mu    sync.Mutex
	began time.Time // guarded by mu, as is last
	last  time.Time
}

const tellEvery = 2 * time.Second

// tell says what is under way, unless something was said just before.
func (p *progress) tell(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.began.IsZero() {
		p.began = now
	}
	if now.Sub(p.last) < tellEvery {
		return
	}
	p.last = now
	fmt.Fprintf(os.Stderr, "[%d/%d, %v] %s\n", p.done, p.total, now.Sub(p.began).Round(time.Second), fmt.Sprintf(format, args...))
}
