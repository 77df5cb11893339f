//go:build integration

package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"zset.dev/operator/api/v1alpha1"
)

// disrupt plays the disruption controller, which Kubernetes documents so: of the pods a StatefulSet asks for, all but
// maxUnavailable have to be ready, and what is ready beyond that may be evicted.
func disrupt(t *testing.T, key types.NamespacedName, pods, ready int32) {
	t.Helper()
	eventually(t, func() error {
		budget := &policyv1.PodDisruptionBudget{}
		if err := kube.Get(t.Context(), key, budget); err != nil {
			return err
		}
		healthy := max(pods-budget.Spec.MaxUnavailable.IntVal, 0)
		budget.Status = policyv1.PodDisruptionBudgetStatus{
			ObservedGeneration: budget.Generation, ExpectedPods: pods, CurrentHealthy: ready, DesiredHealthy: healthy,
			DisruptionsAllowed: max(ready-healthy, 0),
		}
		return kube.Status().Update(t.Context(), budget)
	})
}

// A budget that the disruption controller fills in from ready pods: while a replica syncs, the primary stays.
func TestEvictionSparesThePrimaryWhileAReplicaSyncs(t *testing.T) {
	for _, test := range []struct {
		name            string
		pods, ready     int32
		primary, others bool // whether these may be evicted
	}{
		{"both in sync", 2, 2, true, true},
		{"the replica syncs", 2, 1, false, true},
		{"one of two replicas syncs", 3, 2, false, true},
		{"nobody is in sync but the primary", 3, 1, false, false},
		{"a single pod", 1, 1, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			namespace := newNamespace(t)
			s := newFakeShard(t, namespace, "board", int(test.pods))
			o := startOperator(t, namespace, func() string { return "127.0.0.1:1" })
			createCluster(t, namespace, "board", func(spec *v1alpha1.ZSetClusterSpec) { spec.Replicas = ptr.To(test.pods - 1) })
			if n := s.settle("one"); n != int(test.pods) {
				t.Fatalf("%d pods are wanted", n)
			}
			o.stop()
			for i := range test.pods {
				s.create(int(i), "one")
				s.setPod(int(i), running(i < test.ready))
			}
			disrupt(t, s.key("board-s0"), test.pods, test.ready)
			evicted := func(i int) bool {
				err := kube.SubResource("eviction").Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: s.podName(i)}}, &policyv1.Eviction{})
				if err != nil && !apierrors.IsTooManyRequests(err) {
					t.Fatal(err)
				}
				return err == nil
			}
			if got := evicted(0); got != test.primary {
				t.Errorf("the primary is evicted: %v, want %v", got, test.primary)
			}
			if test.pods > 1 && !test.primary {
				if got := evicted(int(test.pods) - 1); got != test.others {
					t.Errorf("the replica that syncs is evicted: %v, want %v", got, test.others)
				}
			}
		})
	}
}
