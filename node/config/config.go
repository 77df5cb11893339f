package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"zset.dev/operator/node/glob"
)

// Config holds the values in force. It is safe for concurrent use.
type Config struct {
	machine machine                // never changes
	file    string                 // absolute; "" = none; never changes
	values  atomic.Pointer[Values] // stored under mu, read by anyone

	mu       sync.Mutex               // serialises Set with its callbacks
	watchers []func(old, new *Values) // under mu
	prepares []Prepare                // under mu
}

// Pair is one directive of the answer to CONFIG GET.
type Pair struct{ Name, Value string }

// Values returns the snapshot in force. It never changes: take it once for
// decisions that belong together.
func (c *Config) Values() *Values { return c.values.Load() }

// OnChange has f called after each successful Set, with the snapshots before
// and after it, in order and before Set returns. Nothing is called for the
// values at start. f must not call Set or OnChange.
func (c *Config) OnChange(f func(old, new *Values)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers = append(c.watchers, f)
}

// Prepare is asked before a Set whether it can be, with the names as written
// in lower case and what the values would be. What it returns is called once
// all have agreed and the values are in force; nil is nothing to do. It must
// not call Set, OnChange or BeforeChange.
type Prepare func(names []string, next *Values) (commit func(), err error)

// BeforeChange has f asked at each Set. Its error refuses the Set and becomes
// the reason in the reply.
func (c *Config) BeforeChange(f Prepare) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prepares = append(c.prepares, f)
}

// Get answers CONFIG GET: the directives whose name or alias matches one of
// the patterns, whatever their case, each once, sorted by name. A name
// without wildcards is answered as it was asked.
func (c *Config) Get(patterns ...string) []Pair {
	v := c.Values()
	found := make(map[string]Pair) // by name in lower case
	for _, pattern := range patterns {
		lower := strings.ToLower(pattern)
		if !strings.ContainsAny(pattern, `*?[\`) {
			if d := byName[lower]; d != nil && !d.hidden {
				found[lower] = Pair{pattern, d.get(v)}
			}
			continue
		}
		for name, d := range byName {
			if _, answered := found[name]; !answered && !d.hidden && glob.Match([]byte(lower), []byte(name)) {
				found[name] = Pair{name, d.get(v)}
			}
		}
	}
	pairs := make([]Pair, 0, len(found))
	for _, p := range found {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return pairs
}

// Set answers CONFIG SET for pairs of name and value: all are set, or none
// and the error is the reply's text.
func (c *Config) Set(pairs ...string) error {
	if len(pairs) == 0 || len(pairs)%2 != 0 {
		return errors.New("ERR syntax error")
	}
	c.mu.Lock()
	defer c.mu.Unlock()

	// As real servers do, all names are looked at before any value, and
	// answered as they were written.
	seen := make(map[string]bool)
	for i := 0; i < len(pairs); i += 2 {
		name := strings.ToLower(pairs[i])
		switch d := byName[name]; {
		case d == nil:
			return fmt.Errorf("ERR Unknown option or number of arguments for CONFIG SET - '%s'", pairs[i])
		case !d.live:
			return setFailed(pairs[i], "can't set immutable config")
		case seen[name]:
			return setFailed(pairs[i], "duplicate parameter")
		}
		seen[name] = true
	}
	old := c.values.Load()
	next := *old
	for i := 0; i < len(pairs); i += 2 {
		if err := lookUp(pairs[i]).apply(&next, pairs[i+1:i+2], c.machine); err != nil {
			return setFailed(strings.ToLower(pairs[i]), err.Error())
		}
	}
	if err := check(&next); err != nil {
		return setFailed(strings.ToLower(pairs[0]), err.Error())
	}
	var names []string
	for i := 0; i < len(pairs); i += 2 {
		names = append(names, strings.ToLower(pairs[i]))
	}
	var commits []func()
	for _, f := range c.prepares {
		commit, err := f(names, &next)
		if err != nil {
			return setFailed(names[0], err.Error())
		}
		if commit != nil {
			commits = append(commits, commit)
		}
	}
	c.values.Store(&next)
	for _, commit := range commits {
		commit()
	}
	for _, f := range c.watchers {
		f(old, &next)
	}
	return nil
}

// Record changes values that no client may set, because what they say has come about. Whoever watches is called, nobody is
// asked.
func (c *Config) Record(change func(*Values)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.values.Load()
	next := *old
	change(&next)
	c.values.Store(&next)
	for _, f := range c.watchers {
		f(old, &next)
	}
}

func setFailed(name, why string) error {
	return fmt.Errorf("ERR CONFIG SET failed (possibly related to argument '%s') - %s", name, why)
}
