//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// The API server refuses what this version cannot serve, with a message that says what is allowed.
func TestInvalidManifestsAreRefused(t *testing.T) {
	ns := namespace(t)
	for _, test := range []struct{ name, spec, message string }{
		{"p of zero", "{engine: {skipList: {p: '0'}}}", `p must be "1/e" or a decimal with 0 < p <= 0.75`},
		{"p too large", "{engine: {skipList: {p: '0.76'}}}", `p must be "1/e" or a decimal with 0 < p <= 0.75`},
		{"p of another form", "{engine: {skipList: {p: '1/3'}}}", `p must be "1/e" or a decimal with 0 < p <= 0.75`},
		{"p as a number", "{engine: {skipList: {p: 0.25}}}", "must be of type string"},
		{"no level", "{engine: {skipList: {maxLevel: 0}}}", "should be greater than or equal to 1"},
		{"too many levels", "{engine: {skipList: {maxLevel: 65}}}", "should be less than or equal to 64"},
		{"blocks too large", "{engine: {skipList: {blockEntries: 241}}}", "should be less than or equal to 240"},
		{"negative threshold", "{engine: {listpack: {maxEntries: -1}}}", "should be greater than or equal to 0"},
		{"sharding", "{mode: Cluster}", "Replicated"},
		{"two shards", "{shards: 2}", "shards"},
		{"too many replicas", "{replicas: 10}", "should be less than or equal to 9"},
		{"eviction", "{engine: {evictionPolicy: lru}}", "allkeys-lru"},
		{"memory share over the whole", "{engine: {maxMemory: '101%'}}", "maxMemory"},
		{"memory in words", "{engine: {maxMemory: plenty}}", "maxMemory"},
		{"unknown field", "{engine: {skiplist: {p: '0.25'}}}", `unknown field "spec.engine.skiplist"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := kubectl(t.Context(), manifest(test.spec), "apply", "-n", ns, "-f", "-")
			if err == nil {
				t.Fatalf("accepted: %s", out)
			}
			if !strings.Contains(out, test.message) {
				t.Errorf("the refusal does not say %q:\n%s", test.message, out)
			}
		})
	}
	if out := mustKubectl(t, "", "get", "zsetclusters", "-n", ns, "-o", "name"); out != "" {
		t.Errorf("a refused manifest left %s", out)
	}
}

// What may not change is refused on a cluster that exists, and the cluster stays as it was.
func TestInvalidUpdateIsRefused(t *testing.T) {
	ns := namespace(t)
	applyReady(t, ns, manifest("{}"))
	before := get(t, ns)
	out, err := kubectl(t.Context(), "", "patch", "zsetcluster", "-n", ns, "board", "--type=merge", "-p", `{"spec":{"shards":3}}`)
	if err == nil || !strings.Contains(out, "shards") {
		t.Errorf("patching shards to 3: err %v, %s", err, out)
	}
	if after := get(t, ns); after.Generation != before.Generation {
		t.Errorf("generation went from %d to %d by a refused patch", before.Generation, after.Generation)
	}
}
