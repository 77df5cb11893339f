//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/api/v1alpha1"
)

const (
	operatorNamespace  = "zset-system"
	operatorDeployment = "zset-operator"
)

var operatorPods = client.MatchingLabels{"app.kubernetes.io/name": "zset-operator"}

// An operator that restarts finds an unchanged cluster and writes nothing: no object has a new resourceVersion and no
// pod restarts.
func TestOperatorRestartChangesNothing(t *testing.T) {
	ns := namespace(t)
	applyReady(t, ns, manifest("{replicas: 0, storage: {size: 64Mi}}"))
	pod := mustNodePod(t, ns)
	waitSettled(t, ns)
	before := versions(t, ns)

	mustKubectl(t, "", "rollout", "restart", "-n", operatorNamespace, "deployment/"+operatorDeployment)
	mustKubectl(t, "", "rollout", "status", "-n", operatorNamespace, "deployment/"+operatorDeployment, "--timeout=55s")
	waitLeader(t, "")
	// Proof that the new operator has looked at everything: it applies a later change to another cluster.
	probe := namespace(t)
	applyReady(t, probe, manifest("{}"))

	if after := versions(t, ns); !reflect.DeepEqual(before, after) {
		for name, version := range after {
			if before[name] != version {
				t.Errorf("%s went from resourceVersion %q to %q", name, before[name], version)
			}
		}
		for name := range before {
			if _, ok := after[name]; !ok {
				t.Errorf("%s is gone", name)
			}
		}
	}
	assertSameProcess(t, pod, mustNodePod(t, ns))
}

// Two operators run; when the leader's pod dies the other takes over and does the work.
func TestSecondOperatorTakesOver(t *testing.T) {
	ns := namespace(t)
	applyReady(t, ns, manifest("{}"))
	leader := waitLeader(t, "")

	start := time.Now()
	mustKubectl(t, "", "delete", "pod", "-n", operatorNamespace, leader, "--wait=false")
	mustKubectl(t, "", "patch", "zsetcluster", "-n", ns, "board", "--type=merge", "-p", `{"spec":{"engine":{"listpack":{"maxEntries":64}}}}`)
	waitCondition(t, ns, "ConfigApplied", 60*time.Second)
	measured.add("operator leader deleted -> patch applied", time.Since(start))
	waitLeader(t, leader)
	mustKubectl(t, "", "rollout", "status", "-n", operatorNamespace, "deployment/"+operatorDeployment, "--timeout=55s")
}

// withoutOperator scales the operator to nothing while f runs.
func withoutOperator(t *testing.T, f func()) {
	t.Helper()
	var deployment appsv1.Deployment
	if err := kube.Get(t.Context(), client.ObjectKey{Namespace: operatorNamespace, Name: operatorDeployment}, &deployment); err != nil {
		t.Fatal(err)
	}
	scale := func(ctx context.Context, replicas int32) {
		if out, err := kubectl(ctx, "", "scale", "-n", operatorNamespace, "deployment/"+operatorDeployment, fmt.Sprintf("--replicas=%d", replicas)); err != nil {
			t.Errorf("scaling the operator to %d: %v: %s", replicas, err, out)
		}
	}
	scale(t.Context(), 0)
	defer func() {
		// Not t.Context(): the operator must come back also when the test has failed.
		scale(context.Background(), *deployment.Spec.Replicas)
		if out, err := kubectl(context.Background(), "", "rollout", "status", "-n", operatorNamespace, "deployment/"+operatorDeployment, "--timeout=55s"); err != nil {
			t.Errorf("the operator did not come back: %v: %s", err, out)
		}
	}()
	eventually(t, 60*time.Second, "no operator runs", func(ctx context.Context) (bool, string) {
		var pods corev1.PodList
		if err := kube.List(ctx, &pods, client.InNamespace(operatorNamespace), operatorPods); err != nil {
			return false, err.Error()
		}
		return len(pods.Items) == 0, fmt.Sprintf("%d pods", len(pods.Items))
	})
	f()
}

// waitLeader waits until a live operator pod other than not holds the leader's Lease, and returns its name.
func waitLeader(t *testing.T, not string) string {
	t.Helper()
	var leader string
	eventually(t, 60*time.Second, "an operator leads", func(ctx context.Context) (bool, string) {
		var pods corev1.PodList
		var leases coordinationv1.LeaseList
		if err := kube.List(ctx, &pods, client.InNamespace(operatorNamespace), operatorPods); err != nil {
			return false, err.Error()
		}
		if err := kube.List(ctx, &leases, client.InNamespace(operatorNamespace)); err != nil {
			return false, err.Error()
		}
		for _, lease := range leases.Items {
			for _, pod := range pods.Items {
				holder := lease.Spec.HolderIdentity
				if holder != nil && len(*holder) > len(pod.Name) && (*holder)[:len(pod.Name)] == pod.Name && pod.Name != not && pod.DeletionTimestamp == nil {
					leader = pod.Name
					return true, ""
				}
			}
		}
		return false, fmt.Sprintf("%d leases, none held by a live pod", len(leases.Items))
	})
	return leader
}

// versions maps every object that a ZSetCluster leads to onto its resourceVersion.
func versions(t *testing.T, ns string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, list := range []client.ObjectList{
		&v1alpha1.ZSetClusterList{}, &appsv1.StatefulSetList{}, &corev1.PodList{}, &corev1.ServiceList{}, &corev1.ConfigMapList{},
		&corev1.ServiceAccountList{}, &corev1.PersistentVolumeClaimList{}, &discoveryv1.EndpointSliceList{}, &policyv1.PodDisruptionBudgetList{},
	} {
		if err := kube.List(t.Context(), list, client.InNamespace(ns)); err != nil {
			t.Fatal(err)
		}
		err := meta.EachListItem(list, func(o runtime.Object) error {
			object := o.(client.Object)
			found[fmt.Sprintf("%T %s", object, object.GetName())] = object.GetResourceVersion()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// waitSettled waits until nothing in the namespace has changed between two looks two seconds apart.
func waitSettled(t *testing.T, ns string) {
	t.Helper()
	last, since := versions(t, ns), time.Now()
	eventually(t, 30*time.Second, "the namespace settles", func(context.Context) (bool, string) {
		now := versions(t, ns)
		if !reflect.DeepEqual(now, last) {
			last, since = now, time.Now()
		}
		return time.Since(since) > 2*time.Second, "objects still change"
	})
}
