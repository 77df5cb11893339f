package acl

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Access is what a command does to a key. A command that does neither, but
// looks whether the key is there, may run with any access.
type Access uint8

// The kinds of access.
const (
	Read Access = 1 << iota
	Write
)

type keyPattern struct {
	pattern string
	access  Access
}

// selector is a set of permissions that count together. It is changed only
// while a user is made.
type selector struct {
	allCommands  bool // no command is forbidden
	allKeys      bool
	allChannels  bool
	allDatabases bool

	future    bool     // the rules start from all commands, not from none
	rules     []string // about commands, in the order they count
	allowed   bits     // what the rules come to
	firstArgs map[int][]string

	keys      []keyPattern
	channels  []string
	databases []int // ascending
}

func newSelector(c *Catalogue, channels bool) *selector {
	return &selector{allowed: c.none(), allChannels: channels, allDatabases: true}
}

func (s *selector) clone() *selector {
	c := *s
	c.rules, c.allowed, c.keys, c.channels, c.databases = slices.Clone(s.rules), slices.Clone(s.allowed), slices.Clone(s.keys), slices.Clone(s.channels), slices.Clone(s.databases)
	c.firstArgs = maps.Clone(s.firstArgs)
	for i, args := range c.firstArgs {
		c.firstArgs[i] = slices.Clone(args)
	}
	return &c
}

func (s *selector) unlimited() bool {
	return s.allCommands && s.allKeys && s.allChannels && s.allDatabases
}

// Permissions is a selector in words, as ACL GETUSER prints it.
type Permissions struct{ Commands, Keys, Channels, Databases string }

func (s *selector) describe() Permissions {
	p := Permissions{Commands: "-@all", Keys: s.keysText(), Channels: s.channelsText(), Databases: s.databasesText()}
	if s.future {
		p.Commands = "+@all"
	}
	p.Commands = strings.Join(append([]string{p.Commands}, s.rules...), " ")
	return p
}

func (s *selector) keysText() string {
	if s.allKeys {
		return "~*"
	}
	var words []string
	for _, k := range s.keys {
		switch k.access {
		case Read:
			words = append(words, "%R~"+k.pattern)
		case Write:
			words = append(words, "%W~"+k.pattern)
		default:
			words = append(words, "~"+k.pattern)
		}
	}
	return strings.Join(words, " ")
}

func (s *selector) channelsText() string {
	if s.allChannels {
		return "&*"
	}
	var words []string
	for _, pattern := range s.channels {
		words = append(words, "&"+pattern)
	}
	return strings.Join(words, " ")
}

func (s *selector) databasesText() string {
	switch {
	case s.allDatabases:
		return "alldbs"
	case len(s.databases) == 0:
		return ""
	}
	var words []string
	for _, n := range s.databases {
		words = append(words, strconv.Itoa(n))
	}
	return "db=" + strings.Join(words, ",")
}

// text is the rules that make the selector from one without permissions.
func (s *selector) text() string {
	p := s.describe()
	var words []string
	add := func(word string) {
		if word != "" {
			words = append(words, word)
		}
	}
	add(p.Keys)
	if !s.allChannels {
		add("resetchannels")
	}
	add(p.Channels)
	switch {
	case s.allDatabases: // understood, and unknown to older servers
	case p.Databases == "":
		add("resetdbs")
	default:
		add(p.Databases)
	}
	add(p.Commands)
	return strings.Join(words, " ")
}
