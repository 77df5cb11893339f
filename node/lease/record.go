package lease

import (
	"errors"
	"slices"
)

// ErrRefused is for a record that was not written, because it had another version.
var ErrRefused = errors.New("lease: the record was changed by somebody else")

// A Record is what all nodes of a shard go by.
type Record struct {
	Version  string     // of the record, for compare-and-swap; empty when there is none
	Epoch    int64      // counts the holders
	Holder   Identity   // the primary; zero once it gave the record up
	Heir     string     // the pod that a holder which gave it up names, if any: others wait for it
	Electors []Identity // who may claim, the holder included; ascending
}

// Absent reports whether there is no record.
func (r Record) Absent() bool { return r.Version == "" }

// Lists reports whether id is an elector.
func (r Record) Lists(id Identity) bool { return slices.Contains(r.Electors, id) }

// union is all of both, ascending, each once.
func union(a, b []Identity) []Identity {
	all := append(slices.Clone(a), b...)
	slices.SortFunc(all, compareIdentities)
	return slices.Compact(all)
}

func compareIdentities(a, b Identity) int {
	switch as, bs := a.String(), b.String(); {
	case as < bs:
		return -1
	case as > bs:
		return 1
	}
	return 0
}
