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

// again picks from the results of a unit the tests to run with stand-ins: those
// that failed for want of another data type and are known to do without.
func (s standIns) again(results []result) map[string]bool {
	names := map[string]bool{}
	for _, r := range results {
		if r.kind == failed && r.class == otherType && s[testKey(r.unit, r.name)] {
			names[r.name] = true
		}
	}
	return names
}

// merge puts the results with stand-ins in the place of those without. A test
// whose name occurs more than once is replaced each time.
func merge(results, second []result) []result {
	byName := map[string][]result{}
	for _, r := range second {
		if r.kind != broken {
			byName[r.name] = append(byName[r.name], r)
		}
	}
	for i, r := range results {
		if r.class != otherType || len(byName[r.name]) == 0 {
			continue
		}
		results[i] = byName[r.name][0]
		byName[r.name] = byName[r.name][1:]
	}
	return results
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
