package controllers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every reason that a condition or an event can have has an entry in the runbook, each once, and the runbook has no others.
func TestEveryReasonIsInTheRunbook(t *testing.T) {
	text, err := os.ReadFile("../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]string{} // by reason, its text
	headings := regexp.MustCompile("(?m)^### (.*)$").FindAllSubmatchIndex(text, -1)
	for i, at := range headings {
		end := len(text)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		for _, reason := range regexp.MustCompile("`([A-Za-z]+)`").FindAllSubmatch(text[at[2]:at[3]], -1) {
			if entries[string(reason[1])] != "" {
				t.Errorf("%s has two entries", reason[1])
			}
			entries[string(reason[1])] = string(text[at[1]:end])
		}
	}
	reasons := reasonsInCode(t)
	if len(reasons) < 40 {
		t.Fatalf("found only %v", reasons)
	}
	for _, reason := range reasons {
		if entries[reason] == "" {
			t.Errorf("%s has no entry", reason)
		}
	}
	for reason, entry := range entries {
		if !slices.Contains(reasons, reason) {
			t.Errorf("no code has the reason %s", reason)
		}
		for _, part := range []string{"**Means**", "**Look at**", "**Do**"} {
			if !strings.Contains(entry, part) {
				t.Errorf("the entry of %s lacks %s", reason, part)
			}
		}
	}
}

// reasonsInCode are the values of all constants whose names begin with reason or event.
func reasonsInCode(t *testing.T) (reasons []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "reason") && !strings.HasPrefix(spec.Names[0].Name, "event") {
				return true
			}
			if value, ok := spec.Values[0].(*ast.BasicLit); ok && value.Kind == token.STRING {
				reason, err := strconv.Unquote(value.Value)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Contains(reasons, reason) {
					reasons = append(reasons, reason)
				}
			}
			return true
		})
	}
	return reasons
}
