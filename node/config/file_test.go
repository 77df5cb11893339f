package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitWords(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string // nil = refused
	}{
		{`port 7000`, []string{"port", "7000"}},
		{"  port\t 7000 \r\n", []string{"port", "7000"}},
		{`save ""`, []string{"save", ""}},
		{`save ''`, []string{"save", ""}},
		{`requirepass "a b"`, []string{"requirepass", "a b"}},
		{`requirepass 'a b'`, []string{"requirepass", "a b"}},
		{`requirepass "\"\\\n\r\t\a\b\x41\x4a\xFf\q"`, []string{"requirepass", "\"\\\n\r\t\a\bAJ\xffq"}},
		{`requirepass '\'\n"'`, []string{"requirepass", `'\n"`}},
		{`requirepass "\x4"`, []string{"requirepass", "x4"}},
		{`requirepass a"b c"`, []string{"requirepass", "ab c"}},
		{`requirepass a\b`, []string{"requirepass", `a\b`}},
		{`requirepass #secret`, []string{"requirepass", "#secret"}},
		{`"port" "7000"`, []string{"port", "7000"}},
		{``, nil},
		{`   `, nil},
		{`requirepass "abc`, nil},
		{`requirepass 'abc`, nil},
		{`requirepass "abc\"`, nil},
		{`requirepass "abc\`, nil},
		{`port "7000"x`, nil},
		{`port "7000""1"`, nil},
		{`requirepass it's`, nil},
	} {
		got, ok := splitWords(c.line)
		if ok != (c.want != nil) {
			t.Errorf("splitWords(%q) accepts: %v", c.line, ok)
			continue
		}
		if diff := cmp.Diff(c.want, got); ok && diff != "" {
			t.Errorf("splitWords(%q):\n%s", c.line, diff)
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, s := range []string{"port 7000\n# c\n\nbind * -::1\r\n", `requirepass "\x41" 'b'`, "a \"", "maxmemory 75%\nzset-skiplist-p 1/e",
		"client-output-buffer-limit normal 0 0 0\n", "save \"\"\nfoo bar\ninclude x", "maxmemory 9999999999gb\nport 99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		settings, problems := parseFile("fuzz.conf", content)
		lines := strings.Count(content, "\n") + 1
		if len(settings)+len(problems) > lines {
			t.Fatalf("%d settings and %d problems from %d lines", len(settings), len(problems), lines)
		}
		words := 0
		for _, s := range settings {
			for _, v := range append(s.values, s.name) {
				words += len(v)
			}
		}
		if words > len(content) {
			t.Fatalf("%d bytes of words from %d bytes", words, len(content))
		}
		v, problems := build(settings, container)
		if err := joinProblems(problems); err != nil && len(err.Error()) > 25*1024+4*len(content) {
			t.Fatalf("an error of %d bytes", len(err.Error()))
		}
		if len(problems) > 0 {
			return
		}
		// Whatever was accepted prints as something that is accepted again.
		for i := range table {
			d := &table[i]
			again := *v
			if err := d.apply(&again, []string{d.get(v)}, container); err != nil || d.get(&again) != d.get(v) {
				t.Fatalf("%s prints %q, which reads as %q: %v", d.name, d.get(v), d.get(&again), err)
			}
		}
	})
}
