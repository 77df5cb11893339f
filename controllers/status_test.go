package controllers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zset.dev/operator/api/v1alpha1"
)

// since is a status in which everything has been wrong for a minute, so that nothing is excused any more.
func since(reason string) v1alpha1.ZSetClusterStatus {
	return v1alpha1.ZSetClusterStatus{Conditions: []metav1.Condition{{
		Type: v1alpha1.ConditionConfigApplied, Status: metav1.ConditionFalse, Reason: reason, LastTransitionTime: metav1.NewTime(testNow.Add(-time.Minute)),
	}}}
}

// Every condition for everything that can be observed, as "STATUS Reason".
func TestConditions(t *testing.T) {
	blocked := func(f *facts) *facts { f.problem = &problem{reasonNameTaken, "rename it"}; return f }
	paused := func(f *facts) *facts { f.paused, f.step = true, step{}; return f }
	long := func(s *shard) { s.downSince = testNow.Add(-time.Minute) }
	waits := func(s *shard, words string) {
		for i := range s.pods {
			s.pods[i].said.Waits = words
		}
	}
	failed := attempt{from: "board-s0-0", to: "board-s0-1", why: "a reason", trouble: "ERR no", until: testNow.Add(time.Minute)}
	const (
		serving, settled, fine, all, confirmed = "True Serving", "False Settled", "False AsExpected", "True AllInSync", "True Applied"
	)
	for _, test := range []struct {
		name                                                string
		facts                                               *facts
		ready, progressing, degraded, inSync, configApplied string
	}{
		{"all well", planned(shardOf(3, well)), serving, settled, fine, all, confirmed},
		{"one pod", planned(shardOf(1, well)), serving, settled, fine, "False NoReplicas", confirmed},
		{"a node of no shard", planned(onePod(func(*shard, *pod) {})), serving, settled, fine, "False NoReplicas", confirmed},
		{"nothing there yet", planned([]shard{{name: "board-s0", settling: true, size: 2, kept: 2}}),
			"False PodMissing", "True WaitingForPods", fine, "False NoPrimary", "False Pending"},
		{"pods start", planned(shardOf(2, func(s *shard) { s.starts(0, 1); s.lease, s.reported = record{}, 0 })),
			"False PodNotReady", "True WaitingForPods", fine, "False NoPrimary", "False Pending"},
		{"a replica starts", planned(shardOf(3, func(s *shard) { s.starts(2) })),
			serving, "True WaitingForPods", fine, "True SomeInSync", confirmed},
		{"the only replica starts", planned(shardOf(2, func(s *shard) { s.starts(1) })),
			serving, "True WaitingForPods", fine, "False NoSuccessor", confirmed},
		{"a replica is missing", planned(shardOf(2, func(s *shard) { s.size, s.kept = 3, 3 })),
			serving, "True WaitingForPods", fine, "True SomeInSync", confirmed},
		{"the primary's process died", planned(shardOf(2, func(s *shard) { silent(&s.pods[0]) })),
			"False NodeUnreachable", "True WaitingForPods", fine, "False NoPrimary", "False NodeUnreachable"},
		{"its successor has the Lease, and does not know", planned(shardOf(2, func(s *shard) { silent(&s.pods[0]); s.lease.holder = process(1); s.pods[1].said.Fenced = true })),
			"False NoPrimary", "True WaitingForPods", fine, "False NoPrimary", "False NodeUnreachable"},
		{"its successor is primary, and takes no writes yet", planned(shardOf(2, func(s *shard) { silent(&s.pods[0]); s.leads(1); s.pods[1].said.Fenced = true })),
			"False PrimaryFenced", "True WaitingForPods", fine, "False NoPrimary", "False NodeUnreachable"},
		{"the primary is fenced for long", planned(shardOf(2, func(s *shard) { long(s); s.pods[0].said.Fenced = true; waits(s, "it could not renew") })),
			"False PrimaryFenced", "True WaitingForPods", "True PrimaryFenced", "False NoPrimary", confirmed},
		{"nobody claims for long", planned(shardOf(2, func(s *shard) { long(s); s.lease.holder = identity{}; waits(s, "it is no elector") })),
			"False NoPrimary", "True WaitingForPods", "True NoPrimary", "False NoPrimary", confirmed},
		{"nodes may not write the Lease", planned(shardOf(2, func(s *shard) { long(s); s.lease = record{}; waits(s, `leases is forbidden: User "x"`) })),
			"False NoPrimary", "True WaitingForPods", "True NodeForbidden", "False NoPrimary", confirmed},
		{"the Lease is gone", planned(shardOf(2, func(s *shard) { s.lease = record{} })),
			"False NoPrimary", "True WaitingForPods", "True LeaseMissing", "False NoPrimary", confirmed},
		{"the Lease was never there", planned(shardOf(2, func(s *shard) { s.lease, s.reported = record{}, 0 })),
			"False NoPrimary", "True WaitingForPods", fine, "False NoPrimary", confirmed},
		{"the Lease's epoch went back", planned(shardOf(2, func(s *shard) { s.reported = 8 })), serving, settled, "True LeaseEdited", all, confirmed},
		{"the Lease names nobody", planned(shardOf(2, func(s *shard) { s.lease.edited = "me" })), serving, settled, "True LeaseEdited", all, confirmed},
		{"a replica silent for long", planned(shardOf(3, func(s *shard) { silent(&s.pods[2]) })),
			serving, "True WaitingForPods", "True NodeUnreachable", "True SomeInSync", "False NodeUnreachable"},
		{"a pod stuck", planned(shardOf(3, func(s *shard) { s.fails(2) })),
			serving, "True WaitingForPods", "True PodStuck", "True SomeInSync", confirmed},
		{"a pod not ready for long", planned(shardOf(3, func(s *shard) { s.lags(2); s.pods[2].late = true })),
			serving, "True WaitingForPods", "True PodStuck", "True SomeInSync", confirmed},
		{"a rollout", planned(shardOf(3, func(s *shard) { s.outdate(0, 1, 2) })), serving, "True RollingOut", fine, all, confirmed},
		{"a rollout, its last pod", planned(shardOf(3, func(s *shard) { s.rolling = true; s.starts(2) })), serving, "True RollingOut", fine, "True SomeInSync", confirmed},
		{"a rollout stopped", planned(shardOf(3, func(s *shard) { s.outdate(0, 1); s.fails(2) })), serving, "True RolloutStopped", "True RolloutStopped", "True SomeInSync", confirmed},
		{"the primary is asked to hand over", planned(shardOf(2, func(s *shard) { s.outdate(0) })), serving, "True HandingOver", fine, all, confirmed},
		{"nobody to hand over to", planned(shardOf(1, func(s *shard) { s.pods[0].leaving = "is cordoned" })), serving, "True NoSuccessor", fine, "False NoReplicas", confirmed},
		{"a hand-over failed", planned(shardOf(2, func(s *shard) { s.preferred, s.handover = "board-s0-1", failed })), serving, "True HandOverFailed", "True HandOverFailed", all, confirmed},
		{"the preferred primary cannot", planned(shardOf(2, func(s *shard) { s.preferred = "board-s0-9" })), serving, "True SwitchingOver", fine, all, confirmed},
		{"pods kept", planned(shardOf(3, func(s *shard) { s.size, s.keptWhy = 2, "because" })), serving, "True ScalingDown", fine, all, confirmed},
		{"a node to be configured", planned(shardOf(2, func(s *shard) { differs(&s.pods[1]) })), serving, "True ConfiguringNodes", fine, all, "False Pending"},
		{"a node refused", planned(shardOf(2, func(s *shard) { differs(&s.pods[1]); s.pods[1].refusal = "ERR no" })), serving, "True ConfiguringNodes", "True Rejected", all, "False Rejected"},
		{"outdated and different", planned(shardOf(2, func(s *shard) { differs(&s.pods[1]); s.outdate(1) })), serving, "True RollingOut", fine, all, "False Pending"},
		{"the only pod ends", planned(onePod(func(_ *shard, p *pod) { p.terminating = true; silent(p) })), "False PodTerminating", "True WaitingForPods", fine, "False NoReplicas", "False Pending"},
		{"the primary's pod ends, and serves on", planned(shardOf(2, func(s *shard) { s.pods[0].terminating = true })), serving, "True WaitingForPods", fine, all, confirmed},
		{"paused while a pod is outdated", paused(planned(shardOf(2, func(s *shard) { s.outdate(1) }))), serving, "False Paused", fine, all, confirmed},
		{"blocked while serving", blocked(planned(shardOf(2, well))), serving, "False Blocked", "True NameTaken", all, "False Pending"},
		{"blocked from the start", blocked(&facts{}), "False Blocked", "False Blocked", "True NameTaken", "False Blocked", "False Pending"},
		{"left by an earlier cluster", &facts{applied: applied{leaving: "ConfigMap board-config"}, shards: []shard{{name: "board-s0", size: 2}}},
			"False PodMissing", "True WaitingForDeletion", fine, "False NoPrimary", "False Pending"},
	} {
		t.Run(test.name, func(t *testing.T) {
			old := v1alpha1.ZSetClusterStatus{}
			if strings.Contains(test.name, "long") {
				old = since(reasonUnreachable)
			}
			status := newStatus(old, 7, test.facts, testNow)
			got := map[string]string{}
			for _, c := range status.Conditions {
				got[c.Type] = string(c.Status) + " " + c.Reason
				if c.ObservedGeneration != 7 || c.Message == "" {
					t.Errorf("condition %+v", c)
				}
			}
			want := map[string]string{"Ready": test.ready, "Progressing": test.progressing, "Degraded": test.degraded, "InSync": test.inSync, "ConfigApplied": test.configApplied}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Of several shards the one that is worst off is shown.
func TestInSyncShowsTheWorst(t *testing.T) {
	for _, test := range []struct {
		shards []shard
		want   string
	}{
		{append(shardOf(3, well), shardOf(3, well)...), reasonAllInSync},
		{append(shardOf(3, well), shardOf(3, func(s *shard) { s.starts(1) })...), reasonSomeInSync},
		{append(shardOf(3, func(s *shard) { s.starts(1) }), shardOf(3, well)...), reasonSomeInSync},
		{append(shardOf(3, func(s *shard) { s.starts(1) }), shardOf(2, func(s *shard) { s.starts(1) })...), reasonNoSuccessor},
		{append(shardOf(2, func(s *shard) { s.starts(1) }), shardOf(2, well)...), reasonNoSuccessor},
	} {
		if got := inSyncCondition(planned(test.shards)); got.Reason != test.want {
			t.Errorf("%s, want %s", got.Reason, test.want)
		}
	}
}

// The status of a shard, whole.
func TestShardStatus(t *testing.T) {
	f := planned(shardOf(4, func(s *shard) {
		s.pods[1].said.Offset = 4000
		s.lags(2)
		s.pods[2].said.Syncing, s.pods[2].said.PositionEpoch = true, 6
		s.fails(3)
		s.outdate(3)
		s.lease.electors = append(s.lease.electors, identity{"board-s0-0", "uid-0", "an earlier run"}, identity{"board-s0-3", "another uid", "run"})
	}))
	want := v1alpha1.ShardStatus{
		Name: "board-s0", Primary: "board-s0-0", Ready: true, Epoch: 7, Electors: []string{"board-s0-0", "board-s0-1", "board-s0-3"},
		Members: []v1alpha1.MemberStatus{
			{Pod: "board-s0-0", Node: "machine-0", Role: "primary", Offset: 5000, LagBytes: ptr.To[int64](0), InSync: true, UpToDate: true, Ready: true},
			{Pod: "board-s0-1", Node: "machine-1", Role: "replica", Offset: 4000, LagBytes: ptr.To[int64](1000), InSync: true, UpToDate: true, Ready: true},
			{Pod: "board-s0-2", Node: "machine-2", Role: "replica", Offset: 5000, UpToDate: true, Message: "its node gets a copy of the data"},
			{Pod: "board-s0-3", Node: "machine-3", Message: "no image."},
		},
	}
	status := newStatus(v1alpha1.ZSetClusterStatus{}, 1, f, testNow)
	if diff := cmp.Diff([]v1alpha1.ShardStatus{want}, status.Shards); diff != "" {
		t.Error(diff)
	}
	if status.Primary != "board-s0-0" || status.ReadyShards != "1/1" || status.Endpoint != "board:6379" {
		t.Errorf("%+v", status)
	}
}

// What a member's message says.
func TestRemark(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*shard, *pod)
		want   string
	}{
		{"in sync", func(*shard, *pod) {}, ""},
		{"on its way", func(s *shard, _ *pod) { s.lags(1) }, "its node is not in sync with the primary yet"},
		{"cut off", func(s *shard, p *pod) { s.lags(1); p.said.Unlinked = true }, "its node is not connected to the primary; its log says why"},
		{"gets a copy", func(s *shard, p *pod) { s.lags(1); p.said.Syncing, p.said.Unlinked = true, true }, "its node gets a copy of the data"},
		{"follows nobody", func(s *shard, p *pod) { s.lags(1); p.said.Role, p.said.Waits = "standby", "it is no elector" }, "it is no elector"},
		{"silent", func(_ *shard, p *pod) { silent(p) }, "its node does not answer: connection refused"},
		{"stuck", func(s *shard, _ *pod) { s.fails(1) }, "no image."},
		{"ends", func(_ *shard, p *pod) { p.terminating = true }, "its pod is ending"},
		{"leaves", func(_ *shard, p *pod) { p.leaving = "is cordoned" }, "its Kubernetes node machine-1 is cordoned"},
	} {
		s := shardOf(2, func(s *shard) { test.change(s, &s.pods[1]) })
		if got := remark(&s[0], &s[0].pods[1]); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Status names a primary only while one serves, and its epoch never goes back.
func TestStatusClaimsNothingMore(t *testing.T) {
	serving := newStatus(v1alpha1.ZSetClusterStatus{}, 1, planned(shardOf(2, well)), testNow)
	gone := newStatus(serving, 1, planned(shardOf(2, func(s *shard) { s.headless(); s.lease = record{} })), testNow)
	if gone.Primary != "" || gone.ReadyShards != "0/1" || gone.Shards[0].Primary != "" || gone.Shards[0].Ready || gone.Shards[0].Epoch != 7 {
		t.Errorf("%+v", gone)
	}
}

// The same facts later give the same status, times included, so that nothing is written. What always changes, offsets and small
// lags, changes nothing either; it shows when something else did, or when a lag is of another order of magnitude.
func TestStatusIsCalm(t *testing.T) {
	seen := func(offset, lag int64, change func(*shard)) *facts {
		return planned(shardOf(3, func(s *shard) {
			for i := range s.pods {
				s.pods[i].said.Offset = offset
			}
			s.pods[1].said.Offset -= lag
			change(s)
		}))
	}
	first := newStatus(v1alpha1.ZSetClusterStatus{}, 1, seen(5000, 0, well), testNow)
	for _, test := range []struct {
		name  string
		facts *facts
		write bool
	}{
		{"nothing happened", seen(5000, 0, well), false},
		{"writes", seen(5<<20, 0, well), false},
		{"writes, and a replica is a little behind", seen(5<<20, 1<<20-1, well), false},
		{"a replica is behind", seen(5<<20, 1<<20, well), true},
		{"a replica is behind, of which the lag was not known", seen(5<<20, 0, func(s *shard) { s.pods[1].said.PositionEpoch = 6 }), true},
		{"a replica is out of sync", seen(5<<20, 0, func(s *shard) { s.lags(1) }), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			later := newStatus(first, 1, test.facts, testNow.Add(time.Hour))
			if changed := !equality.Semantic.DeepEqual(first, later); changed != test.write {
				t.Errorf("written: %v\n%s", changed, cmp.Diff(first, later))
			}
			if test.write && later.Shards[0].Members[0].Offset != 5<<20 {
				t.Errorf("what is written is old: %+v", later.Shards[0].Members[0])
			}
			if e := history(first, later, test.facts); !test.write && len(e) > 0 {
				t.Errorf("events of nothing: %v", e)
			}
		})
	}
	for bytes, want := range map[int64]int64{0: 0, 1<<20 - 1: 0, 1 << 20: 1, 16<<20 - 1: 1, 16 << 20: 2, 256<<20 - 1: 2, 256 << 20: 3, 1 << 40: 3} {
		if got := lagClass(bytes); got != want {
			t.Errorf("%d bytes are of class %d, want %d", bytes, got, want)
		}
	}
}

// Messages of what a person must mend say what to do.
func TestMessagesSayWhatToDo(t *testing.T) {
	for _, test := range []struct {
		kind   string
		shards []shard
		want   []string
	}{
		{"Degraded", shardOf(2, func(s *shard) { silent(&s.pods[1]) }), []string{"board-s0-1", "connection refused", "network policies", "6379"}},
		{"Degraded", shardOf(2, func(s *shard) { differs(&s.pods[1]); s.pods[1].refusal = "ERR CONFIG SET failed" }), []string{"ERR CONFIG SET failed", "Change spec.engine"}},
		{"Degraded", shardOf(2, func(s *shard) { s.outdate(0); s.fails(1) }), []string{"board-s0-1 does not come up: no image.", "Correct the spec"}},
		{"Degraded", shardOf(2, func(s *shard) {
			s.lags(1)
			s.pods[1].late, s.pods[1].said.Role, s.pods[1].said.Waits = true, "standby", "it is behind"
		}), []string{"not been ready for 3m0s: it is behind", "kubectl logs board-s0-1"}},
		{"Degraded", shardOf(2, func(s *shard) { s.lease = record{} }), []string{"Lease board-s0 is gone", "Do not delete it"}},
		{"Degraded", shardOf(2, func(s *shard) { s.pods[1].said.Waits = "leases is forbidden" }), []string{"leases is forbidden", "RoleBinding"}},
		{"InSync", shardOf(2, well), []string{"asynchronous", "may lose the last writes"}},
		{"InSync", shardOf(2, func(s *shard) { s.minSync = 1 }), []string{"no acknowledged write would be lost"}},
		{"InSync", shardOf(3, func(s *shard) { s.starts(2) }), []string{"finds 1 successors", "not in sync: board-s0-2"}},
		{"Ready", shardOf(2, func(s *shard) {
			s.lease.holder = identity{}
			s.pods[0].said.Waits, s.pods[1].said.Waits = "it has no data", "board-s0-0 may"
		}), []string{"board-s0-0: it has no data; board-s0-1: board-s0-0 may"}},
	} {
		message := meta.FindStatusCondition(newStatus(since(reasonUnreachable), 1, planned(test.shards), testNow).Conditions, test.kind).Message
		for _, part := range test.want {
			if !strings.Contains(message, part) {
				t.Errorf("%q lacks %q", message, part)
			}
		}
	}
}
