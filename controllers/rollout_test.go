//go:build integration

package controllers

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"zset.dev/operator/api/v1alpha1"
)

// shardCluster starts an operator and a cluster of some pods, all of which run.
func shardCluster(t *testing.T, pods int, interval time.Duration) (*fakeShard, *operator, *v1alpha1.ZSetCluster) {
	t.Helper()
	namespace := newNamespace(t)
	s := newFakeShard(t, namespace, "board", pods)
	o := startOperatorOf(t, namespace, interval, s.address)
	cluster := createCluster(t, namespace, "board", func(spec *v1alpha1.ZSetClusterSpec) { spec.Replicas = ptr.To(int32(pods - 1)) })
	s.startAll()
	waitCondition(t, cluster, "Ready", "True", "Serving")
	waitCondition(t, cluster, "ConfigApplied", "True", "Applied")
	waitCondition(t, cluster, "Progressing", "False", "Settled")
	return s, o, waitCondition(t, cluster, "InSync", "True", "AllInSync")
}

const quick = 200 * time.Millisecond

// A new image: the replicas go first, the highest first, one at a time; then the primary hands over and goes last. Nothing else is
// deleted, and while one pod is away nothing is written.
func TestRollingUpdate(t *testing.T) {
	s, o, cluster := shardCluster(t, 3, quick)
	before := s.uids()
	patchCluster(t, cluster, `{"spec":{"image":"zset.dev/node:next"}}`)
	s.takeUp("two")

	var order []int
	for range 3 {
		i := s.deleted()
		order = append(order, i)
		waitCondition(t, cluster, "Progressing", "True", "RollingOut")
		if i == 0 && s.primaryNow() == "board-s0-0" {
			t.Fatal("the primary was deleted before it handed over")
		}
		nothingWrittenBut(t, o, "/status") // the next one waits
		pod := s.create(i, "two")
		nothingWrittenBut(t, o, "/status") // also while it starts
		s.up(pod, i)
	}
	if !slices.Equal(order, []int{2, 1, 0}) {
		t.Errorf("replaced in the order %v", order)
	}
	waitCondition(t, cluster, "Progressing", "False", "Settled")
	cluster = waitCondition(t, cluster, "InSync", "True", "AllInSync")
	if asked := s.nodes[0].handovers(); !slices.Equal(asked, []string{"board-s0-1.board-nodes." + s.namespace + ".svc.cluster.local"}) {
		t.Errorf("hand-overs asked for: %v", asked)
	}
	if cluster.Status.Primary != "board-s0-1" || cluster.Status.Shards[0].Epoch != 2 {
		t.Errorf("status: %+v", cluster.Status.Shards)
	}
	for _, want := range [][2]string{
		{"RolloutBegun", ""}, {"HandOverBegun", "board-s0-0 was asked to hand over to pod board-s0-1: it is of an earlier template"},
		{"HandOverDone", "board-s0-1 took over from pod board-s0-0"}, {"PrimaryChanged", "pod board-s0-1 became primary of shard board-s0, epoch 2"},
		{"RolloutDone", ""},
	} {
		waitEvent(t, cluster, want[0], want[1])
	}
	for name, uid := range s.uids() {
		if before[name] == uid {
			t.Errorf("pod %s is still the one of before", name)
		}
	}
	nothingWritten(t, o)
}

// A new pod that does not come up stops the rollout. The corrected spec replaces that one first, although it is not ready.
func TestRolloutStopsAndRecovers(t *testing.T) {
	s, o, cluster := shardCluster(t, 3, quick)
	patchCluster(t, cluster, `{"spec":{"image":"zset.dev/node:broken"}}`)
	s.takeUp("two")
	if i := s.deleted(); i != 2 {
		t.Fatalf("pod %d went first", i)
	}
	s.create(2, "two")
	s.setPod(2, func(status *corev1.PodStatus) {
		status.ContainerStatuses = []corev1.ContainerStatus{{Name: "node", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
	})
	waitCondition(t, cluster, "Degraded", "True", "RolloutStopped")
	waitCondition(t, cluster, "Progressing", "True", "RolloutStopped")
	waitCondition(t, cluster, "Ready", "True", "Serving")
	waitEvent(t, cluster, "RolloutStopped", "kubectl describe pod board-s0-2")
	stopped := s.uids()
	nothingWritten(t, o)
	if now := s.uids(); !maps.Equal(stopped, now) {
		t.Fatalf("further pods were touched: %v, then %v", stopped, now)
	}

	patchCluster(t, cluster, `{"spec":{"image":"zset.dev/node:fixed"}}`)
	s.takeUp("three")
	for _, want := range []int{2, 1, 0} {
		if i := s.deleted(); i != want {
			t.Fatalf("pod %d is replaced, want %d", i, want)
		}
		s.start(want, "three")
	}
	waitCondition(t, cluster, "Progressing", "False", "Settled")
	waitCondition(t, cluster, "Degraded", "False", "AsExpected")
}

// Another operator takes up a rollout where one was killed.
func TestRolloutResumes(t *testing.T) {
	s, o, cluster := shardCluster(t, 2, quick)
	patchCluster(t, cluster, `{"spec":{"image":"zset.dev/node:next"}}`)
	s.takeUp("two")
	if i := s.deleted(); i != 1 {
		t.Fatalf("pod %d went first", i)
	}
	o.stop()
	s.start(1, "two")
	again := startOperatorOf(t, s.namespace, quick, s.address)
	if i := s.deleted(); i != 0 || s.primaryNow() != "board-s0-1" {
		t.Fatalf("pod %d went next, and primary is %s", i, s.primaryNow())
	}
	s.start(0, "two")
	waitCondition(t, cluster, "Progressing", "False", "Settled")
	nothingWritten(t, again)
}

// Fewer replicas: the StatefulSet keeps a pod that is primary until it has handed over.
func TestScaleDownHandsOverFirst(t *testing.T) {
	s, _, cluster := shardCluster(t, 3, quick)
	if err := s.lead(2); err != nil {
		t.Fatal(err)
	}
	s.nodes[2].change(func(n *fakeNode) { n.answer = func(string) string { return "ERR not now" } })
	patchCluster(t, cluster, `{"spec":{"replicas":1}}`)
	waitCondition(t, cluster, "Progressing", "True", "HandOverFailed")
	if n := s.settle("one"); n != 3 {
		t.Fatalf("%d pods are left to the StatefulSet while one too many is primary", n)
	}
	if err := s.lead(0); err != nil { // by whatever way
		t.Fatal(err)
	}
	eventually(t, func() error {
		if n := s.settle("one"); n != 2 {
			return fmt.Errorf("the StatefulSet has %d pods", n)
		}
		return nil
	})
}
