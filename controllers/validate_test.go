package controllers

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/tuning"
)

// A spec that the CRD of this version would refuse, stored under another version's, is not acted upon.
func TestValidate(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*v1alpha1.ZSetClusterSpec)
		want   string // "": valid
	}{
		{"valid", func(*v1alpha1.ZSetClusterSpec) {}, ""},
		{"mode", func(s *v1alpha1.ZSetClusterSpec) { s.Mode = v1alpha1.Cluster }, "mode Replicated"},
		{"shards", func(s *v1alpha1.ZSetClusterSpec) { s.Shards = 2 }, "one shard"},
		{"replicas", func(s *v1alpha1.ZSetClusterSpec) { s.Replicas = ptr.To[int32](10) }, "0 to 9 replicas"},
		{"replicas missing", func(s *v1alpha1.ZSetClusterSpec) { s.Replicas = nil }, "0 to 9 replicas"},
		{"eviction", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.EvictionPolicy = "allkeys-lru" }, ""},
		{"tuning", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.SkipList.P = "0.9" }, "0 < p <= 0.75"},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec := &v1alpha1.ZSetClusterSpec{
				Mode: v1alpha1.Replicated, Shards: 1, Replicas: ptr.To[int32](0),
				Engine: v1alpha1.EngineSpec{
					SkipList:       v1alpha1.SkipListSpec{P: "1/e", MaxLevel: 32, BlockEntries: 64},
					Listpack:       v1alpha1.ListpackSpec{MaxEntries: ptr.To[int32](128), MaxValueBytes: ptr.To[int32](64)},
					EvictionPolicy: "noeviction",
				},
			}
			test.change(spec)
			_, problem := validate(spec)
			switch {
			case test.want == "" && problem != nil:
				t.Error(problem.message)
			case test.want != "" && (problem == nil || problem.reason != reasonUnsupported || !strings.Contains(problem.message, test.want)):
				t.Errorf("%+v does not say %q", problem, test.want)
			}
		})
	}
}

// The operator asks nodes for exactly what it sets.
func TestManagedDirectives(t *testing.T) {
	want, problem := validate(&v1alpha1.ZSetClusterSpec{
		Mode: v1alpha1.Replicated, Shards: 1, Replicas: ptr.To[int32](0),
		Engine: v1alpha1.EngineSpec{
			SkipList:       v1alpha1.SkipListSpec{P: "1/e", MaxLevel: 32, BlockEntries: 64},
			Listpack:       v1alpha1.ListpackSpec{MaxEntries: ptr.To[int32](128), MaxValueBytes: ptr.To[int32](64)},
			EvictionPolicy: "noeviction",
		},
	})
	if problem != nil {
		t.Fatal(problem.message)
	}
	if got, want := strings.Join(tuning.Managed, " "), strings.Join(want.Names(), " "); got != want {
		t.Errorf("asks for %s, sets %s", got, want)
	}
}
