package main

import (
	"strings"
	"testing"
)

const listText = `
# a comment
[internal] looks at the layout of its hash tables
unit/keyspace a test that is named
unit/scan /^scan .* (twice|thrice)$/
[choice] one database
tag singledb:skip
[version] replication
command replicaof
[internal] its clock
setting hz
reply keeps its data in memory
`

func list(t *testing.T) *skips {
	t.Helper()
	s, err := parseSkips(listText, "valkey")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestVerdicts(t *testing.T) {
	tests := []struct {
		name   string
		give   outcome
		status status
		class  class
		cause  string
	}{
		{"passed", outcome{kind: ok}, statusPassed, "", ""},
		{"passed although it met a foreign command", outcome{kind: ok, refused: []string{"set"}}, statusPassed, "", ""},
		{"needs another type", outcome{kind: failed, refused: []string{"set", "get"}}, statusSkipped, otherType, ""},
		{"a foreign command outweighs an unknown one", outcome{kind: failed, refused: []string{"set"}, unknown: []string{"multi"}}, statusSkipped, otherType, ""},
		{"unknown command", outcome{kind: failed, unknown: []string{"zmpop", "multi"}}, statusFailed, "", "unknown command: multi, zmpop"},
		{"refused directive", outcome{kind: failed, settings: []string{"aclfile"}}, statusFailed, "", "unknown directive: aclfile"},
		{"command on the list", outcome{kind: failed, unknown: []string{"replicaof"}}, statusSkipped, later, ""},
		{"directive on the list", outcome{kind: failed, settings: []string{"hz"}}, statusSkipped, internal, ""},
		{"reply on the list", outcome{kind: failed, message: "ERR this server keeps its data in memory only\n    while executing"}, statusSkipped, internal, ""},
		{"passed beside a command on the list", outcome{kind: ok, unknown: []string{"replicaof"}}, statusPassed, "", ""},
		{"plain failure", outcome{kind: failed, message: "Expected 1"}, statusFailed, "", "other"},
		{"crash", outcome{kind: failed, message: "the node ended: panic: x"}, statusFailed, "", "the node ended"},
		{"skipped by the suite", outcome{kind: skipped, message: "no ipv6"}, statusSkipped, bySuite, ""},
		{"on the list", outcome{unit: "unit/keyspace", name: "a test that is named", kind: listed}, statusSkipped, internal, ""},
		{"tag on the list", outcome{kind: tagged, message: "singledb:skip"}, statusSkipped, choice, ""},
		{"tag not on the list", outcome{kind: tagged, message: "new:tag"}, statusFailed, "", "tag without a reason: new:tag"},
		{"statement that needs another type", outcome{kind: broken, refused: []string{"set"}}, statusNone, "", ""},
		{"statement that fails", outcome{kind: broken, name: "r zadd k 1 m"}, statusFailed, "", "between tests"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := judge(tt.give, list(t))
			if got.status != tt.status || got.class != tt.class || got.cause != tt.cause {
				t.Errorf("judged %q %q %q, want %q %q %q", got.status, got.class, got.cause, tt.status, tt.class, tt.cause)
			}
			if got.status == statusSkipped && got.reason == "" {
				t.Error("skipped without a reason")
			}
		})
	}
}

func TestSkipList(t *testing.T) {
	s := list(t)
	if s.find("unit/scan", "scan it thrice") == nil || s.find("unit/scan", "scan it once") != nil || s.find("unit/expire", "a test that is named") != nil {
		t.Error("the list finds the wrong tests")
	}
	unused := s.unused(map[string]bool{"unit/keyspace": true, "unit/scan": true})
	if len(unused) != 1 || unused[0].name != "a test that is named" {
		t.Errorf("unused: %v", unused)
	}
}

func TestSkipListOfOneSuite(t *testing.T) {
	const text = "[choice redis] as Valkey does\nunit/scan both\n[choice] always\nunit/scan any\n"
	for suite, both := range map[string]bool{"redis": true, "valkey": false} {
		s, err := parseSkips(text, suite)
		if err != nil {
			t.Fatal(err)
		}
		if found := s.find("unit/scan", "both") != nil; found != both || s.find("unit/scan", "any") == nil {
			t.Errorf("in the suite of %s: %v", suite, s.entries)
		}
	}
}

func TestSkipListRefuses(t *testing.T) {
	for give, want := range map[string]string{
		"unit/scan x":                  "below a section",
		"[broken] it fails\n":          "a section is",
		"[type]\nunit/scan x":          "a section is",
		"[type nosuch] sets\n":         "a section is",
		"[type] sets\nunit/scan":       "want a file and a test",
		"[type] sets\nunit/scan /a(b/": "missing closing",
	} {
		if _, err := parseSkips(give, "valkey"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", give, err, want)
		}
	}
}

func TestCommittedListsParse(t *testing.T) {
	for _, suite := range suites {
		if _, err := parseSkips(skipsText, suite); err != nil {
			t.Errorf("for %s: %v", suite, err)
		}
	}
	if len(parseStandIns(standInsText)) == 0 {
		t.Error("no test is known to do with stand-ins")
	}
}

func TestStandInsReplaceWhatNeededAType(t *testing.T) {
	known := parseStandIns("unit/expire EXPIRE twice\n")
	make := func(name string, k kind, s status, c class) result {
		return result{outcome: outcome{unit: "unit/expire", name: name, kind: k}, status: s, class: c}
	}
	first := []result{
		make("EXPIRE twice", failed, statusSkipped, otherType),
		make("EXPIRE twice", failed, statusSkipped, otherType),
		make("a list", failed, statusSkipped, otherType),
		make("keys an earlier test left", failed, statusFailed, ""),
		make("a bug", failed, statusFailed, ""),
		make("TTL", ok, statusPassed, ""),
	}
	if !known.worthwhile(first) || known.worthwhile(first[2:]) {
		t.Error("a second run is for tests that are known to do with stand-ins")
	}
	if h := known.hopeless(first); len(h) != 1 || !h["a list"] {
		t.Errorf("hopeless: %v", h)
	}
	second := []result{
		make("EXPIRE twice", ok, statusPassed, ""),
		make("EXPIRE twice", failed, statusFailed, ""),
		make("a list", ok, statusPassed, ""),
		make("keys an earlier test left", ok, statusPassed, ""),
		make("a bug", failed, statusFailed, ""),
		make("TTL", failed, statusFailed, ""),
	}
	got := count("unit/expire", known.merge(first, second), 0)
	if got.passed != 3 || got.standIn != 2 || got.failed != 2 || got.skipped[otherType] != 1 {
		t.Errorf("counted %+v", got)
	}
}

func TestMessages(t *testing.T) {
	m, err := parseMessage("result aGVsbG8gd29ybGQ=. . cGFzcw==.\n")
	if err != nil || m.verb != "result" || m.arg(0) != "hello world" || m.arg(1) != "" || m.arg(2) != "pass" || m.arg(3) != "" {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := parseMessage("\n"); err == nil {
		t.Error("an empty line is no message")
	}
	if got := tclList("a b", "c"); got != "{a b} {c}" {
		t.Errorf("list %q", got)
	}
	if got := tclWords("{client tracking} multi"); len(got) != 2 || got[0] != "client tracking" || got[1] != "multi" {
		t.Errorf("words %q", got)
	}
}

func TestNodeKnowsItsDirectives(t *testing.T) {
	taken, refused := knownToNode([]directive{{"maxclients", "10"}, {"no-such-directive", "1"}, {"save", ""}})
	if len(taken) != 2 || len(refused) != 1 || refused[0] != "no-such-directive" {
		t.Errorf("taken %v, refused %v", taken, refused)
	}
}
