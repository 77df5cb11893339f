package controllers

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podObject is a pod as Kubernetes shows it when all is well, but for what change does to it.
func podObject(change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "board-s0-0", UID: "1", Labels: map[string]string{appsv1.ControllerRevisionHashLabelKey: "two"}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.0.0.1",
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
	change(p)
	return p
}

func TestPodFacts(t *testing.T) {
	well := pod{name: "board-s0-0", uid: "1", address: "10.0.0.1:6379", ready: true}
	with := func(change func(*pod)) pod { p := well; change(&p); return p }
	for _, test := range []struct {
		name   string
		change func(*corev1.Pod)
		want   pod
	}{
		{"all well", func(*corev1.Pod) {}, well},
		{"IPv6", func(p *corev1.Pod) { p.Status.PodIP = "fd00::1" }, with(func(p *pod) { p.address = "[fd00::1]:6379" })},
		{"not ready", func(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionFalse }, with(func(p *pod) { p.ready = false })},
		{"no address yet", func(p *corev1.Pod) { p.Status.PodIP = "" }, with(func(p *pod) { p.address = "" })},
		{"failed", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, with(func(p *pod) { p.address = "" })},
		{"ends", func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: testNow} }, with(func(p *pod) { p.terminating, p.address = true, "" })},
		{"of an earlier template", func(p *corev1.Pod) { p.Labels[appsv1.ControllerRevisionHashLabelKey] = "one" }, with(func(p *pod) { p.outdated = true })},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := podFacts(podObject(test.change), "two", testNow)
			if got.name != test.want.name || got.uid != test.want.uid || got.address != test.want.address || got.ready != test.want.ready ||
				got.outdated != test.want.outdated || got.terminating != test.want.terminating || got.stuck != test.want.stuck {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

func TestStuck(t *testing.T) {
	waiting := func(reason string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
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
		{"image missing", waiting("ImagePullBackOff"), "pod board-s0-0: ImagePullBackOff. See `kubectl describe pod board-s0-0`."},
		{"crashes", waiting("CrashLoopBackOff"), "pod board-s0-0: CrashLoopBackOff. See `kubectl logs --previous board-s0-0`."},
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
