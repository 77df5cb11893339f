package tuning

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

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

func withStorage(p *v1alpha1.PersistenceSpec) func(*v1alpha1.ZSetClusterSpec) {
	return func(s *v1alpha1.ZSetClusterSpec) {
		s.Storage, s.Durability.Persistence = &v1alpha1.StorageSpec{Size: resource.MustParse("1Gi")}, p
	}
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
		{"maxmemory-policy", "noeviction"},
		{"maxmemory", "0"},
		{"maxmemory-clients", "0"},
		{"client-output-buffer-limit", "normal 268435456 0 0 slave 268435456 0 0 pubsub 33554432 8388608 60"},
		{"min-sync-replicas", "0"},
		{"appendonly", "no"},
		{"appendfsync", "everysec"},
		{"shard-size", "2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Managed, got.Names()); diff != "" {
		t.Error("nodes are asked for other directives than they are given:", diff)
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
		{"memory", func(s *v1alpha1.ZSetClusterSpec) { limitMemory(s, "8Gi"); s.Engine.MaxMemory = "50%" }, MaxMemory, "4294967296", ""},
		{"memory of clients", func(s *v1alpha1.ZSetClusterSpec) { limitMemory(s, "1Gi") }, MaxMemoryClients, "67108864", ""},
		{"memory of replicas that are behind", func(s *v1alpha1.ZSetClusterSpec) { limitMemory(s, "1Gi") }, OutputBufferLimit, "normal 268435456 0 0 slave 134217728 0 0 pubsub 33554432 8388608 60", ""},
		{"memory nonsense", func(s *v1alpha1.ZSetClusterSpec) { s.Engine.MaxMemory = "much" }, MaxMemory, "", "spec.engine.maxMemory must be"},
		{"sync replicas", func(s *v1alpha1.ZSetClusterSpec) { s.Durability.MinSyncReplicas = 1 }, MinSyncReplicas, "1", ""},
		{"size of the shard", func(s *v1alpha1.ZSetClusterSpec) { s.Replicas = ptr.To[int32](0) }, ShardSize, "1", ""},
		{"files with storage", withStorage(nil), AppendOnlyFiles, "yes", ""},
		{"no files with storage", withStorage(&v1alpha1.PersistenceSpec{Mode: v1alpha1.PersistenceNone}), AppendOnlyFiles, "no", ""},
		{"fsync by default", withStorage(&v1alpha1.PersistenceSpec{Mode: v1alpha1.PersistenceAppendOnly}), AppendFsync, "everysec", ""},
		{"fsync always", withStorage(&v1alpha1.PersistenceSpec{Fsync: v1alpha1.FsyncAlways}), AppendFsync, "always", ""},
		{"fsync never", withStorage(&v1alpha1.PersistenceSpec{Fsync: v1alpha1.FsyncNever}), AppendFsync, "no", ""},
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
