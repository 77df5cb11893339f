package controllers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zset.dev/operator/controllers/noderesp"
)

// podObject is a pod as Kubernetes shows it when all is well, but for what change does to it.
func podObject(change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "board-s0-10", UID: "1", CreationTimestamp: metav1.NewTime(testNow.Add(-time.Hour)), Labels: map[string]string{appsv1.ControllerRevisionHashLabelKey: "two"}},
		Spec:       corev1.PodSpec{NodeName: "machine-1"},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.0.0.1",
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
	change(p)
	return p
}

func TestPodFacts(t *testing.T) {
	well := pod{name: "board-s0-10", ordinal: 10, uid: "1", address: "10.0.0.1:6379", ready: true, machine: "machine-1"}
	with := func(change func(*pod)) pod { p := well; change(&p); return p }
	notReady := func(since time.Duration) func(p *corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.Conditions[0].Status = corev1.ConditionFalse
			p.Status.Conditions[0].LastTransitionTime = metav1.NewTime(testNow.Add(-since))
		}
	}
	waiting := func(reason string) func(p *corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "node", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
		}
	}
	for _, test := range []struct {
		name   string
		change func(*corev1.Pod)
		want   pod
	}{
		{"all well", func(*corev1.Pod) {}, well},
		{"IPv6", func(p *corev1.Pod) { p.Status.PodIP = "fd00::1" }, with(func(p *pod) { p.address = "[fd00::1]:6379" })},
		{"not ready", notReady(time.Minute), with(func(p *pod) { p.ready = false })},
		{"not ready for long", notReady(readyGrace), with(func(p *pod) { p.ready, p.late = false, true })},
		{"never said whether it is ready, and is new", func(p *corev1.Pod) {
			p.Status.Conditions, p.CreationTimestamp = nil, metav1.NewTime(testNow.Add(-time.Second))
		}, with(func(p *pod) { p.ready = false })},
		{"no address yet", func(p *corev1.Pod) { p.Status.PodIP = "" }, with(func(p *pod) { p.address = "" })},
		{"failed", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, with(func(p *pod) { p.address, p.dead = "", true })},
		{"on no machine", func(p *corev1.Pod) { p.Spec.NodeName, p.Status.PodIP, p.Status.Phase = "", "", corev1.PodPending }, with(func(p *pod) { p.address, p.machine, p.dead = "", "", true })},
		{"its process ended", waiting("ContainerCreating"), with(func(p *pod) { p.address, p.dead = "", true })},
		{"ends, and serves until it has handed over", func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: testNow} }, with(func(p *pod) { p.terminating = true })},
		{"of an earlier template", func(p *corev1.Pod) { p.Labels[appsv1.ControllerRevisionHashLabelKey] = "one" }, with(func(p *pod) { p.outdated = true })},
		{"of another name", func(p *corev1.Pod) { p.Name = "board-s1-0" }, with(func(p *pod) { p.name, p.ordinal = "board-s1-0", -1 })},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := podFacts(podObject(test.change), "board-s0", "two", testNow)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(pod{}, noderesp.Shard{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What announces that a machine goes away.
func TestLeaving(t *testing.T) {
	tainted := func(key string) *corev1.Node {
		return &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "example.org/other"}, {Key: key, Effect: corev1.TaintEffectNoSchedule}}}}
	}
	for _, test := range []struct {
		name string
		node *corev1.Node
		want string
	}{
		{"a healthy one", &corev1.Node{}, ""},
		{"for others only", tainted("example.org/dedicated"), ""},
		{"that does not answer: there is nobody to ask for a hand-over", tainted(corev1.TaintNodeUnreachable), ""},
		{"cordoned", &corev1.Node{Spec: corev1.NodeSpec{Unschedulable: true}}, "is cordoned"},
		{"drained", tainted("node.kubernetes.io/unschedulable"), "is cordoned"},
		{"cluster autoscaler", tainted("ToBeDeletedByClusterAutoscaler"), "is about to be removed by the cluster autoscaler"},
		{"cluster autoscaler thinks about it", tainted("DeletionCandidateOfClusterAutoscaler"), ""},
		{"Karpenter", tainted("karpenter.sh/disrupted"), "is about to be removed by Karpenter"},
		{"Karpenter, earlier", tainted("karpenter.sh/disruption"), "is about to be removed by Karpenter"},
		{"out of service", tainted("node.kubernetes.io/out-of-service"), "is out of service"},
		{"deleted", &corev1.Node{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: testNow}}}, "is being deleted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := leaving(test.node); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestReadLease(t *testing.T) {
	lease := func(holder, electors string) *coordinationv1.Lease {
		return &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{electorsAnnotation: electors}},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseTransitions: ptr.To[int32](7)},
		}
	}
	for _, test := range []struct {
		name  string
		lease *coordinationv1.Lease
		want  record
	}{
		{"held", lease("board-s0-0/uid-0/run", "board-s0-0/uid-0/run, board-s0-1/uid-1/run"), record{exists: true, epoch: 7, holder: process(0), electors: []identity{process(0), process(1)}}},
		{"given up", lease("", "board-s0-1/uid-1/run"), record{exists: true, epoch: 7, electors: []identity{process(1)}}},
		{"empty", &coordinationv1.Lease{}, record{exists: true}},
		{"a holder written by hand", lease("me", ""), record{exists: true, epoch: 7, holder: identity{pod: "me"}, edited: "me"}},
		{"an elector of another shard", lease("", "board-s1-0/uid/run"), record{exists: true, epoch: 7, electors: []identity{{"board-s1-0", "uid", "run"}}, edited: "board-s1-0/uid/run"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, readLease(test.lease, "board-s0"), cmp.AllowUnexported(record{}, identity{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	if !sameRecord(lease("a", "b"), lease("a", "b")) || sameRecord(lease("a", "b"), lease("", "b")) || sameRecord(lease("a", "b"), lease("a", "")) {
		t.Error("a renewal is no news, a change is")
	}
}

func TestStuck(t *testing.T) {
	waiting := func(reason string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "node", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
		}
	}
	unschedulable := func(since time.Duration) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
				Message: "0/3 nodes are available: 3 Insufficient memory.", LastTransitionTime: metav1.NewTime(testNow.Add(-since))}}
		}
	}
	for _, test := range []struct {
		name   string
		change func(*corev1.Pod)
		want   string // "": not stuck
	}{
		{"runs", func(*corev1.Pod) {}, ""},
		{"is made", waiting("ContainerCreating"), ""},
		{"image missing", waiting("ImagePullBackOff"), "pod board-s0-10: ImagePullBackOff. See `kubectl describe pod board-s0-10`."},
		{"crashes", waiting("CrashLoopBackOff"), "pod board-s0-10: CrashLoopBackOff. See `kubectl logs --previous board-s0-10 -c node`."},
		{"no room, just now", unschedulable(time.Second), ""},
		{"no room", unschedulable(10 * time.Second), "cannot be scheduled: 0/3 nodes are available: 3 Insufficient memory. Make room"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := stuck(podObject(test.change), testNow)
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
