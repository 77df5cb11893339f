package acl

import (
	"slices"
	"strings"
)

// Categories are the groups of commands that rules know, in the order ACL CAT
// prints them. Those of other data types are among them so that rules from
// elsewhere can be used; they have no commands here.
var Categories = []string{
	"keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap", "hyperloglog", "geo", "stream",
	"pubsub", "admin", "fast", "slow", "blocking", "dangerous", "connection", "transaction", "scripting",
}

// Command is what rules know of a command.
type Command struct {
	Name       string   // lower case; a subcommand's is "container|name"
	Categories []string // without their @
	Absent     bool     // may be named, though this server does not have it
}

// Catalogue is the commands that rules may name. Their place in it is their
// number. It does not change once made.
type Catalogue struct {
	commands []Command
	byName   map[string]int
	subs     map[int][]int // the subcommands of a container
	members  map[string][]int
}

// NewCatalogue makes one of the commands, of which number i is at index i.
func NewCatalogue(commands []Command) *Catalogue {
	c := &Catalogue{commands: commands, byName: map[string]int{}, subs: map[int][]int{}, members: map[string][]int{}}
	for i, command := range commands {
		c.byName[command.Name] = i
		for _, category := range command.Categories {
			c.members[category] = append(c.members[category], i)
		}
	}
	for i, command := range commands {
		if container, _, is := strings.Cut(command.Name, "|"); is {
			if parent, known := c.byName[container]; known {
				c.subs[parent] = append(c.subs[parent], i)
			}
		}
	}
	return c
}

// In is the names of the commands in a category; ok is false when there is no
// such category.
func (c *Catalogue) In(category string) (names []string, ok bool) {
	category = strings.ToLower(category)
	if !slices.Contains(Categories, category) {
		return nil, false
	}
	for _, i := range c.members[category] {
		if !c.commands[i].Absent {
			names = append(names, c.commands[i].Name)
		}
	}
	return names, true
}

// bits is a set of commands by their numbers.
type bits []uint64

func (b bits) has(i int) bool { return i/64 < len(b) && b[i/64]&(1<<(i%64)) != 0 }

// set puts a command and, of a container, its subcommands in or out. b has
// room for all.
func (c *Catalogue) set(b bits, i int, in bool) {
	if in {
		b[i/64] |= 1 << (i % 64)
	} else {
		b[i/64] &^= 1 << (i % 64)
	}
	for _, sub := range c.subs[i] {
		c.set(b, sub, in)
	}
}

// none and all are the sets of no and of every command.
func (c *Catalogue) none() bits { return make(bits, (len(c.commands)+63)/64) }

func (c *Catalogue) all() bits {
	b := c.none()
	for i := range b {
		b[i] = ^uint64(0)
	}
	return b
}
