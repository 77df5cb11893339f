package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUserLines(t *testing.T) {
	c := newConfig(t, "--user", "a", "on", ">p", "--user", "default on nopass ~* +@all")
	want := [][]string{{"a", "on", ">p"}, {"default", "on", "nopass", "~*", "+@all"}}
	if diff := cmp.Diff(want, c.Values().Users); diff != "" {
		t.Error(diff)
	}
	if got := c.Get("user", "us?r"); len(got) != 0 {
		t.Errorf("CONFIG GET answers users: %v", got)
	}
	if err := c.Set("user", "b on"); err == nil {
		t.Error("CONFIG SET makes users")
	}
}

func TestPercentiles(t *testing.T) {
	c := newConfig(t)
	for text, want := range map[string]string{"": "", "50": "50", "0 99.99 100.0": "0 99.99 100"} {
		if err := c.Set("latency-tracking-info-percentiles", text); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := c.Get("latency-tracking-info-percentiles")[0].Value; got != want {
			t.Errorf("%q reads back as %q", text, got)
		}
	}
	for _, text := range []string{"x", "-1", "101", "nan", "50 x"} {
		if err := c.Set("latency-tracking-info-percentiles", text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
