package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
)

//go:embed standins.txt
var standInsText string

// standIns are the tests that mean the same when the commands of other data
// types in them are replaced (standin.tcl): a real server passes them so.
type standIns map[string]bool // by "unit name"

func parseStandIns(text string) standIns {
	all := standIns{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			all[line] = true
		}
	}
	return all
}

func testKey(unit, name string) string { return unit + " " + firstLine(name) }

// worthwhile says whether a unit should run again with stand-ins: one of its
// tests failed for want of another data type and is known to do without.
func (s standIns) worthwhile(results []result) bool {
	return slices.ContainsFunc(results, s.replaces)
}

func (s standIns) replaces(r result) bool {
	return r.kind == failed && r.class == otherType && s[testKey(r.unit, r.name)]
}

// hopeless are the tests that need another data type even so; with stand-ins
// they would only cost the time they hang.
func (s standIns) hopeless(results []result) map[string]bool {
	names := map[string]bool{}
	for _, r := range results {
		if r.kind == failed && r.class == otherType && !s.replaces(r) {
			names[r.name] = true
		}
	}
	return names
}

// merge takes from the second run, with stand-ins, the results of the tests
// known to do with them, and of those that passed only there: what an earlier
// test left behind was missing in the first.
func (s standIns) merge(first, second []result) []result {
	byName := map[string][]result{}
	for _, r := range second {
		if r.kind != broken {
			byName[r.name] = append(byName[r.name], r)
		}
	}
	var all []result
	for _, r := range first {
		if same := byName[r.name]; r.kind != broken && len(same) > 0 {
			byName[r.name] = same[1:]
			if s.replaces(r) || r.status == statusFailed && same[0].status == statusPassed {
				r = same[0]
				r.standIn = true
			}
		}
		all = append(all, r)
	}
	return all
}

// writeStandIns lists the tests of a run with stand-ins that used some and
// passed every time they occurred.
func writeStandIns(w io.Writer, suite string, results []result) {
	passed, other := map[string]bool{}, map[string]bool{}
	for _, r := range results {
		if r.standIn && r.status == statusPassed {
			passed[testKey(r.unit, r.name)] = true
		} else if r.status != statusNone {
			other[testKey(r.unit, r.name)] = true
		}
	}
	var names []string
	for n := range passed {
		if !other[n] {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	fmt.Fprintf(w, "# Tests that mean the same with stand-ins for values of other data types (standin.tcl): %s passes them so.\n", suite)
	fmt.Fprintf(w, "# Written by run.sh --find-stand-ins.\n")
	for _, n := range names {
		fmt.Fprintln(w, n)
	}
}
