package glob

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "anything", true},
		{"a*", "abc", true},
		{"*c", "abc", true},
		{"a*c", "abcbc", true},
		{"a*d", "abcbc", false},
		{"a**c", "ac", true},
		{"h?llo", "hello", true},
		{"h?llo", "hllo", false},
		{"h[ae]llo", "hallo", true},
		{"h[ae]llo", "hillo", false},
		{"h[^e]llo", "hallo", true},
		{"h[^e]llo", "hello", false},
		{"h[a-c]llo", "hbllo", true},
		{"h[c-a]llo", "hbllo", true},
		{"h[a-c]llo", "hdllo", false},
		{`h\*llo`, "h*llo", true},
		{`h\*llo`, "hello", false},
		{`[\]]`, "]", true},
		{"[abc", "b", true},
		{"[", "a", false},
		{`a\`, `a\`, true},
		{"a", "ab", false},
		{"user:*:{1?}", "user:9:{12}", true},
	} {
		if got := Match([]byte(c.pattern), []byte(c.s)); got != c.want {
			t.Errorf("Match(%q, %q) = %v, want %v", c.pattern, c.s, got, c.want)
		}
	}
}

// A pattern of many stars must not take exponential time.
func TestMatchIsBounded(t *testing.T) {
	pattern := []byte(strings.Repeat("a*", 2000) + "b")
	s := []byte(strings.Repeat("a", 4000))
	if Match(pattern, s) {
		t.Fatal("matched a string without its last byte")
	}
}
