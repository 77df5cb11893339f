package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// report is everything a run found.
type report struct {
	suite   string // name and version of the package
	server  string // what ran
	tallies []tally
	results []result
	stale   []*entry
}

func (r *report) failed() []result {
	var all []result
	for _, x := range r.results {
		if x.status == statusFailed {
			all = append(all, x)
		}
	}
	return all
}

// table prints a line per file, for a terminal.
func (r *report) table(w io.Writer) {
	fmt.Fprintf(w, "%-22s %6s %6s %8s %6s", "file", "tests", "passed", "stand-in", "failed")
	for _, c := range classes {
		fmt.Fprintf(w, " %8s", c.heading)
	}
	fmt.Fprintf(w, " %8s\n", "time")
	for _, t := range append(slices.Clone(r.tallies), total(r.tallies)) {
		fmt.Fprintf(w, "%-22s %6d %6d %8d %6d", t.unit, t.tests(), t.passed-t.standIn, t.standIn, t.failed)
		for _, c := range classes {
			fmt.Fprintf(w, " %8d", t.skipped[c.class])
		}
		fmt.Fprintf(w, " %8s\n", t.took.Round(time.Second))
	}
}

func total(tallies []tally) tally {
	sum := tally{unit: "all", skipped: map[class]int{}}
	for _, t := range tallies {
		sum.passed += t.passed
		sum.standIn += t.standIn
		sum.failed += t.failed
		sum.took += t.took
		for c, n := range t.skipped {
			sum.skipped[c] += n
		}
	}
	return sum
}

// page writes docs/conformance.md.
func (r *report) page(w io.Writer) {
	fmt.Fprintf(w, "<!-- Written by hack/conformance. -->\n# Conformance\n\n")
	fmt.Fprintf(w, "`make conformance` runs the Tcl suite of %s, from Debian's source package, against the node. A test is skipped\n"+
		"only for one of these reasons:\n\n", r.suite)
	for _, c := range classes {
		fmt.Fprintf(w, "- **%s**: %s\n", c.heading, c.meaning)
	}
	fmt.Fprintf(w, "\nThe class *type* is mostly found while running: the test failed after the node had answered one of its commands with\n"+
		"\"this server holds sorted sets only\". All others are in `hack/conformance/skips.txt`.\n\n")
	fmt.Fprint(w, "| file | tests | passed | stand-in | failed |")
	for _, c := range classes {
		fmt.Fprintf(w, " %s |", c.heading)
	}
	fmt.Fprint(w, "\n|---|--:|--:|--:|--:|"+strings.Repeat("--:|", len(classes))+"\n")
	for _, t := range append(slices.Clone(r.tallies), total(r.tallies)) {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d |", t.unit, t.tests(), t.passed-t.standIn, t.standIn, t.failed)
		for _, c := range classes {
			fmt.Fprintf(w, " %d |", t.skipped[c.class])
		}
		fmt.Fprintln(w)
	}
	if bad := r.failed(); len(bad) > 0 {
		fmt.Fprint(w, "\n## Failed\n\n")
		for _, x := range bad {
			fmt.Fprintf(w, "- %s: %s\n", x.unit, code(x.name))
		}
	}
	fmt.Fprint(w, "\n## Skipped, by reason\n")
	for _, c := range classes {
		byReason := map[string][]result{}
		for _, x := range r.results {
			if x.status == statusSkipped && x.class == c.class {
				byReason[x.reason] = append(byReason[x.reason], x)
			}
		}
		if len(byReason) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n### %s: %s\n\n", c.heading, c.meaning)
		for _, reason := range slices.Sorted(maps.Keys(byReason)) {
			fmt.Fprintf(w, "%s (%d)\n\n", reason, len(byReason[reason]))
			for _, x := range byReason[reason] {
				fmt.Fprintf(w, "- %s: %s\n", x.unit, code(x.name))
			}
			fmt.Fprintln(w)
		}
	}
}

func code(s string) string { return "`" + strings.ReplaceAll(firstLine(s), "`", "'") + "`" }

// causes writes the failures grouped by what they have in common, most first,
// with the first lines of what the suite said: a work list.
func (r *report) causes(w io.Writer) {
	groups := map[string][]result{}
	for _, x := range r.failed() {
		groups[x.cause] = append(groups[x.cause], x)
	}
	names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(groups[b]), len(groups[a])), strings.Compare(a, b))
	})
	fmt.Fprintf(w, "# What fails, by cause\n\nSuite: %s. Server: %s.\n\n", r.suite, r.server)
	t := total(r.tallies)
	fmt.Fprintf(w, "%d tests: %s\n\n", t.tests(), t)
	fmt.Fprint(w, "```\n")
	r.table(w)
	fmt.Fprint(w, "```\n\n")
	r.missing(w)
	fmt.Fprint(w, "\n| tests | cause |\n|--:|---|\n")
	for _, n := range names {
		fmt.Fprintf(w, "| %d | %s |\n", len(groups[n]), n)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(detail(b), detail(a)) })
	for _, n := range names {
		fmt.Fprintf(w, "\n## %s (%d)\n\n", n, len(groups[n]))
		for _, x := range groups[n] {
			fmt.Fprintf(w, "- %s: %s\n", x.unit, code(x.name))
			lines := strings.Split(strings.TrimSpace(x.message), "\n")
			for _, l := range lines[:min(len(lines), detail(n))] {
				fmt.Fprintf(w, "      %s\n", clip(l, 400))
			}
		}
	}
	if len(r.stale) > 0 {
		fmt.Fprint(w, "\n## Entries of the skip list that match no test\n\n")
		for _, e := range r.stale {
			fmt.Fprintf(w, "- %s: %s\n", e.unit, e.name)
		}
	}
}

// missing counts for each command the node does not know the failed tests that
// send it.
func (r *report) missing(w io.Writer) {
	tests := map[string]int{}
	for _, x := range r.failed() {
		for _, name := range x.unknown {
			tests[name]++
		}
	}
	names := slices.SortedFunc(maps.Keys(tests), func(a, b string) int {
		return cmp.Or(cmp.Compare(tests[b], tests[a]), strings.Compare(a, b))
	})
	fmt.Fprint(w, "| failed tests that send it | unknown command |\n|--:|---|\n")
	for _, n := range names {
		fmt.Fprintf(w, "| %d | %s |\n", tests[n], n)
	}
}

// detail is how many lines of a message a group shows: a command that is
// missing needs no more than one.
func detail(cause string) int {
	if strings.HasPrefix(cause, "unknown command") {
		return 1
	}
	return 6
}

func clip(s string, most int) string {
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
