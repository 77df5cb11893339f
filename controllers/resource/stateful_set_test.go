package resource

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kresource "k8s.io/apimachinery/pkg/api/resource"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/utils/ptr"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/tuning"
)

func TestStatefulSet(t *testing.T) { golden(t, "stateful_set", set(t, board(), 0)) }

func set(t *testing.T, c Cluster, shard int32) *appsac.StatefulSetApplyConfiguration {
	t.Helper()
	s, err := StatefulSet(c, shard)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStatefulSetWithStorage(t *testing.T) {
	c := board()
	c.Spec.Image, c.Spec.ImagePullPolicy = "example.org/node:v2", corev1.PullAlways
	c.Spec.Resources = corev1.ResourceRequirements{}
	c.Spec.Storage = &v1alpha1.StorageSpec{Size: kresource.MustParse("10Gi"), StorageClassName: ptr.To("fast"),
		Retention: v1alpha1.StorageRetention{WhenDeleted: v1alpha1.RetentionRetain}}
	golden(t, "stateful_set_storage", set(t, c, 0))
}

// A change of the tuning must not change the StatefulSet, or it would replace pods.
func TestStatefulSetKnowsNothingOfTuning(t *testing.T) {
	before := set(t, board(), 0)
	c := board()
	c.Tuning = tuning.List{{Name: "zset-skiplist-p", Value: "0.5"}}
	c.Spec.Engine.SkipList.P, c.Spec.Engine.MaxMemory = "0.5", "50%"
	if !reflect.DeepEqual(before, set(t, c, 0)) {
		t.Error("the StatefulSet follows the tuning")
	}
}

// Shards of one cluster must not share pods.
func TestShardsAreApart(t *testing.T) {
	a, b := set(t, board(), 0), set(t, board(), 1)
	if *a.Name == *b.Name || reflect.DeepEqual(a.Spec.Selector, b.Spec.Selector) {
		t.Errorf("shards 0 and 1 are both %s with selector %v", *a.Name, a.Spec.Selector.MatchLabels)
	}
}
