package main

import (
	"bytes"
	"errors"
	"flag"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestOptions(t *testing.T) {
	t.Setenv("NODE_IMAGE", "zset.dev/node:env")
	o, err := parse(nil, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if !o.leaderElect || o.nodeImage != "zset.dev/node:env" || o.clusterDomain != "cluster.local" || len(o.watchNamespaces) != 0 || o.logLevel != slog.LevelInfo {
		t.Errorf("defaults: %+v", o)
	}
	o, err = parse([]string{"--leader-elect=false", "--node-image=a", "--watch-namespaces= one, two,", "--log-level=debug", "--observe-interval=2s"}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if o.leaderElect || o.nodeImage != "a" || !slices.Equal(o.watchNamespaces, []string{"one", "two"}) || o.logLevel != slog.LevelDebug || o.observeInterval != 2*time.Second {
		t.Errorf("given: %+v", o)
	}
}

func TestWrongOptions(t *testing.T) {
	t.Setenv("NODE_IMAGE", "")
	for _, test := range []struct{ args, want string }{
		{"", "--node-image (or the environment variable NODE_IMAGE) must be set"},
		{"--node-image=a extra", `unexpected argument "extra"`},
		{"--node-image=a --max-concurrent-reconciles=0", "at least 1"},
		{"--node-image=a --observe-interval=10ms", "at least 1s"},
		{"--node-image=a --log-format=xml", `text or json; got "xml"`},
		{"--node-image=a --log-level=loud", "invalid value"},
		{"--node-image=a --leader-election-renew-deadline=15s", "lease duration > renew deadline"},
		{"--no-such-flag", "flag provided but not defined"},
	} {
		_, err := parse(strings.Fields(test.args), &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.args, err, test.want)
		}
	}
	if _, err := parse([]string{"--version"}, &bytes.Buffer{}); err != nil {
		t.Errorf("--version alone: %v", err)
	}
}

func TestHelpNamesEveryFlag(t *testing.T) {
	var help bytes.Buffer
	if _, err := parse([]string{"--help"}, &help); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	for _, name := range []string{"node-image", "cluster-domain", "watch-namespaces", "max-concurrent-reconciles", "observe-interval",
		"metrics-bind-address", "health-probe-bind-address", "leader-elect", "leader-election-namespace", "leader-election-lease-duration",
		"leader-election-renew-deadline", "leader-election-retry-period", "log-level", "log-format", "kubeconfig", "version"} {
		if !strings.Contains(help.String(), "-"+name) {
			t.Errorf("--help lacks --%s", name)
		}
	}
}

func TestAddressType(t *testing.T) {
	for host, want := range map[string]string{"": "IPv4", "10.96.0.1": "IPv4", "fd00::1": "IPv6", "::ffff:10.0.0.1": "IPv4", "kubernetes": "IPv4"} {
		if got := addressType(host); string(got) != want {
			t.Errorf("%q is %s, want %s", host, got, want)
		}
	}
}
