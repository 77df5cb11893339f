//go:build integration

package controllers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	storagev1 "k8s.io/api/storage/v1"
	kresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/api/v1alpha1"
)

// A Service of an earlier version, which selected pods, gives way to one that does not.
func TestServiceWithSelectorIsMadeAnew(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	o := startOperator(t, namespace, k.address)
	cluster := createCluster(t, namespace, "board", asIs)
	k.start("one")
	waitCondition(t, cluster, "Ready", "True", "Serving")
	before := &corev1.Service{}
	if err := k.get("board", before); err != nil {
		t.Fatal(err)
	}
	if err := kube.Patch(t.Context(), before.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"selector":{"a":"b"}}}`))); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		now := &corev1.Service{}
		if err := k.get("board", now); err != nil {
			return err
		}
		if now.UID == before.UID || now.Spec.Selector != nil {
			return fmt.Errorf("Service %s has selector %v", now.UID, now.Spec.Selector)
		}
		return nil
	})
	waitCondition(t, cluster, "Progressing", "False", "Settled")
	nothingWritten(t, o)
}

// The endpoints of the clients' Service are the nodes': the operator puts the rest right and never touches them.
func TestEndpointsAreTheNodes(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	o := startOperator(t, namespace, k.address)
	cluster := createCluster(t, namespace, "board", asIs)
	k.start("one")
	waitCondition(t, cluster, "Ready", "True", "Serving")

	slice := &discoveryv1.EndpointSlice{}
	if err := k.get("board-primary", slice); err != nil {
		t.Fatal(err)
	}
	slice.Endpoints = []discoveryv1.Endpoint{{Addresses: []string{"10.1.2.3"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(true)}}}
	slice.Ports[0].Port = ptr.To[int32](1)
	if err := kube.Update(t.Context(), slice, client.FieldOwner("zset-node")); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if err := k.get("board-primary", slice); err != nil {
			return err
		}
		if len(slice.Ports) != 1 || *slice.Ports[0].Port != 6379 {
			return fmt.Errorf("ports %v", slice.Ports)
		}
		return nil
	})
	if len(slice.Endpoints) != 1 || slice.Endpoints[0].Addresses[0] != "10.1.2.3" {
		t.Errorf("endpoints %v", slice.Endpoints)
	}
	for _, m := range slice.ManagedFields {
		if m.Manager == FieldOwner && strings.Contains(m.FieldsV1.GetRawString(), `"f:endpoints"`) {
			t.Errorf("the operator owns endpoints: %s", m.FieldsV1.GetRawString())
		}
	}
	nothingWritten(t, o)
}

// makeClass makes a class of volumes of a name of its own.
func makeClass(t *testing.T, grows bool) string {
	t.Helper()
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{GenerateName: "class-"}, Provisioner: "example.org/disk", AllowVolumeExpansion: &grows}
	if err := kube.Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kube.Delete(context.WithoutCancel(t.Context()), class) })
	return class.Name
}

// makeClaim plays the StatefulSet's and the volumes' controllers for one pod: a claim that is bound.
func (k *kubelet) makeClaim(pod string) *corev1.PersistentVolumeClaim {
	k.t.Helper()
	template := k.statefulSet().Spec.VolumeClaimTemplates[0]
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	claim.Namespace, claim.Name = k.namespace, template.Name+"-"+pod
	if err := kube.Create(k.t.Context(), claim); err != nil {
		k.t.Fatal(err)
	}
	claim.Status.Phase = corev1.ClaimBound
	claim.Status.Capacity = claim.Spec.Resources.Requests
	if err := kube.Status().Update(k.t.Context(), claim); err != nil {
		k.t.Fatal(err)
	}
	return claim
}

func (k *kubelet) claimed(name string) string {
	k.t.Helper()
	claim := &corev1.PersistentVolumeClaim{}
	if err := k.get(name, claim); err != nil {
		k.t.Fatal(err)
	}
	size := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	return size.String()
}

func TestVolumesGrow(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	o := startOperator(t, namespace, k.address)
	class := makeClass(t, true)
	cluster := createCluster(t, namespace, "board", func(s *v1alpha1.ZSetClusterSpec) {
		s.Storage = &v1alpha1.StorageSpec{Size: kresource.MustParse("1Gi"), StorageClassName: &class}
	})
	k.start("one")
	k.makeClaim("board-s0-0")
	k.makeClaim("board-s0-1") // of a replica that was taken away
	waitCondition(t, cluster, "Progressing", "False", "Settled")
	before, pod := k.statefulSet(), &corev1.Pod{}
	if err := k.get(k.podName(), pod); err != nil {
		t.Fatal(err)
	}

	patchCluster(t, cluster, `{"spec":{"storage":{"size":"2Gi"}}}`)
	eventually(t, func() error { // the garbage collector lets go of the pods, then the StatefulSet is gone
		set := &appsv1.StatefulSet{}
		if err := k.get("board-s0", set); err != nil {
			return client.IgnoreNotFound(err)
		}
		if set.UID != before.UID {
			return nil
		}
		if set.DeletionTimestamp == nil {
			return fmt.Errorf("StatefulSet is not deleted")
		}
		if len(set.Finalizers) != 1 || set.Finalizers[0] != metav1.FinalizerOrphanDependents {
			t.Fatalf("finalizers %v: its pods would be deleted", set.Finalizers)
		}
		for _, name := range []string{"data-board-s0-0", "data-board-s0-1"} {
			if size := k.claimed(name); size != "2Gi" {
				t.Fatalf("the StatefulSet goes, but %s asks for %s", name, size)
			}
		}
		set.Finalizers = nil
		return kube.Update(t.Context(), set)
	})
	eventually(t, func() error {
		set := &appsv1.StatefulSet{}
		if err := k.get("board-s0", set); err != nil {
			return err
		}
		if size := set.Spec.VolumeClaimTemplates[0].Spec.Resources.Requests[corev1.ResourceStorage]; set.UID == before.UID || size.String() != "2Gi" {
			return fmt.Errorf("StatefulSet %s with %s", set.UID, size.String())
		}
		return nil
	})
	after := &corev1.Pod{}
	if err := k.get(k.podName(), after); err != nil || after.UID != pod.UID {
		t.Fatalf("the pod did not stay: %v", err)
	}
	// The new StatefulSet takes the pod up, under the revision it had: the template is the same.
	set := k.statefulSet()
	after.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
	if err := kube.Update(t.Context(), after); err != nil {
		t.Fatal(err)
	}
	k.settle("one")
	waitCondition(t, cluster, "Progressing", "False", "Settled")
	nothingWritten(t, o)
}

// Volumes that cannot grow are reported, and the rest of the spec still counts.
func TestVolumesCannotGrow(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	o := startOperator(t, namespace, k.address)
	class := makeClass(t, false)
	cluster := createCluster(t, namespace, "board", func(s *v1alpha1.ZSetClusterSpec) {
		s.Storage = &v1alpha1.StorageSpec{Size: kresource.MustParse("1Gi"), StorageClassName: &class}
	})
	k.start("one")
	k.makeClaim("board-s0-0")
	waitCondition(t, cluster, "Progressing", "False", "Settled")
	before := k.statefulSet()

	patchCluster(t, cluster, `{"spec":{"storage":{"size":"2Gi","retention":{"whenDeleted":"Retain"}},"engine":{"skipList":{"p":"0.5"}}}}`)
	cluster = waitCondition(t, cluster, "Degraded", "True", "StorageRejected")
	if message := conditionMessage(cluster, "Degraded"); !strings.Contains(message, class) || !strings.Contains(message, "allowVolumeExpansion: true") {
		t.Errorf("message %q", message)
	}
	eventually(t, func() error {
		if policy := k.statefulSet().Spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted; policy != "Retain" {
			return fmt.Errorf("retention is %s", policy)
		}
		return nil
	})
	k.settle("one")
	eventually(t, func() error {
		if p := k.config("zset-skiplist-p"); p != "0.5" {
			return fmt.Errorf("p is %s", p)
		}
		return nil
	})
	if set := k.statefulSet(); set.UID != before.UID || set.DeletionTimestamp != nil || k.claimed("data-board-s0-0") != "1Gi" {
		t.Error("something was begun although it cannot be ended")
	}
	nothingWritten(t, o)

	// The class is put right.
	if err := kube.Patch(t.Context(), &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class}},
		client.RawPatch(types.MergePatchType, []byte(`{"allowVolumeExpansion":true}`))); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if size := k.claimed("data-board-s0-0"); size != "2Gi" {
			return fmt.Errorf("the claim asks for %s", size)
		}
		return nil
	})
}
