package controllers

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/tuning"
)

// A cluster's life, one reconcile after the other, and the events of each.
func TestHistory(t *testing.T) {
	with := func(f *facts, change func(*facts)) *facts { change(f); return f }
	asked := attempt{from: "board-s0-0", to: "board-s0-1", why: "a reason"}
	second := func(change func(s *shard)) func(s *shard) { // from then on pod 1 is primary
		return func(s *shard) { s.leads(1); change(s) }
	}
	var old v1alpha1.ZSetClusterStatus
	at := testNow
	for _, step := range []struct {
		name  string
		facts *facts
		want  []string
	}{
		{"objects made", &facts{applied: applied{created: []string{"Service board", "StatefulSet board-s0"}}, shards: []shard{{name: "board-s0", settling: true, size: 3, kept: 3}}},
			[]string{"Normal Created: created Service board, StatefulSet board-s0"}},
		{"pods start", planned(shardOf(3, func(s *shard) { s.starts(0, 1, 2); s.lease, s.reported = record{}, 0 })), nil},
		{"the first primary", planned(shardOf(3, func(s *shard) { s.lease.epoch, s.reported = 1, 0; s.starts(1, 2) })),
			[]string{"Normal PrimaryChanged: pod board-s0-0 became primary of shard board-s0, epoch 1 (before: none, epoch 0)", "Normal Ready: every shard has a primary that serves"}},
		{"replicas join", planned(shardOf(3, func(s *shard) { s.lease.epoch, s.reported = 1, 1 })),
			[]string{"Normal ReplicaInSync: pod board-s0-1 is in sync with the primary of shard board-s0", "Normal ReplicaInSync: pod board-s0-2 is in sync with the primary of shard board-s0"}},
		{"still serving", planned(shardOf(3, func(s *shard) { s.lease.epoch, s.reported = 1, 1 })), nil},
		{"tuned", with(planned(shardOf(3, func(s *shard) { s.lease.epoch, s.reported = 1, 1 })), func(f *facts) {
			f.applied.updated = []string{"ConfigMap board-config"}
			f.done.configured = []configured{{"board-s0-0", tuning.List{{Name: "maxmemory", Value: "0"}}}}
		}), []string{"Normal Updated: updated ConfigMap board-config", "Normal ConfigApplied: the node in pod board-s0-0 confirmed maxmemory 0"}},
		{"a hand-over begins", with(planned(shardOf(3, well)), func(f *facts) { f.done.handover = verdict{begun: true, attempt: asked} }),
			[]string{"Normal HandOverBegun: pod board-s0-0 was asked to hand over to pod board-s0-1: a reason",
				"Normal PrimaryChanged: pod board-s0-0 became primary of shard board-s0, epoch 7 (before: board-s0-0, epoch 1)"}},
		{"and is done", with(planned(shardOf(3, second(well))), func(f *facts) {
			f.done.judged = []verdict{{done: true, attempt: asked, took: 240 * time.Millisecond}}
		}), []string{"Normal HandOverDone: pod board-s0-1 took over from pod board-s0-0 within 240ms: a reason",
			"Normal PrimaryChanged: pod board-s0-1 became primary of shard board-s0, epoch 8 (before: board-s0-0, epoch 7)"}},
		{"another fails", with(planned(shardOf(3, second(well))), func(f *facts) {
			f.done.judged = []verdict{{failed: true, attempt: asked.fail("ERR no", testNow)}}
		}), []string{"Warning HandOverFailed: handing over from board-s0-0 to board-s0-1 (a reason) failed: ERR no"}},
		{"a template changes", with(planned(shardOf(3, second(func(s *shard) { s.outdate(2) }))), func(f *facts) { f.done.replaced = "board-s0-2" }),
			[]string{"Normal PodOutdated: deleted pod board-s0-2: it is of an earlier template and is made anew",
				"Normal RolloutBegun: pods are replaced one by one, because their template changed"}},
		{"the new pod starts", planned(shardOf(3, second(func(s *shard) { s.rolling = true; s.starts(2) }))),
			[]string{"Warning ReplicaOutOfSync: pod board-s0-2 is not in sync any more: it is ending, or starts anew"}},
		{"it does not come up", planned(shardOf(3, second(func(s *shard) { s.rolling = true; s.fails(2); s.outdate(0) }))),
			[]string{"Warning RolloutStopped: no further pod is replaced, because board-s0-2 does not come up: no image. The pods of the earlier template go on. Correct the spec, or take the change back."}},
		{"it is corrected", planned(shardOf(3, second(func(s *shard) { s.rolling = true; s.starts(2) }))),
			[]string{"Normal Recovered: nothing is wrong"}},
		{"the rollout is done", planned(shardOf(3, second(func(s *shard) { s.rolling = true }))),
			[]string{"Normal ReplicaInSync: pod board-s0-2 is in sync with the primary of shard board-s0", "Normal RolloutDone: every pod is of the current template"}},
		{"the primary is fenced", planned(shardOf(3, second(func(s *shard) { s.pods[1].said.Fenced, s.pods[1].said.Waits = true, "the API server does not answer" }))),
			[]string{"Warning PrimaryFenced: pod board-s0-1 holds the Lease, but takes no writes: the API server does not answer"}},
		{"another takes over, without the last writes", planned(shardOf(3, func(s *shard) { s.leads(1); s.leads(2); s.pods[2].said.Offset = 4900; silent(&s.pods[1]) })),
			[]string{"Normal PrimaryChanged: pod board-s0-2 became primary of shard board-s0, epoch 9 (before: none, epoch 8)",
				"Warning TailLost: pod board-s0-2 became primary of shard board-s0 without the last 100 bytes of the log that were seen: writes in it that were acknowledged are lost, as replication is asynchronous",
				"Normal Ready: every shard has a primary that serves"}},
		{"the Lease is deleted", planned(shardOf(3, func(s *shard) { s.lease, s.reported = record{}, 9; s.starts(0, 1, 2) })),
			[]string{"Warning ReplicaOutOfSync: pod board-s0-0 is not in sync any more: it is ending, or starts anew",
				"Warning NotReady: pod board-s0-0 is not ready",
				"Warning LeaseMissing: Lease board-s0 is gone, of epoch 9 at least. Its nodes make it anew, with a higher epoch. Do not delete it by hand: it holds who has the data."}},
		{"blocked instead", &facts{problem: &problem{reasonNameTaken, "rename it"}, shards: []shard{{name: "board-s0", reported: 9}}}, []string{"Warning NameTaken: rename it"}},
	} {
		t.Run(step.name, func(t *testing.T) {
			at = at.Add(time.Second)
			status := newStatus(old, 1, step.facts, at)
			if diff := cmp.Diff(step.want, tell(old, status, step.facts)); diff != "" {
				t.Error(diff)
			}
			old = status
		})
	}
}

func tell(old, status v1alpha1.ZSetClusterStatus, f *facts) (list []string) {
	for _, e := range append(deeds(f), history(old, status, f)...) {
		list = append(list, e.kind+" "+e.reason+": "+e.note)
	}
	return list
}

// What a new primary lacks, compared with what was seen before.
func TestHistoryOfLosses(t *testing.T) {
	for _, test := range []struct {
		name   string
		before func(*shard)
		after  func(*shard)
		want   []string // reasons, beside PrimaryChanged
	}{
		{"a replica in sync took over", well, func(s *shard) { s.leads(1) }, nil},
		{"with more than was seen", well, func(s *shard) { s.leads(1); s.pods[1].said.Offset = 6000 }, nil},
		{"with less", well, func(s *shard) { s.leads(1); s.pods[1].said.Offset = 4999 }, []string{"TailLost"}},
		{"one that was not in sync", func(s *shard) { s.lags(1) }, func(s *shard) { s.leads(1) }, []string{"UncleanFailover"}},
		{"everything was lost", well, func(s *shard) { s.leads(1); s.pods[1].said.Offset = 50 }, []string{"StartedEmpty"}},
		{"there was nothing", func(s *shard) { s.pods[0].said.Offset = 0 }, func(s *shard) { s.leads(1); s.pods[1].said.Offset = 0 }, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			old := newStatus(v1alpha1.ZSetClusterStatus{}, 1, planned(shardOf(2, test.before)), testNow)
			f := planned(shardOf(2, test.after))
			status := newStatus(old, 1, f, testNow)
			var got []string
			for _, e := range history(old, status, f) {
				if e.reason != eventPrimaryChanged {
					got = append(got, e.reason)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if again := tell(status, newStatus(status, 1, f, testNow), f); len(again) > 0 {
				t.Errorf("it is told again: %v", again)
			}
		})
	}
}

// A primary that may not write any more is told from one that has just taken over and may not yet.
func TestFencedOrJustBeginning(t *testing.T) {
	old := newStatus(v1alpha1.ZSetClusterStatus{}, 1, planned(shardOf(2, well)), testNow)
	for want, change := range map[string]func(*shard){
		eventPrimaryFenced: func(s *shard) { s.pods[0].said.Fenced = true },
		eventNotReady:      func(s *shard) { s.leads(1); s.pods[1].said.Fenced = true },
	} {
		f := planned(shardOf(2, change))
		var got []string
		for _, e := range transitions(old, newStatus(old, 1, f, testNow)) {
			got = append(got, e.reason)
		}
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Error(diff)
		}
	}
}
