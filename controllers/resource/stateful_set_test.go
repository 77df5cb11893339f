package resource

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
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

// What replaces pods, and what does not.
func TestTemplateChangesOnlyWith(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Cluster)
		rolls  bool
	}{
		{"replicas", func(c *Cluster) { c.Spec.Replicas = ptr.To[int32](5) }, false},
		{"sync replicas", func(c *Cluster) { c.Spec.Durability.MinSyncReplicas = 1 }, false},
		{"persistence", func(c *Cluster) {
			c.Spec.Durability.Persistence = &v1alpha1.PersistenceSpec{Mode: v1alpha1.PersistenceNone}
		}, false},
		{"preferred primary", func(c *Cluster) { c.Spec.Failover.PreferredPrimary = "board-s0-1" }, false},
		{"storage size and retention", func(c *Cluster) {
			c.Spec.Storage.Size = kresource.MustParse("2Gi")
			c.Spec.Storage.Retention.WhenDeleted = v1alpha1.RetentionRetain
		}, false},
		{"labels of the resource", func(c *Cluster) { c.Labels = map[string]string{"a": "b"} }, false},
		{"family of addresses", func(c *Cluster) { c.AddressType = "IPv6" }, false},
		{"image", func(c *Cluster) { c.Spec.Image = "other" }, true},
		{"image of the operator", func(c *Cluster) { c.NodeImage = "other" }, true},
		{"resources", func(c *Cluster) { c.Spec.Resources.Limits["memory"] = kresource.MustParse("1Gi") }, true},
		{"timing", func(c *Cluster) { c.Spec.Failover.LeaseDurationSeconds = 9 }, true},
		{"pod template", func(c *Cluster) { c.Spec.PodTemplate.Spec.PriorityClassName = "high" }, true},
	} {
		made := func(change func(*Cluster)) any {
			c := board()
			c.Spec.Storage = &v1alpha1.StorageSpec{Size: kresource.MustParse("1Gi")}
			c.Spec.PodTemplate = &v1alpha1.PodTemplateSpec{}
			change(&c)
			return set(t, c, 0).Spec.Template
		}
		if rolls := !reflect.DeepEqual(made(func(*Cluster) {}), made(test.change)); rolls != test.rolls {
			t.Errorf("%s: pods are replaced: %v, want %v", test.name, rolls, test.rolls)
		}
	}
}

// Pods are replaced when a new operator renders another template, on every cluster there is. When this fails, an upgrade of
// the operator does that: make sure that it is worth it, say so in CHANGELOG.md, and take the new sums.
func TestTemplateIsPinned(t *testing.T) {
	for name, test := range map[string]struct {
		cluster Cluster
		sum     string
	}{
		"plain":      {board(), "a589b03d0605085e"},
		"overridden": {overridden(t, everyOverride), "2f3a0468eca716eb"},
	} {
		text, err := json.Marshal(set(t, test.cluster, 0).Spec.Template)
		if err != nil {
			t.Fatal(err)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(text))[:16]; sum != test.sum {
			t.Errorf("%s: the template's sum is %s, want %s", name, sum, test.sum)
		}
	}
}

// A node must be able to hand over, and then to write down what it has, before the kubelet ends it.
func TestGraceCoversAHandOver(t *testing.T) {
	grace := *set(t, board(), 0).Spec.Template.Spec.TerminationGracePeriodSeconds
	if grace < tuning.ShutdownTimeoutSeconds+10 {
		t.Errorf("%d seconds for a hand-over of up to %d", grace, tuning.ShutdownTimeoutSeconds)
	}
}

// Shards of one cluster must not share pods.
func TestShardsAreApart(t *testing.T) {
	a, b := set(t, board(), 0), set(t, board(), 1)
	if *a.Name == *b.Name || reflect.DeepEqual(a.Spec.Selector, b.Spec.Selector) {
		t.Errorf("shards 0 and 1 are both %s with selector %v", *a.Name, a.Spec.Selector.MatchLabels)
	}
}
