package acl

import (
	"slices"
	"strings"

	"zset.dev/operator/node/glob"
)

// Request is a command about to run, as far as permissions go.
type Request struct {
	Command  int
	Always   bool   // may be run by anybody: AUTH and the like
	FirstArg []byte // nil when there is none
	Keys     []Key
	Channels [][]byte
	Patterns bool // Channels are patterns

	Databases []Database // whose data it touches
}

// Key is a key and what is done with it.
type Key struct {
	Name  []byte
	Needs Access
}

// Database is the number of one and the argument that says so, 0 for none.
type Database struct{ Number, Arg int }

// Reason is why a command may not run.
type Reason uint8

// The reasons. A later one says that more of the command was allowed.
const (
	Allowed Reason = iota
	DeniedCommand
	DeniedKey
	DeniedAuth
	DeniedChannel
	DeniedDatabase
)

func (r Reason) String() string {
	return [...]string{"", "command", "key", "auth", "channel", "database"}[r]
}

// Denial is why a command may not run, and on account of which key, channel or
// database of the request.
type Denial struct {
	Reason Reason
	Index  int
}

// Check decides about a request. Of several selectors that refuse it, the one
// that came furthest says why.
func (u *User) Check(r *Request) Denial {
	if u.unlimited {
		return Denial{}
	}
	worst := u.root.check(r)
	for _, s := range u.selectors {
		if worst.Reason == Allowed {
			break
		}
		d := s.check(r)
		if d.Reason == Allowed || d.Reason > worst.Reason || d.Reason == worst.Reason && d.Index > worst.Index {
			worst = d
		}
	}
	return worst
}

func (s *selector) check(r *Request) Denial {
	if !s.allDatabases {
		for i, d := range r.Databases {
			if !slices.Contains(s.databases, d.Number) {
				return Denial{DeniedDatabase, i}
			}
		}
	}
	if !s.allCommands && !r.Always && !s.allowed.has(r.Command) && !s.allowsFirst(r) {
		return Denial{DeniedCommand, 0}
	}
	if !s.allKeys {
		for i, key := range r.Keys {
			if !s.allowsKey(key) {
				return Denial{DeniedKey, i}
			}
		}
	}
	if !s.allChannels {
		for i, channel := range r.Channels {
			if !s.allowsChannel(channel, r.Patterns) {
				return Denial{DeniedChannel, i}
			}
		}
	}
	return Denial{}
}

func (s *selector) allowsFirst(r *Request) bool {
	for _, first := range s.firstArgs[r.Command] {
		if r.FirstArg != nil && strings.EqualFold(first, string(r.FirstArg)) {
			return true
		}
	}
	return false
}

func (s *selector) allowsKey(key Key) bool {
	for i := range s.keys {
		if k := &s.keys[i]; k.access&key.Needs == key.Needs && glob.Match([]byte(k.pattern), key.Name) {
			return true
		}
	}
	return false
}

// allowsChannel: a pattern is allowed when it is itself among those allowed,
// since it may match more than they do.
func (s *selector) allowsChannel(channel []byte, pattern bool) bool {
	for _, allowed := range s.channels {
		if pattern && allowed == string(channel) || !pattern && glob.Match([]byte(allowed), channel) {
			return true
		}
	}
	return false
}

// MayHear reports whether the user may be subscribed to a channel, or to a
// pattern of channels, by any of its selectors.
func (u *User) MayHear(channel []byte, pattern bool) bool {
	for _, s := range append([]*selector{u.root}, u.selectors...) {
		if s.allChannels || s.allowsChannel(channel, pattern) {
			return true
		}
	}
	return false
}
