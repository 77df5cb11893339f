package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed skips.txt
var skipsText string

// class says why a test does not apply to this server.
type class string

const (
	otherType class = "type"     // it is about another data type, or needs one
	module    class = "module"   // it loads a module
	internal  class = "internal" // it looks at an internal of the server it was written for
	later     class = "version"  // it needs what this version does not have
	choice    class = "choice"   // this server decides otherwise, as documented
	bySuite   class = "suite"    // the suite skips it itself on this machine
)

// classes in the order of the tables, with their headings.
var classes = []struct {
	class   class
	heading string
	meaning string
}{
	{otherType, "type", "about or in need of another data type"},
	{module, "module", "needs a module"},
	{internal, "internal", "looks at an internal of the server it was written for"},
	{later, "version", "needs what this version does not have"},
	{choice, "choice", "this server decides otherwise, as documented"},
	{bySuite, "suite", "skipped by the suite itself on this machine"},
}

// suites are those there are.
var suites = []string{"valkey", "redis"}

// entry is one line of the skip list.
type entry struct {
	class  class
	reason string
	unit   string // a file of the suite, "*" for all, or "tag", "command", "setting", "reply"
	name   string
	match  *regexp.Regexp // nil: name decides
	used   bool
}

// skips is the skip list.
type skips struct{ entries []*entry }

// parseSkips reads the list for a suite, "valkey" or "redis". A line "[class]
// reason" opens a section, "[class suite] reason" one for that suite alone; the lines
// below it name a file of the suite and a test, or /regexp/: it is not run. "#"
// starts a comment line. In the place of a file stand four words:
//
//   - tag: tests with this tag are not run
//   - command: a failed test sent this command, and the node does not know it
//   - setting: a failed test set this directive, and the node does not know it
//   - reply: a test failed by an error reply that has this text, the node's own words for what it is not
//
// The last three end by themselves when the node learns the command or
// directive, or answers otherwise.
func parseSkips(text, suite string) (*skips, error) {
	s := &skips{}
	var in *entry
	ofSuite := true
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if head, ok := strings.CutPrefix(line, "["); ok {
			name, reason, _ := strings.Cut(head, "]")
			name, only, _ := strings.Cut(name, " ")
			ofSuite = only == "" || only == suite
			if !known(class(name)) || only != "" && !slices.Contains(suites, only) || strings.TrimSpace(reason) == "" {
				return nil, fmt.Errorf("line %d: a section is [type|module|internal|version|choice], maybe with a suite, and a reason", i+1)
			}
			in = &entry{class: class(name), reason: strings.TrimSpace(reason)}
			continue
		}
		unit, name, ok := strings.Cut(line, " ")
		if in == nil || !ok {
			return nil, fmt.Errorf("line %d: want a file and a test, below a section", i+1)
		}
		e := &entry{class: in.class, reason: in.reason, unit: unit, name: strings.TrimSpace(name)}
		if len(e.name) > 2 && e.name[0] == '/' && e.name[len(e.name)-1] == '/' {
			re, err := regexp.Compile(e.name[1 : len(e.name)-1])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			e.match = re
		}
		if !ofSuite {
			continue
		}
		s.entries = append(s.entries, e)
	}
	return s, nil
}

func known(c class) bool {
	for _, k := range classes {
		if k.class == c && c != bySuite {
			return true
		}
	}
	return false
}

// find is the entry for a test; nil when it is to run.
func (s *skips) find(unit, name string) *entry {
	for _, e := range s.entries {
		if e.unit != unit && e.unit != "*" {
			continue
		}
		if e.name == name || e.match != nil && e.match.MatchString(name) {
			e.used = true
			return e
		}
	}
	return nil
}

// word is the first entry of a kind, "tag", "command" or "setting", for one of
// names; nil when there is none.
func (s *skips) word(kind string, names ...string) *entry {
	for _, e := range s.entries {
		if e.unit == kind && slices.Contains(names, e.name) {
			e.used = true
			return e
		}
	}
	return nil
}

// reply is the first entry for an error reply in the message of a failed test;
// nil when there is none.
func (s *skips) reply(message string) *entry {
	for _, e := range s.entries {
		if e.unit == "reply" && strings.Contains(message, e.name) {
			e.used = true
			return e
		}
	}
	return nil
}

// tags are all tags whose tests do not run.
func (s *skips) tags() []string {
	var all []string
	for _, e := range s.entries {
		if e.unit == "tag" {
			all = append(all, e.name)
		}
	}
	return all
}

// unused are the entries of the units that ran which no test matched.
func (s *skips) unused(ran map[string]bool) []*entry {
	var all []*entry
	for _, e := range s.entries {
		if !e.used && ran[e.unit] {
			all = append(all, e)
		}
	}
	return all
}
