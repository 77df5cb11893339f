package tuning

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"zset.dev/operator/api/v1alpha1"
)

// defaulted returns the spec the API server makes of `spec: {}`, but without resources.
func defaulted(change func(*v1alpha1.ZSetClusterSpec)) *v1alpha1.ZSetClusterSpec {
	entries, bytes := int32(128), int32(64)
	spec := &v1alpha1.ZSetClusterSpec{Engine: v1alpha1.EngineSpec{
		SkipList:       v1alpha1.SkipListSpec{P: "1/e", MaxLevel: 32, BlockEntries: 64},
		Listpack:       v1alpha1.ListpackSpec{MaxEntries: &entries, MaxValueBytes: &bytes},
		EvictionPolicy: "noeviction",
	}}
	change(spec)
	return spec
}

func limitMemory(spec *v1alpha1.ZSetClusterSpec, amount string) {
	spec.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(amount)}
}

func TestFromSpec(t *testing.T) {
	got, err := FromSpec(defaulted(func(*v1alpha1.ZSetClusterSpec) {}))
	if err != nil {
		t.Fatal(err)
	}
	want := List{
		{"zset-skiplist-p", "1/e"},
		{"zset-skiplist-max-level", "32"},
		{"zset-skiplist-block-entries", "64"},
		{"zset-max-listpack-entries", "128"},
		{"zset-max-listpack-value", "64"},
		{"maxmemory", "0"},
		{"maxmemory-policy", "noeviction"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFromSpecOneField(t *testing.T) {
	for _, test := range []struct {
		name      string
		change    func(*v1alpha1.ZSetClusterSpec)
		directive string
		want      string
		err       string
	}{
		{"p as given", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.SkipList.P = "0.25" }, SkipListP, "0.25", ""},
		{"p in its shortest form", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.SkipList.P = "0.2500" }, SkipListP, "0.25", ""},
		{"smallest p", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.SkipList.P = "0.000000001" }, SkipListP, "1e-09", ""},
		{"largest p", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.SkipList.P = "0.75" }, SkipListP, "0.75", ""},
		{"p too large", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.SkipList.P = "0.7501" }, SkipListP, "", `p must be "1/e" or a decimal`},
		{"p zero", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.SkipList.P = "0.0" }, SkipListP, "", "0 < p <= 0.75"},
		{"p not a number", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.SkipList.P = "NaN" }, SkipListP, "", "0 < p <= 0.75"},
		{"p missing", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.SkipList.P = "" }, SkipListP, "", "spec.engine.skipList.p"},
		{"thresholds missing", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.Listpack.MaxEntries = nil }, ListpackEntries, "", "spec.engine.listpack"},
		{"no packed sets", func(s *v1alpha1.ZSetClusterSpec) { *s.Engine.Listpack.MaxEntries = 0 }, ListpackEntries, "0", ""},
		{"memory by default 75% of the limit", func(s *v1alpha1.ZSetClusterSpec) { limitMemory(s, "1Gi") }, MaxMemory, "805306368", ""},
		{"memory share", func(s *v1alpha1.ZSetClusterSpec) { limitMemory(s, "1Gi"); s.Engine.MaxMemory = "50%" }, MaxMemory, "536870912", ""},
		{"memory share of a huge limit", func(s *v1alpha1.ZSetClusterSpec) { limitMemory(s, "7E"); s.Engine.MaxMemory = "100%" }, MaxMemory, "7000000000000000000", ""},
		{"memory share rounds down", func(s *v1alpha1.ZSetClusterSpec) { limitMemory(s, "199"); s.Engine.MaxMemory = "99%" }, MaxMemory, "197", ""},
		{"memory amount", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.MaxMemory = "2Gi" }, MaxMemory, "2147483648", ""},
		{"memory share without a limit", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.MaxMemory = "75%" }, MaxMemory, "", "needs resources.limits.memory"},
		{"memory share too large", func(s *v1alpha1.ZSetClusterSpec) { limitMemory(s, "1Gi"); s.Engine.MaxMemory = "101%" }, MaxMemory, "", `from "1%" to "100%"`},
		{"memory nonsense", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.MaxMemory = "much" }, MaxMemory, "", "an amount such as"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := FromSpec(defaulted(test.change))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v does not say %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range got {
				if d.Name == test.directive && d.Value != test.want {
					t.Errorf("%s is %q, want %q", d.Name, d.Value, test.want)
				}
			}
		})
	}
}
