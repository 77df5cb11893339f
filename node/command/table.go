package command

import (
	"slices"
	"strings"
)

// Table is every command, looked up by name. It does not change once made.
type Table struct {
	specs  []Spec
	byName map[string]*Spec
	names  []string // by number, subcommands included
}

// maxName is the longest name looked up; a longer one is unknown.
const maxName = 64

// NewTable gathers the families.
func NewTable() *Table {
	t := &Table{byName: map[string]*Spec{}}
	for _, family := range [][]Spec{
		zaddSpecs, zscoreSpecs, zrangeSpecs, zcountSpecs, zpopSpecs, zremSpecs, zscanSpecs,
		zalgebraSpecs, zrangestoreSpecs, zmpopSpecs, bzpopSpecs, zrandmemberSpecs,
		geoaddSpecs, geoposSpecs, geosearchSpecs,
		keySpecs, renameSpecs, databaseSpecs, dumpSpecs, expirySpecs, scanSpecs, objectSpecs, memorySpecs, lolwutSpecs,
		multiSpecs, pubsubSpecs, monitorSpecs,
		connectionSpecs, clientSpecs, commandSpecs, configSpecs, serverSpecs, aclSpecs, slowlogSpecs, latencySpecs, debugSpecs, scriptingSpecs, functionSpecs,
		clusterSpecs, replicationSpecs, followingSpecs, syncSpecs, waitSpecs, persistenceSpecs, shardSpecs,
	} {
		t.specs = append(t.specs, family...)
	}
	for i := range t.specs {
		t.add(&t.specs[i])
		t.specs[i].Subs = slices.Clone(t.specs[i].Subs) // each table numbers its own
		for j := range t.specs[i].Subs {
			t.add(&t.specs[i].Subs[j])
		}
	}
	return t
}

func (t *Table) add(s *Spec) {
	if t.byName[s.Name] != nil {
		panic("command: two commands are named " + s.Name)
	}
	s.number = len(t.names)
	s.oneKey = s.Keys.one()
	t.names = append(t.names, s.Name)
	t.byName[s.Name] = s
}

// Names is the name of every command and subcommand, in the order of the
// numbers under which they are counted.
func (t *Table) Names() []string { return t.names }

// lookup finds a command by its name in any case; nil when there is none.
func (t *Table) lookup(name []byte) *Spec {
	if len(name) > maxName {
		return nil
	}
	var lower [maxName]byte
	for i, b := range name {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b == '|' {
			return nil // a subcommand's full name is not a command
		}
		lower[i] = b
	}
	return t.byName[string(lower[:len(name)])]
}

// lookupFull finds a command or subcommand by its full name.
func (t *Table) lookupFull(name string) *Spec { return t.byName[strings.ToLower(name)] }

// sub finds the subcommand of a container; nil when there is none.
func (s *Spec) sub(name []byte) *Spec {
	for i := range s.Subs {
		sub := &s.Subs[i]
		if short := sub.Name[len(s.Name)+1:]; len(short) == len(name) && strings.EqualFold(short, string(name)) {
			return sub
		}
	}
	return nil
}

// resolve finds what args call: a command, or the subcommand when the command
// is a container and has one. Where there is none, refusal is the error.
func (t *Table) resolve(args [][]byte) (s *Spec, refusal string) {
	s = t.lookup(args[0])
	if s == nil {
		return nil, unknownCommand(args)
	}
	if s.Subs == nil || len(args) < 2 {
		return s, ""
	}
	if sub := s.sub(args[1]); sub != nil {
		return sub, ""
	}
	return nil, "ERR unknown subcommand '" + clip(args[1], 128) + "'. Try " + strings.ToUpper(s.Name) + " HELP."
}

// unknownCommand is the error for a command that is not in the table.
func unknownCommand(args [][]byte) string {
	if ofOtherType(args[0]) {
		return "ERR command '" + strings.ToLower(string(args[0])) + "' is not available: this server holds sorted sets only"
	}
	const most = 128
	var given strings.Builder
	for _, a := range args[1:] {
		if given.Len() >= most {
			break
		}
		given.WriteString("'" + clip(a, most-given.Len()) + "' ")
	}
	return "ERR unknown command '" + clip(args[0], most) + "', with args beginning with: " + given.String()
}

func clip(b []byte, most int) string { return string(b[:min(len(b), most)]) }
