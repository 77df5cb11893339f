package config

import "strings"

// directive is one row of the table.
type directive struct {
	name    string
	aliases []string // older names, which answer CONFIG too
	group   group
	initial string // default, in the syntax of node.conf
	live    bool   // CONFIG SET may change it
	hidden  bool   // CONFIG GET does not answer it
	doc     string // one line
	note    string // more for the reference: the reason of a bound, what differs from other servers
	kind
}

// kind is how the values of a directive are read and printed.
type kind struct {
	allowed string // what values are allowed, in words
	list    bool   // takes any number of values; else exactly one
	// set reads values into v. It replaces what v's slices refer to and
	// changes nothing when it fails; its error is the reason alone.
	set func(v *Values, values []string, on machine) error
	// get returns the canonical text, which set reads back to the same value.
	get func(v *Values) string
}

// group is a heading of --help and the reference.
type group string

const (
	network    group = "Network"
	encryption group = "TLS"
	clients    group = "Clients"
	access     group = "Access"
	slow       group = "Slow commands"
	memory     group = "Memory"
	sortedSets group = "Sorted sets"
	data       group = "Data on disk"
	replicated group = "Replication"
	shards     group = "Shards"
	process    group = "Process"
)

// groups in the order they are shown.
var groups = []group{network, encryption, clients, access, slow, memory, sortedSets, data, replicated, shards, process}

// apply checks the number of values and sets the directive in v.
func (d *directive) apply(v *Values, values []string, on machine) error {
	if d.list && len(values) == 1 {
		values = strings.Fields(values[0]) // "a b" in one argument, as CONFIG SET gives it
	}
	if !d.list && len(values) != 1 {
		return reason("wrong number of arguments")
	}
	return d.set(v, values, on)
}

// reason says why a value is refused. A selfContained one also says what is
// allowed.
type reason string

func (r reason) Error() string { return string(r) }

type selfContained string

func (r selfContained) Error() string { return string(r) }

// byName finds directives by name and alias, in lower case.
var byName = func() map[string]*directive {
	m := make(map[string]*directive)
	for i := range table {
		d := &table[i]
		for _, name := range append([]string{d.name}, d.aliases...) {
			if m[name] != nil {
				panic("config: two directives named " + name)
			}
			m[name] = d
		}
	}
	return m
}()

// lookUp finds a directive whatever the case of its name; nil if there is none.
func lookUp(name string) *directive { return byName[strings.ToLower(name)] }
