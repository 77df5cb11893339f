package config

import (
	"math"
	"strings"
	"testing"

	"zset.dev/operator/zset"
)

func TestTable(t *testing.T) {
	v := defaults()
	inGroup := make(map[group]bool)
	for _, g := range groups {
		inGroup[g] = true
	}
	for i := range table {
		d := &table[i]
		if d.name != strings.ToLower(d.name) || d.doc == "" || d.allowed == "" || !inGroup[d.group] || d.set == nil || d.get == nil {
			t.Errorf("%s is not described in full", d.name)
		}
		if strings.Contains(d.doc, "\n") || len(d.doc) > 110 {
			t.Errorf("the line of %s is too long", d.name)
		}
		text := d.get(v)
		if err := d.apply(v, []string{text}, machine{}); err != nil || d.get(v) != text {
			t.Errorf("the default of %s prints %q, which reads as %q: %v", d.name, text, d.get(v), err)
		}
		if why := whyUnknown(d.name); d.live && !strings.HasPrefix(why, "unknown") && !strings.HasPrefix(d.allowed, "only") {
			t.Errorf("%s is also listed as foreign: %s", d.name, why)
		}
	}
}

// TestHelpIsComplete finds every directive in --help, on one line with its
// default.
func TestHelpIsComplete(t *testing.T) {
	lines := strings.Split(Help(), "\n")
	for i := range table {
		d := &table[i]
		found := 0
		for _, line := range lines {
			if strings.HasPrefix(strings.TrimLeft(line, "* "), "--"+d.name+" ") {
				found++
				if !strings.Contains(line, d.doc) || !strings.HasSuffix(line, "(default "+d.shownDefault()+")") || strings.HasPrefix(line, "*") != d.live {
					t.Errorf("%s is shown as %q", d.name, line)
				}
			}
		}
		if found != 1 {
			t.Errorf("%s is on %d lines", d.name, found)
		}
	}
}

// TestAllowedMatchesEngine checks that the words about the engine's options
// still say what the engine allows.
func TestAllowedMatchesEngine(t *testing.T) {
	accepts := func(change func(o *zset.Options)) bool { return checkTuning(change) == nil }
	if !accepts(func(o *zset.Options) { o.P = 0.75 }) || accepts(func(o *zset.Options) { o.P = math.Nextafter(0.75, 1) }) ||
		!accepts(func(o *zset.Options) { o.P = math.SmallestNonzeroFloat64 }) || accepts(func(o *zset.Options) { o.P = 0 }) {
		t.Errorf("P is not as said: %s", skipListP.allowed)
	}
	if !accepts(func(o *zset.Options) { o.MaxLevel = 64 }) || accepts(func(o *zset.Options) { o.MaxLevel = 65 }) ||
		!accepts(func(o *zset.Options) { o.MaxLevel = 1 }) || accepts(func(o *zset.Options) { o.MaxLevel = 0 }) {
		t.Errorf("MaxLevel is not as said: %s", skipListMaxLevel.allowed)
	}
	if !accepts(func(o *zset.Options) { o.BlockEntries = 4 }) || accepts(func(o *zset.Options) { o.BlockEntries = 3 }) ||
		!accepts(func(o *zset.Options) { o.BlockEntries = 240 }) || accepts(func(o *zset.Options) { o.BlockEntries = 241 }) {
		t.Errorf("BlockEntries is not as said: %s", skipListBlockEntries.allowed)
	}
	if !accepts(func(o *zset.Options) { o.ListpackMaxEntries, o.ListpackMaxValueBytes = 0, 0 }) ||
		!accepts(func(o *zset.Options) { o.ListpackMaxEntries, o.ListpackMaxValueBytes = math.MaxInt, math.MaxInt }) {
		t.Error("the listpack thresholds are not as said")
	}
}

func TestParseSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64 // -1 = refused
	}{
		{"0", 0}, {"1", 1}, {"1b", 1}, {"1k", 1000}, {"1kb", 1024}, {"1K", 1000}, {"1Kb", 1024}, {"2m", 2000000}, {"2MB", 2 << 20},
		{"3g", 3000000000}, {"3gb", 3 << 30}, {"9223372036854775807", math.MaxInt64}, {"8589934591gb", 8589934591 << 30},
		{"9223372036854775808", -1}, {"8589934592gb", -1}, {"9223372036854775807k", -1},
		{"", -1}, {"k", -1}, {"-1", -1}, {"+1", -1}, {"1.5gb", -1}, {"1tb", -1}, {"1 kb", -1}, {" 1", -1}, {"1kbb", -1}, {"0x10", -1}, {"1_000", -1},
	} {
		got, ok := parseSize(c.text)
		if !ok {
			got = -1
		}
		if got != c.want {
			t.Errorf("parseSize(%q) = %d, want %d", c.text, got, c.want)
		}
	}
	for bytes, want := range map[int64]string{0: "0", 1: "1", 1000: "1000", 1024: "1kb", 1 << 20: "1mb", 3 << 30: "3gb", 1<<30 + 1: "1073741825", 1536: "1536", 1536 << 10: "1536kb"} {
		if got := sizeText(bytes); got != want {
			t.Errorf("sizeText(%d) = %s, want %s", bytes, got, want)
		}
	}
}

func TestParseBind(t *testing.T) {
	for text, want := range map[string]BindAddress{
		"127.0.0.1": {"tcp", "127.0.0.1", false}, "-::1": {"tcp", "::1", true}, "node-0.svc": {"tcp", "node-0.svc", false},
		"*": {"tcp4", "", false}, "0.0.0.0": {"tcp4", "", false}, "-::*": {"tcp6", "", true}, "-::": {"tcp6", "", true},
	} {
		if got := ParseBind(text); got != want {
			t.Errorf("ParseBind(%q) = %+v, want %+v", text, got, want)
		}
	}
}

func TestHTTPFollowsBind(t *testing.T) {
	c := newConfig(t, "--bind", "::1")
	if got := c.Values().HTTPAddresses(); len(got) != 1 || got[0] != "::1" {
		t.Errorf("HTTP listens on %q", got)
	}
	c = newConfig(t, "--bind", "::1", "--http-bind", "*")
	if got := c.Values().HTTPAddresses(); len(got) != 1 || got[0] != "*" {
		t.Errorf("HTTP listens on %q", got)
	}
}

func TestLogLevels(t *testing.T) {
	previous := LogLevel("debug").Level() - 1
	for _, name := range []LogLevel{"debug", "verbose", "notice", "warning", "nothing"} {
		if name.Level() <= previous {
			t.Errorf("%s is not above the level before it", name)
		}
		previous = name.Level()
	}
}
