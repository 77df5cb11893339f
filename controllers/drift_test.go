//go:build integration

package controllers

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/tuning"
)

// What people change by hand is put right, what the operator does not own is left alone.
func TestDriftIsUndone(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	o := startOperator(t, namespace, k.address)
	cluster := createCluster(t, namespace, "board", asIs)
	k.start("one")
	waitCondition(t, cluster, "ConfigApplied", "True", "Applied")

	service := &corev1.Service{}
	service.Namespace, service.Name = namespace, "board-nodes"
	merge := func(object client.Object, patch string) {
		t.Helper()
		if err := kube.Patch(t.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
			t.Fatal(err)
		}
	}

	t.Run("a changed field", func(t *testing.T) {
		merge(service, `{"spec":{"selector":{"cache.zset.dev/cluster":"other"}}}`)
		eventually(t, func() error {
			if err := k.get("board-nodes", service); err != nil {
				return err
			}
			if got := service.Spec.Selector["cache.zset.dev/cluster"]; got != "board" {
				return fmt.Errorf("selector leads to %q", got)
			}
			return nil
		})
	})
	t.Run("a removed label by which the cache finds the object", func(t *testing.T) {
		merge(service, `{"metadata":{"labels":{"app.kubernetes.io/managed-by":null}}}`)
		eventually(t, func() error {
			if err := k.get("board-nodes", service); err != nil {
				return err
			}
			if got := service.Labels["app.kubernetes.io/managed-by"]; got != "zset-operator" {
				return fmt.Errorf("managed-by is %q", got)
			}
			return nil
		})
	})
	t.Run("a deleted object", func(t *testing.T) {
		config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "board-config"}}
		if err := kube.Delete(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error { return k.get("board-config", config) })
	})
	t.Run("a directive set at the node", func(t *testing.T) {
		node, err := noderesp.DialRESP(t.Context(), k.address())
		if err != nil {
			t.Fatal(err)
		}
		defer node.Close()
		if err := node.ConfigSet(t.Context(), tuning.List{{Name: tuning.ListpackEntries, Value: "1"}}); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error {
			if got := k.config(tuning.ListpackEntries); got != "128" {
				return fmt.Errorf("entries are %s", got)
			}
			return nil
		})
	})
	t.Run("but not what others own", func(t *testing.T) {
		merge(service, `{"metadata":{"annotations":{"example.org/mine":"yes"}},"spec":{"externalTrafficPolicy":null,"sessionAffinity":"ClientIP"}}`)
		nothingWritten(t, o)
		if err := k.get("board-nodes", service); err != nil || service.Annotations["example.org/mine"] != "yes" || service.Spec.SessionAffinity != "ClientIP" {
			t.Errorf("service: %+v (%v)", service, err)
		}
	})
}

// An object of someone else that has a name the cluster needs.
func TestNameTaken(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	o := startOperator(t, namespace, k.address)
	foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "board-config"}, Data: map[string]string{"mine": "yes"}}
	if err := kube.Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	cluster := createCluster(t, namespace, "board", asIs)
	waitCondition(t, cluster, "Progressing", "False", "Blocked")
	cluster = waitCondition(t, cluster, "Degraded", "True", "NameTaken")
	waitEvent(t, cluster, "NameTaken", "ConfigMap board-config exists and does not belong to this cluster")

	now := &corev1.ConfigMap{}
	if err := k.get("board-config", now); err != nil || now.ResourceVersion != foreign.ResourceVersion {
		t.Errorf("the object of someone else was touched: %+v (%v)", now, err)
	}
	if err := k.get("board", &corev1.Service{}); !apierrors.IsNotFound(err) {
		t.Errorf("half of the cluster was made although a name is taken (%v)", err)
	}
	if n := len(o.writes.all()); n != 2 { // status and event
		t.Errorf("%d writes:%s", n, lines(o.writes.all()))
	}

	if err := kube.Delete(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	waitCondition(t, cluster, "Degraded", "False", "AsExpected")
	k.start("one")
	waitCondition(t, cluster, "Ready", "True", "Serving")
}

// What an earlier cluster of the name left is waited for, then made anew.
func TestEarlierClusterOfTheName(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	earlier := &v1alpha1.ZSetCluster{ObjectMeta: metav1.ObjectMeta{Name: "board", UID: "an-earlier-uid"}}
	left := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "board-config",
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(earlier, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))}}}
	if err := kube.Create(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	startOperator(t, namespace, k.address)
	cluster := createCluster(t, namespace, "board", asIs)
	cluster = waitCondition(t, cluster, "Progressing", "True", "WaitingForDeletion")
	waitCondition(t, cluster, "Degraded", "False", "AsExpected")
	if err := kube.Delete(t.Context(), left); err != nil { // as the garbage collector does
		t.Fatal(err)
	}
	k.start("one")
	waitCondition(t, cluster, "Ready", "True", "Serving")
}

// What the API server refuses is explained, with its words.
func TestApplyRejected(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	startOperator(t, namespace, k.address)
	cluster := createCluster(t, namespace, "board", func(s *v1alpha1.ZSetClusterSpec) {
		s.Resources.Limits = corev1.ResourceList{"nonsense": kresource.MustParse("1")}
	})
	waitCondition(t, cluster, "Degraded", "True", "ApplyRejected")
	waitEvent(t, cluster, "ApplyRejected", "must be a standard resource")
	patchCluster(t, cluster, `{"spec":{"resources":{"limits":{"nonsense":null}}}}`)
	k.start("one")
	waitCondition(t, cluster, "Degraded", "False", "AsExpected")
}
