//go:build integration

package controllers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// long is an interval that no test waits for: what shows earlier shows because of a watch.
const long = 10 * time.Minute

// A failover is in the status within a second, although the machine of the old primary is dead and answers nothing.
func TestFailoverShowsAtOnce(t *testing.T) {
	s, _, cluster := shardCluster(t, 3, long)
	s.nodes[0].change(func(n *fakeNode) { n.mute = true })
	if err := s.lead(1); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	eventually(t, func() error {
		now := cluster.DeepCopy()
		if err := kube.Get(t.Context(), client.ObjectKeyFromObject(cluster), now); err != nil {
			return err
		}
		if now.Status.Primary != "board-s0-1" || now.Status.Shards[0].Epoch != 2 {
			return fmt.Errorf("status: %+v", now.Status.Shards)
		}
		return nil
	})
	if took := time.Since(began); took > 2*time.Second { // a second, and one for a busy machine
		t.Errorf("the failover was in the status after %v", took)
	} else {
		t.Logf("the failover was in the status after %v", took)
	}
	waitCondition(t, cluster, "Ready", "True", "Serving")
	waitCondition(t, cluster, "InSync", "True", "SomeInSync")
	waitEvent(t, cluster, "PrimaryChanged", "pod board-s0-1 became primary of shard board-s0, epoch 2 (before: board-s0-0, epoch 1)")
}

// What always changes is not written: renewals of the Lease and offsets.
func TestUnchangedUnderLoad(t *testing.T) {
	s, o, cluster := shardCluster(t, 2, quick)
	for _, n := range s.nodes {
		n.change(func(n *fakeNode) { n.writes = 12345 })
	}
	renewed := make(chan error, 1)
	go func() {
		for range 20 {
			if err := s.editLease(func(l *coordinationv1.Lease) { l.Spec.RenewTime = ptr.To(metav1.NowMicro()) }); err != nil {
				renewed <- err
				return
			}
		}
		renewed <- nil
	}()
	nothingWritten(t, o)
	if err := <-renewed; err != nil {
		t.Fatal(err)
	}
	nothingWritten(t, o)
	o.stop()
	again := startOperatorOf(t, s.namespace, quick, s.address)
	nothingWritten(t, again)
	if list := again.writes.all(); len(list) > 0 {
		t.Errorf("a restarted operator wrote:%s", lines(list))
	}
	waitCondition(t, cluster, "InSync", "True", "AllInSync")
}

// A person names a primary: it is asked for once, and not again at each look when that is refused.
func TestSwitchover(t *testing.T) {
	s, o, cluster := shardCluster(t, 3, quick)
	s.nodes[0].change(func(n *fakeNode) {
		n.answer = func(string) string { return "ERR FAILOVER target replica is not online." }
	})
	patchCluster(t, cluster, `{"spec":{"failover":{"preferredPrimary":"board-s0-2"}}}`)
	cluster = waitCondition(t, cluster, "Progressing", "True", "HandOverFailed")
	waitCondition(t, cluster, "Degraded", "True", "HandOverFailed")
	waitEvent(t, cluster, "HandOverFailed", "ERR FAILOVER target replica is not online.")
	nothingWritten(t, o)
	if asked := s.nodes[0].handovers(); len(asked) != 1 || !strings.HasPrefix(asked[0], "board-s0-2.board-nodes.") {
		t.Errorf("asked for %v", asked)
	}

	// Nobody wants it any more, and then again.
	patchCluster(t, cluster, `{"spec":{"failover":{"preferredPrimary":null}}}`)
	waitCondition(t, cluster, "Degraded", "False", "AsExpected")
	patchCluster(t, cluster, `{"spec":{"failover":{"preferredPrimary":"board-s0-2"}}}`)
	waitCondition(t, cluster, "Degraded", "True", "HandOverFailed")
	if asked := s.nodes[0].handovers(); len(asked) != 2 {
		t.Errorf("asked for %v", asked)
	}

	// Somebody else becomes primary meanwhile, and the new one is asked at once.
	if err := s.lead(1); err != nil {
		t.Fatal(err)
	}
	waitCondition(t, cluster, "Progressing", "False", "Settled")
	waitCondition(t, cluster, "Degraded", "False", "AsExpected")
	if p := s.primaryNow(); p != "board-s0-2" {
		t.Errorf("primary is %s", p)
	}
}

// A machine that is cordoned gives its primary away first.
func TestCordonHandsOver(t *testing.T) {
	s, _, cluster := shardCluster(t, 3, long)
	cordon := func(i int, on bool) {
		t.Helper()
		machine := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: s.machine(i)}}
		if err := kube.Patch(t.Context(), machine, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"unschedulable":%v}}`, on))); err != nil {
			t.Fatal(err)
		}
	}
	cordon(1, true)
	cordon(0, true)
	waitEvent(t, cluster, "HandOverDone", "is cordoned")
	if p := s.primaryNow(); p != "board-s0-2" {
		t.Errorf("primary is %s, which is on a cordoned machine", p)
	}
	cordon(2, true)
	waitCondition(t, cluster, "Progressing", "True", "NoSuccessor")
	cordon(2, false)
	waitCondition(t, cluster, "Progressing", "False", "Settled")
}

// Paused: the operator looks and reports, and touches nothing.
func TestPaused(t *testing.T) {
	s, o, cluster := shardCluster(t, 2, quick)
	patchCluster(t, cluster, `{"metadata":{"annotations":{"cache.zset.dev/paused":"true"}},"spec":{"image":"zset.dev/node:next","engine":{"listpack":{"maxEntries":4}}}}`)
	waitCondition(t, cluster, "Progressing", "False", "Paused")
	waitCondition(t, cluster, "ConfigApplied", "False", "Pending")
	nothingWritten(t, o)
	if err := s.lead(1); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if err := kube.Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster); err != nil || cluster.Status.Primary != "board-s0-1" {
			return fmt.Errorf("primary %s is reported (%v)", cluster.Status.Primary, err)
		}
		return nil
	})
	patchCluster(t, cluster, `{"metadata":{"annotations":{"cache.zset.dev/paused":null}}}`)
	s.takeUp("two")
	if i := s.deleted(); i != 0 {
		t.Errorf("pod %d is replaced first", i)
	}
}

// A Lease that is deleted or edited by hand is reported, and its epoch is remembered.
func TestLeaseDeletedAndEdited(t *testing.T) {
	s, _, cluster := shardCluster(t, 2, quick)
	for range 4 {
		if err := s.lead(0); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, func() error {
		if err := kube.Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster); err != nil || cluster.Status.Shards[0].Epoch != 5 {
			return fmt.Errorf("epoch %d (%v)", cluster.Status.Shards[0].Epoch, err)
		}
		return nil
	})
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "board-s0"}}
	if err := kube.Delete(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	waitCondition(t, cluster, "Degraded", "True", "LeaseMissing")
	waitEvent(t, cluster, "LeaseMissing", "epoch 5")
	if err := s.lead(0); err != nil { // as nodes never would: from the beginning
		t.Fatal(err)
	}
	cluster = waitCondition(t, cluster, "Degraded", "True", "LeaseEdited")
	if e := cluster.Status.Shards[0].Epoch; e != 5 {
		t.Errorf("the epoch went back to %d", e)
	}
}
