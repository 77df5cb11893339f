package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// outcome is what happened to one test, before it is judged.
type outcome struct {
	unit, name string
	kind       kind
	message    string
	refused    []string // commands the node refused for their data type
	unknown    []string // commands the node did not know
	settings   []string // directives the test or its block set that the node does not know
	standIn    bool     // commands of other data types were replaced in it
	took       time.Duration
}

// kind is how a test ended.
type kind string

const (
	ok      kind = "pass"
	failed  kind = "fail"
	skipped kind = "skip"   // by the suite's own decision
	listed  kind = "listed" // not run: the skip list has it
	tagged  kind = "tagged" // not run: the list has one of its tags; message is the tag
	broken  kind = "broken" // not a test: a statement between tests failed
)

// result is an outcome and what it means.
type result struct {
	outcome
	status status
	class  class  // of a skipped one
	reason string // of a skipped one
	cause  string // of a failed one: what it has in common with others
}

type status string

const (
	statusPassed  status = "passed"
	statusSkipped status = "skipped"
	statusFailed  status = "failed"
	statusNone    status = "" // of no account
)

// judge decides what an outcome means.
func judge(o outcome, list *skips) result {
	r := result{outcome: o}
	switch o.kind {
	case ok:
		r.status = statusPassed
		return r
	case skipped:
		r.status, r.class, r.reason = statusSkipped, bySuite, firstLine(o.message)
		return r
	case listed:
		e := list.find(o.unit, o.name)
		r.status, r.class, r.reason = statusSkipped, e.class, e.reason
		return r
	case tagged:
		if e := list.word("tag", o.message); e != nil {
			r.status, r.class, r.reason = statusSkipped, e.class, e.reason
			return r
		}
		r.status, r.cause = statusFailed, "tag without a reason: "+o.message
		return r
	}
	if o.kind == broken && list.find(o.unit, o.name) != nil {
		return r
	}
	e := list.word("command", o.unknown...)
	if e == nil {
		e = list.word("setting", o.settings...)
	}
	if e == nil {
		e = list.reply(firstLine(o.message))
	}
	if e != nil {
		if o.kind != broken { // else the tests that needed it say so themselves
			r.status, r.class, r.reason = statusSkipped, e.class, e.reason
		}
		return r
	}
	if len(o.refused) > 0 {
		if o.kind == broken {
			return r
		}
		r.status, r.class, r.reason = statusSkipped, otherType, "uses "+strings.Join(sorted(o.refused), ", ")
		return r
	}
	if strings.Contains(o.message, otherTypeReply) { // read from a raw socket
		r.status, r.class, r.reason = statusSkipped, otherType, "uses another data type"
		return r
	}
	r.status, r.cause = statusFailed, causeOf(o)
	return r
}

// causeOf names what a failure has in common with others.
func causeOf(o outcome) string {
	switch {
	case o.standIn && len(o.unknown) == 0:
		return "with stand-ins for values of other types"
	case len(o.unknown) > 0:
		return "unknown command: " + strings.Join(sorted(o.unknown), ", ")
	case len(o.settings) > 0:
		return "unknown directive: " + strings.Join(sorted(o.settings), ", ")
	case strings.HasPrefix(o.message, "the node ended"):
		return "the node ended"
	case strings.HasPrefix(o.message, "no progress"):
		return "hangs"
	case o.kind == broken:
		return "between tests"
	}
	return "other"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

func sorted(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// tally counts the results of one unit.
type tally struct {
	unit    string
	passed  int // standIn of them with stand-ins
	standIn int
	failed  int
	skipped map[class]int
	took    time.Duration
}

func count(unit string, results []result, took time.Duration) tally {
	t := tally{unit: unit, skipped: map[class]int{}, took: took}
	for _, r := range results {
		switch r.status {
		case statusPassed:
			t.passed++
			if r.standIn {
				t.standIn++
			}
		case statusFailed:
			t.failed++
		case statusSkipped:
			t.skipped[r.class]++
		}
	}
	return t
}

func (t tally) tests() int {
	n := t.passed + t.failed
	for _, s := range t.skipped {
		n += s
	}
	return n
}

func (t tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.passed, t.failed, t.tests()-t.passed-t.failed)
}
