package keyspace

import "strings"

// Policy is which keys make room for others, by the names of maxmemory-policy.
type Policy string

// NoEviction lets no key go.
const NoEviction Policy = "noeviction"

// Volatile reports whether only keys with an expiry may go.
func (p Policy) Volatile() bool { return strings.HasPrefix(string(p), "volatile-") }

// LFU reports whether the policy goes by how often keys are used.
func (p Policy) LFU() bool { return strings.HasSuffix(string(p), "-lfu") }

// lru reports whether it goes by when they were last used.
func (p Policy) lru() bool { return strings.HasSuffix(string(p), "-lru") }

// soonest reports whether it goes by when they expire.
func (p Policy) soonest() bool { return strings.HasSuffix(string(p), "-ttl") }

// random reports whether it goes by nothing.
func (p Policy) random() bool { return strings.HasSuffix(string(p), "-random") }
