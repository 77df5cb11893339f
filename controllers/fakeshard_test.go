//go:build integration

package controllers

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/resource"
)

// fakeShard plays what envtest lacks for one shard of several pods: the StatefulSet controller, the kubelets and the nodes. All of its
// pods are in sync as soon as they run. Used by one test's goroutine, but for handOver.
type fakeShard struct {
	t                  *testing.T
	namespace, cluster string
	nodes              []*fakeNode // by ordinal
}

func newFakeShard(t *testing.T, namespace, cluster string, pods int) *fakeShard {
	t.Helper()
	s := &fakeShard{t: t, namespace: namespace, cluster: cluster}
	for range pods {
		n := newFakeNode(t)
		n.answer = s.handOver
		s.nodes = append(s.nodes, n)
	}
	return s
}

// address is where the node of the pod with this address listens. Pods' addresses end in their ordinal.
func (s *fakeShard) address(pod string) string {
	host, _, err := net.SplitHostPort(pod)
	if err != nil {
		panic(err)
	}
	return s.nodes[net.ParseIP(host).To4()[3]].address
}

func (s *fakeShard) podName(i int) string { return fmt.Sprintf("%s-s0-%d", s.cluster, i) }

func (s *fakeShard) key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: s.namespace, Name: name}
}

// settle plays the StatefulSet controller taking up the current template under a revision's name; it returns how many pods are
// wanted.
func (s *fakeShard) settle(revision string) int {
	s.t.Helper()
	set := &appsv1.StatefulSet{}
	eventually(s.t, func() error {
		if err := kube.Get(s.t.Context(), s.key(s.cluster+"-s0"), set); err != nil {
			return err
		}
		set.Status.ObservedGeneration, set.Status.UpdateRevision = set.Generation, revision
		return kube.Status().Update(s.t.Context(), set)
	})
	return int(*set.Spec.Replicas)
}

// takeUp waits for another template and settles it.
func (s *fakeShard) takeUp(revision string) {
	s.t.Helper()
	eventually(s.t, func() error {
		set := &appsv1.StatefulSet{}
		if err := kube.Get(s.t.Context(), s.key(s.cluster+"-s0"), set); err != nil {
			return err
		}
		if set.Generation == set.Status.ObservedGeneration {
			return errors.New("the StatefulSet has not changed")
		}
		return nil
	})
	s.settle(revision)
}

// create makes a pod of the current template, which is not scheduled yet.
func (s *fakeShard) create(i int, revision string) *corev1.Pod {
	s.t.Helper()
	set := &appsv1.StatefulSet{}
	if err := kube.Get(s.t.Context(), s.key(s.cluster+"-s0"), set); err != nil {
		s.t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: set.Spec.Template.ObjectMeta, Spec: set.Spec.Template.Spec}
	pod.Namespace, pod.Name = s.namespace, s.podName(i)
	pod.Spec.NodeName = s.machine(i)
	pod.Labels[appsv1.ControllerRevisionHashLabelKey] = revision
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
	if err := kube.Create(s.t.Context(), pod); err != nil {
		s.t.Fatal(err)
	}
	return pod
}

// machine is the Kubernetes node of a pod, made when it is first asked for.
func (s *fakeShard) machine(i int) string {
	s.t.Helper()
	name := fmt.Sprintf("%s-%d", s.namespace, i)
	err := kube.Create(s.t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		s.t.Fatal(err)
	}
	return name
}

// setPod changes a pod's status.
func (s *fakeShard) setPod(i int, change func(*corev1.PodStatus)) {
	s.t.Helper()
	eventually(s.t, func() error {
		pod := &corev1.Pod{}
		if err := kube.Get(s.t.Context(), s.key(s.podName(i)), pod); err != nil {
			return err
		}
		change(&pod.Status)
		return kube.Status().Update(s.t.Context(), pod)
	})
}

// up runs the node of a pod, which follows the primary and is in sync.
func (s *fakeShard) up(pod *corev1.Pod, i int) {
	s.t.Helper()
	id := identity{pod.Name, pod.UID, "run"}
	s.nodes[i].change(func(n *fakeNode) {
		n.said = noderesp.Shard{Name: s.cluster + "-s0", Identity: id.String(), Role: roleReplica, InSync: true, Handover: noderesp.HandoverNone,
			PositionEpoch: 1, Offset: 5000, Waits: "another holds the record"}
		n.mute = false
	})
	ip := fmt.Sprintf("127.0.9.%d", i)
	s.setPod(i, func(status *corev1.PodStatus) {
		status.Phase, status.PodIP, status.PodIPs = corev1.PodRunning, ip, []corev1.PodIP{{IP: ip}}
		status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		status.ContainerStatuses = []corev1.ContainerStatus{{Name: "node", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	})
	s.list(id)
}

// start brings a pod from nothing to a node in sync.
func (s *fakeShard) start(i int, revision string) {
	s.t.Helper()
	s.up(s.create(i, revision), i)
}

// startAll does so for all, with the first as primary.
func (s *fakeShard) startAll() {
	s.t.Helper()
	for i := range s.settle("one") {
		s.start(i, "one")
	}
	if err := s.lead(0); err != nil {
		s.t.Fatal(err)
	}
}

// editLease changes the Lease, which is made if there is none.
func (s *fakeShard) editLease(change func(l *coordinationv1.Lease)) error {
	for {
		l := &coordinationv1.Lease{}
		err := kube.Get(s.t.Context(), s.key(s.cluster+"-s0"), l)
		switch {
		case apierrors.IsNotFound(err):
			l.Namespace, l.Name = s.namespace, s.cluster+"-s0"
			l.Labels, l.Annotations = map[string]string{resource.LabelCluster: s.cluster}, map[string]string{}
			change(l)
			err = kube.Create(s.t.Context(), l)
		case err == nil:
			change(l)
			err = kube.Update(s.t.Context(), l)
		}
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
}

// list puts a process on the list of those that may become primary, in the place of an earlier one of its pod.
func (s *fakeShard) list(id identity) {
	s.t.Helper()
	if err := s.editLease(func(l *coordinationv1.Lease) {
		list := []string{id.String()}
		for text := range strings.SplitSeq(l.Annotations[electorsAnnotation], ",") {
			if text != "" && !strings.HasPrefix(text, id.pod+"/") {
				list = append(list, text)
			}
		}
		l.Annotations[electorsAnnotation] = strings.Join(list, ",")
	}); err != nil {
		s.t.Fatal(err)
	}
}

// lead makes a pod's node the primary, in the next epoch.
func (s *fakeShard) lead(i int) error {
	var epoch int64
	var id string
	s.nodes[i].change(func(n *fakeNode) { id = n.said.Identity })
	err := s.editLease(func(l *coordinationv1.Lease) {
		epoch = int64(ptr.Deref(l.Spec.LeaseTransitions, 0)) + 1
		l.Spec.LeaseTransitions, l.Spec.HolderIdentity = ptr.To(int32(epoch)), &id
	})
	for j, n := range s.nodes {
		n.change(func(n *fakeNode) {
			n.said.Role, n.said.Waits = roleReplica, "another holds the record"
			n.said.Epoch, n.said.PositionEpoch, n.said.Holder = epoch, epoch, id
			if i == j {
				n.said.Role, n.said.Waits = rolePrimary, ""
			}
		})
	}
	return err
}

// handOver is what a node does that is asked to hand over: at once and without fail. A node's goroutine calls it, with the node locked.
func (s *fakeShard) handOver(host string) string {
	for i := range s.nodes {
		if strings.HasPrefix(host, s.podName(i)+".") {
			go func() { // ends with the test at the latest: the API server does
				if err := s.lead(i); err != nil && s.t.Context().Err() == nil {
					s.t.Error(err)
				}
			}()
			return ""
		}
	}
	return "ERR FAILOVER target HOST and PORT is not a replica."
}

// primaryNow is the pod that holds the Lease.
func (s *fakeShard) primaryNow() string {
	l := &coordinationv1.Lease{}
	if err := kube.Get(s.t.Context(), s.key(s.cluster+"-s0"), l); err != nil {
		return err.Error()
	}
	id, _ := parseIdentity(ptr.Deref(l.Spec.HolderIdentity, ""))
	return id.pod
}

// deleted waits until the operator deletes a pod, finishes that as a kubelet would, and returns its ordinal.
func (s *fakeShard) deleted() (ordinal int) {
	s.t.Helper()
	eventually(s.t, func() error {
		for i := range s.nodes {
			pod := &corev1.Pod{}
			err := kube.Get(s.t.Context(), s.key(s.podName(i)), pod)
			if err == nil && pod.DeletionTimestamp != nil {
				s.nodes[i].change(func(n *fakeNode) { n.mute = true })
				err = kube.Delete(s.t.Context(), pod, client.GracePeriodSeconds(0))
			}
			if apierrors.IsNotFound(err) {
				ordinal = i
				return nil
			}
			if err != nil {
				return err
			}
		}
		return errors.New("no pod was deleted")
	})
	return ordinal
}

// uids are the pods there are, by UID.
func (s *fakeShard) uids() map[string]types.UID {
	s.t.Helper()
	var pods corev1.PodList
	if err := kube.List(s.t.Context(), &pods, client.InNamespace(s.namespace)); err != nil {
		s.t.Fatal(err)
	}
	uids := map[string]types.UID{}
	for _, p := range pods.Items {
		uids[p.Name] = p.UID
	}
	return uids
}
