//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A ZSetCluster with nothing in its spec becomes a server that a client inside the cluster writes to and reads from
// through the Service.
func TestEmptySpecServesThroughTheService(t *testing.T) {
	ns := namespace(t)
	applyReady(t, ns, manifest("{}"))
	c := startRESPClient(t, ns)

	c.expect(t, "PONG", "PING")
	c.expect(t, "(integer) 3", "ZADD", "scores", "3.3", "carol", "1", "alice", "2", "bob")
	c.expect(t, "1) alice\n2) 1\n3) bob\n4) 2\n5) carol\n6) 3.3", "ZRANGE", "scores", "0", "-1", "WITHSCORES")
	c.expect(t, "(integer) 0", "ZREVRANK", "scores", "carol")
	c.expect(t, "listpack", "OBJECT", "ENCODING", "scores")

	row := mustKubectl(t, "", "get", "zsetclusters", "-n", ns)
	for _, want := range []string{"NAME", "MODE", "SHARDS", "READY", "PRIMARY", "AGE", "board", "Replicated", get(t, ns).Status.Primary} {
		if !strings.Contains(row, want) {
			t.Errorf("kubectl get zsetclusters does not show %q:\n%s", want, row)
		}
	}
}

// A deleted pod comes back under its name, and the cluster is Ready again.
func TestDeletedPodComesBack(t *testing.T) {
	ns := namespace(t)
	applyReady(t, ns, manifest("{replicas: 0}"))
	before := mustNodePod(t, ns)

	start := time.Now()
	mustKubectl(t, "", "delete", "pod", "-n", ns, before.Name)
	eventually(t, 60*time.Second, "a new pod", func(ctx context.Context) (bool, string) {
		pod, err := nodePod(ctx, ns)
		if err != nil {
			return false, err.Error()
		}
		return pod.UID != before.UID && podReady(pod), fmt.Sprintf("uid %s (was %s), phase %s", pod.UID, before.UID, pod.Status.Phase)
	})
	waitCondition(t, ns, "Ready", 30*time.Second)
	measured.add("pod deleted -> Ready", time.Since(start))
	if after := mustNodePod(t, ns); after.Name != before.Name {
		t.Errorf("the new pod is %s, want %s", after.Name, before.Name)
	}
	startRESPClient(t, ns).expect(t, "(integer) 1", "ZADD", "k", "1", "m")
}

// Deleting the resource removes everything it owned; its volume goes or stays as the retention policy says.
func TestDeleteLeavesNothing(t *testing.T) {
	for policy, volumesLeft := range map[string]int{"Delete": 0, "Retain": 1} {
		t.Run(policy, func(t *testing.T) {
			ns := namespace(t)
			applyReady(t, ns, manifest(fmt.Sprintf("{replicas: 0, storage: {size: 64Mi, retention: {whenDeleted: %s}}}", policy)))
			if n := count(t, ns, &corev1.PersistentVolumeClaimList{}); n != 1 {
				t.Fatalf("%d volume claims while the cluster lives, want 1", n)
			}

			start := time.Now()
			mustKubectl(t, "", "delete", "zsetcluster", "-n", ns, "board")
			eventually(t, 90*time.Second, "everything owned is gone", func(ctx context.Context) (bool, string) {
				var left []string
				for _, list := range []client.ObjectList{
					&appsv1.StatefulSetList{}, &appsv1.ControllerRevisionList{}, &corev1.PodList{}, &corev1.ServiceList{},
					&discoveryv1.EndpointSliceList{}, &policyv1.PodDisruptionBudgetList{}, &coordinationv1.LeaseList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{},
				} {
					if n := count(t, ns, list); n > 0 {
						left = append(left, fmt.Sprintf("%d in %T", n, list))
					}
				}
				// Kubernetes puts one of each of these into every namespace.
				for _, list := range []client.ObjectList{&corev1.ConfigMapList{}, &corev1.ServiceAccountList{}} {
					if n := count(t, ns, list); n > 1 {
						left = append(left, fmt.Sprintf("%d in %T", n, list))
					}
				}
				if n := count(t, ns, &corev1.PersistentVolumeClaimList{}); n != volumesLeft {
					left = append(left, fmt.Sprintf("%d volume claims, want %d", n, volumesLeft))
				}
				return len(left) == 0, strings.Join(left, ", ")
			})
			measured.add("resource deleted -> nothing left", time.Since(start))
		})
	}
}

func count(t *testing.T, ns string, list client.ObjectList) int {
	t.Helper()
	if err := kube.List(t.Context(), list, client.InNamespace(ns)); err != nil {
		t.Fatal(err)
	}
	return meta.LenList(list)
}

func podReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
