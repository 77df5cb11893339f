//go:build integration

package kubernetes

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"zset.dev/operator/node/lease"
	"zset.dev/operator/node/shard"
)

// stage is a namespace with a shard of three pods, the slice of its Service, and the identity that its nodes have: they may do what the
// operator's Role lets them do, and nothing else.
type stage struct {
	*testing.T
	namespace string
	config    *rest.Config
	uids      map[string]string
}

func newStage(t *testing.T, name string) *stage {
	t.Helper()
	ctx, c := t.Context(), admin(t)
	s := &stage{T: t, namespace: name, uids: map[string]string{}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	must(err)
	var names []string
	for i := range 3 {
		pod := fmt.Sprintf("board-s0-%d", i)
		made, err := c.CoreV1().Pods(name).Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: pod},
			Spec:       corev1.PodSpec{NodeName: "machine", Containers: []corev1.Container{{Name: "node", Image: "none"}}},
		}, metav1.CreateOptions{})
		must(err)
		s.uids[pod] = string(made.UID)
		names = append(names, pod)
	}
	_, err = c.DiscoveryV1().EndpointSlices(name).Create(ctx, &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: "board-primary", Labels: map[string]string{discoveryv1.LabelServiceName: "board"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: ptr.To("resp"), Port: ptr.To(int32(6379))}},
	}, metav1.CreateOptions{FieldManager: "zset-operator"})
	must(err)
	rule := func(group, of string, names []string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{of}, ResourceNames: names, Verbs: verbs}
	}
	_, err = c.RbacV1().Roles(name).Create(ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "board-node"}, Rules: []rbacv1.PolicyRule{
		rule("coordination.k8s.io", "leases", nil, "create"),
		rule("coordination.k8s.io", "leases", []string{"board-s0"}, "get", "update"),
		rule("", "pods", names, "get", "patch"),
		rule("discovery.k8s.io", "endpointslices", []string{"board-primary"}, "get", "patch"),
	}}, metav1.CreateOptions{})
	must(err)
	_, err = c.RbacV1().RoleBindings(name).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "board-node"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "board-node"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "board-node", Namespace: name}},
	}, metav1.CreateOptions{})
	must(err)
	s.config = rest.CopyConfig(apiServer)
	s.config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + name + ":board-node"}
	return s
}

func (s *stage) identity(pod string) lease.Identity {
	return lease.Identity{Pod: pod, UID: s.uids[pod], Run: "run-of-" + pod}
}

func (s *stage) connect(pod, ip string) *API {
	s.Helper()
	api, err := Connect(Options{
		Config: s.config, Namespace: s.namespace, Shard: "board-s0", Self: s.identity(pod), IP: ip, Slice: "board-primary",
		Owner: "cache.zset.dev/v1alpha1/ZSetCluster/board/0001", Timing: lease.Timing{Duration: 30 * time.Second, Retry: 10 * time.Second}, Agent: "zset-node/test",
	})
	if err != nil {
		s.Fatal(err)
	}
	return api
}

// roles is what the pods' labels say, and where clients are sent.
func (s *stage) roles() (text string) {
	s.Helper()
	ctx, c := s.Context(), admin(s.T)
	for i := range 3 {
		pod, err := c.CoreV1().Pods(s.namespace).Get(ctx, fmt.Sprintf("board-s0-%d", i), metav1.GetOptions{})
		if err != nil {
			text += "gone "
			continue
		}
		text += pod.Labels[roleLabel] + " "
	}
	slice, err := c.DiscoveryV1().EndpointSlices(s.namespace).Get(ctx, "board-primary", metav1.GetOptions{})
	if err != nil {
		s.Fatal(err)
	}
	for _, e := range slice.Endpoints {
		text += fmt.Sprint(e.Addresses, *e.Conditions.Ready, " ", e.TargetRef.Name)
	}
	return text
}

func TestPublisher(t *testing.T) {
	s := newStage(t, "publisher")
	ctx := t.Context()
	a, b := s.connect("board-s0-0", "10.0.0.1"), s.connect("board-s0-1", "10.0.0.2")
	expect := func(want string) {
		t.Helper()
		if got := s.roles(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	others := func(self string) (names []string) {
		for i := range 4 { // one that is not there among them, which is not in the Role either
			if name := fmt.Sprintf("board-s0-%d", i); name != self && i < 3 {
				names = append(names, name)
			}
		}
		return names
	}
	if err := b.Publisher.Replica(ctx); err != nil {
		t.Fatal(err)
	}
	record := lease.Record{Epoch: 1, Holder: s.identity("board-s0-0"), Electors: []lease.Identity{s.identity("board-s0-0")}}
	var err error
	if record.Version, err = a.Store.Write(ctx, record); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing to do
		if err := a.Publisher.Primary(ctx, 1, others("board-s0-0")); err != nil {
			t.Fatal(err)
		}
		expect("primary replica  [10.0.0.1] true board-s0-0")
	}

	// b takes over: one change sends clients to it, and takes the label off a, which does not answer.
	record.Epoch, record.Holder = 2, s.identity("board-s0-1")
	if record.Version, err = b.Store.Write(ctx, record); err != nil {
		t.Fatal(err)
	}
	if err := b.Publisher.Primary(ctx, 2, others("board-s0-1")); err != nil {
		t.Fatal(err)
	}
	expect("replica primary  [10.0.0.2] true board-s0-1")

	// a comes late, and changes nothing.
	if err := a.Publisher.Primary(ctx, 1, others("board-s0-0")); err != nil {
		t.Fatal(err)
	}
	expect("replica primary  [10.0.0.2] true board-s0-1")

	slice, err := admin(t).DiscoveryV1().EndpointSlices(s.namespace).Get(ctx, "board-primary", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(slice.Ports) != 1 || slice.Labels[discoveryv1.LabelServiceName] != "board" {
		t.Errorf("what is the operator's was changed: %+v", slice)
	}
	l, err := admin(t).CoordinationV1().Leases(s.namespace).Get(ctx, "board-s0", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.OwnerReferences) != 1 || l.OwnerReferences[0].Kind != "ZSetCluster" || l.OwnerReferences[0].APIVersion != "cache.zset.dev/v1alpha1" || l.Labels["cache.zset.dev/cluster"] != "board" {
		t.Errorf("the Lease is %+v", l.ObjectMeta)
	}

	// Without the slice there is nothing to send clients by: that is an error, and the operator's to mend.
	if err := admin(t).DiscoveryV1().EndpointSlices(s.namespace).Delete(ctx, "board-primary", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := b.Publisher.Primary(ctx, 2, nil); !apierrors.IsNotFound(err) {
		t.Errorf("without a slice: %v", err)
	}
}

func TestPods(t *testing.T) {
	s := newStage(t, "pods")
	ctx, c := t.Context(), admin(t)
	ended := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	status := func(pod string, of corev1.ContainerStatus) {
		t.Helper()
		found, err := c.CoreV1().Pods(s.namespace).Get(ctx, pod, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		of.Name = "node"
		sidecar := corev1.ContainerStatus{Name: "other", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
		found.Status.ContainerStatuses = []corev1.ContainerStatus{sidecar, of}
		if _, err := c.CoreV1().Pods(s.namespace).UpdateStatus(ctx, found, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	status("board-s0-0", corev1.ContainerStatus{
		RestartCount: 1, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.NewTime(ended)}},
	})
	status("board-s0-1", corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}})
	if err := c.CoreV1().Pods(s.namespace).Delete(ctx, "board-s0-2", metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}); err != nil {
		t.Fatal(err)
	}
	api := s.connect("board-s0-0", "10.0.0.1")
	got, err := api.Pods.Look(ctx, []string{"board-s0-0", "board-s0-1", "board-s0-2"})
	if err != nil {
		t.Fatal(err)
	}
	for pod, want := range map[string]shard.Sight{
		"board-s0-0": {UID: s.uids["board-s0-0"], Started: true, Ended: ended},
		"board-s0-1": {UID: s.uids["board-s0-1"]},
		"board-s0-2": {},
	} {
		if !got[pod].Ended.Equal(want.Ended) || got[pod].UID != want.UID || got[pod].Started != want.Started {
			t.Errorf("%s is %+v, want %+v", pod, got[pod], want)
		}
	}
	// What the node may not see is no pod that is gone.
	if got, err := api.Pods.Look(ctx, []string{"board-s0-0", "another"}); !apierrors.IsForbidden(err) {
		t.Errorf("a pod of others: %+v, %v", got, err)
	}
	late, cancel := context.WithCancel(ctx)
	cancel()
	if got, err := api.Pods.Look(late, []string{"board-s0-0"}); err == nil {
		t.Errorf("without time: %+v", got)
	}
}
