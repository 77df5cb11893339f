package tuning

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	want := List{{SkipListP, "0.25"}, {ListpackEntries, "128"}, {MaxMemoryPolicy, "noeviction"}}
	for _, test := range []struct {
		name string
		have map[string]string
		want List
	}{
		{"equal", map[string]string{SkipListP: "0.25", ListpackEntries: "128", MaxMemoryPolicy: "noeviction"}, nil},
		{"equal by meaning", map[string]string{SkipListP: "0.250", ListpackEntries: "0128", MaxMemoryPolicy: "noeviction"}, nil},
		{"more than wanted", map[string]string{SkipListP: "0.25", ListpackEntries: "128", MaxMemoryPolicy: "noeviction", "port": "1"}, nil},
		{"1/e is no decimal", map[string]string{SkipListP: "1/e", ListpackEntries: "128", MaxMemoryPolicy: "noeviction"}, List{{SkipListP, "0.25"}}},
		{"two differ, in order", map[string]string{SkipListP: "0.5", ListpackEntries: "127", MaxMemoryPolicy: "noeviction"}, List{{SkipListP, "0.25"}, {ListpackEntries, "128"}}},
		{"text differs", map[string]string{SkipListP: "0.25", ListpackEntries: "128", MaxMemoryPolicy: "allkeys-lru"}, List{{MaxMemoryPolicy, "noeviction"}}},
		{"node does not know one", map[string]string{SkipListP: "0.25", MaxMemoryPolicy: "noeviction"}, List{{ListpackEntries, "128"}}},
		{"node answered nothing", nil, want},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Diff(want, test.have)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
