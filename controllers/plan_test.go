package controllers

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// told is a step in one line.
func told(st step) string {
	switch st.kind {
	case settled:
		return "settled"
	case wait:
		if st.halted {
			return "stop " + st.reason + ": " + st.why
		}
		return "wait " + st.reason + ": " + st.why
	case configure:
		return fmt.Sprintf("configure %s: %s", st.pod.name, st.set)
	case handOver:
		return fmt.Sprintf("hand over %s to %s: %s", st.pod.name, st.to.name, st.why)
	case replacePod:
		return "replace " + st.pod.name
	}
	return "?"
}

// Each rule of the order, for shards of one to four pods. Pod 0 is primary unless the row says otherwise. What is wanted may be the
// beginning of what is told.
func TestPlan(t *testing.T) {
	const template = "it is of an earlier template"
	rests := attempt{from: "board-s0-0", to: "board-s0-1", why: "a reason", epoch: 7, failed: 1, trouble: "ERR no", until: testNow.Add(time.Second)}
	for _, test := range []struct {
		name   string
		shards []shard
		want   string
	}{
		{"all well", shardOf(3, well), "settled"},
		{"no StatefulSet yet", []shard{{name: "board-s0", settling: true}}, "wait WaitingForPods: waiting for Kubernetes to take up StatefulSet board-s0"},
		{"no pod yet", []shard{{name: "board-s0", kept: 2}}, "wait WaitingForPods: waiting for a pod of StatefulSet board-s0"},
		{"a pod missing", shardOf(2, func(s *shard) { s.size, s.kept = 3, 3 }), "wait WaitingForPods: waiting for StatefulSet board-s0 to make 3 pods; there are 2"},
		{"a pod starts", shardOf(2, func(s *shard) { s.starts(1) }), "wait WaitingForPods: waiting for pod board-s0-1 to become ready"},
		{"a pod gets a copy", shardOf(2, func(s *shard) { s.lags(1); s.pods[1].said.Syncing = true }), "wait WaitingForPods: waiting for pod board-s0-1 to get a copy of the data"},
		{"a pod ready and silent", shardOf(2, func(s *shard) { silent(&s.pods[1]) }), "wait WaitingForPods: waiting for the node in pod board-s0-1 to answer"},
		{"a pod ready and not in sync", shardOf(2, func(s *shard) { s.lags(1); s.pods[1].ready = true }), "wait WaitingForPods: waiting for pod board-s0-1 to be in sync"},
		{"an earlier process of the pod was in sync", shardOf(2, func(s *shard) { s.pods[1].said.Identity = "board-s0-1/uid-1/other" }), "wait WaitingForPods: waiting for pod board-s0-1 to be in sync"},
		{"an earlier pod of the name was in sync", shardOf(2, func(s *shard) { s.pods[1].uid = "other" }), "wait WaitingForPods: waiting for pod board-s0-1 to be in sync"},

		{"a node differs", shardOf(2, func(s *shard) { differs(&s.pods[1]) }), "configure board-s0-1: zset-skiplist-p 1/e"},
		{"a node differs, not ready yet", shardOf(2, func(s *shard) { differs(&s.pods[1]); s.lags(1) }), "configure board-s0-1"},
		{"a node differs, revision unknown", shardOf(2, func(s *shard) { differs(&s.pods[1]); s.settling = true }), "wait WaitingForPods: waiting for Kubernetes"},
		{"a node differs, pod ends", shardOf(2, func(s *shard) { differs(&s.pods[1]); s.pods[1].terminating = true }), "wait WaitingForPods: waiting for pod board-s0-1 to end"},
		{"a node differs, pod outdated", shardOf(2, func(s *shard) { differs(&s.pods[1]); s.outdate(1) }), "replace board-s0-1"},
		{"a node refused", shardOf(2, func(s *shard) { differs(&s.pods[1]); s.pods[1].refusal = "ERR no" }), "wait ConfiguringNodes: pod board-s0-1 does not take zset-skiplist-p 1/e"},
		{"a node refused, another is outdated", shardOf(3, func(s *shard) { differs(&s.pods[1]); s.pods[1].refusal = "ERR no"; s.outdate(2) }), "replace board-s0-2"},
		{"a node differs while the primary's machine goes", shardOf(2, func(s *shard) { differs(&s.pods[1]); s.pods[0].leaving = "is cordoned" }), "configure board-s0-1"},

		{"switchover asked for", shardOf(3, func(s *shard) { s.preferred = "board-s0-2" }), "hand over board-s0-0 to board-s0-2: spec.failover.preferredPrimary asks for it"},
		{"switchover done", shardOf(3, func(s *shard) { s.preferred = "board-s0-2"; s.leads(2) }), "settled"},
		{"switchover to one not in sync", shardOf(3, func(s *shard) { s.preferred = "board-s0-2"; s.lags(2) }), "wait WaitingForPods: waiting for pod board-s0-2 to become ready"},
		{"switchover to one that there is not", shardOf(2, func(s *shard) { s.preferred = "board-s0-2" }), "wait SwitchingOver: waiting for pod board-s0-2, which spec.failover.preferredPrimary names: there is no such pod"},
		{"switchover to one whose machine goes", shardOf(2, func(s *shard) { s.preferred, s.pods[1].leaving = "board-s0-1", "is cordoned" }), "wait SwitchingOver: waiting for pod board-s0-1, which spec.failover.preferredPrimary names: its Kubernetes node machine-1 is cordoned"},
		{"switchover to an outdated one comes after the rollout", shardOf(3, func(s *shard) { s.preferred = "board-s0-2"; s.outdate(2) }), "replace board-s0-2"},
		{"switchover away from an outdated primary", shardOf(3, func(s *shard) { s.preferred = "board-s0-2"; s.outdate(0, 1) }), "hand over board-s0-0 to board-s0-2: spec.failover"},
		{"switchover refused: not in a loop", shardOf(2, func(s *shard) { s.preferred, s.handover = "board-s0-1", rests }), "stop HandOverFailed: handing over from board-s0-0 to board-s0-1 (a reason) failed: ERR no. It is tried again"},
		{"switchover refused: a rollout goes on", shardOf(3, func(s *shard) { s.preferred, s.handover = "board-s0-1", rests; s.outdate(2) }), "replace board-s0-2"},
		{"switchover refused: again after a while", shardOf(2, func(s *shard) { s.preferred, s.handover = "board-s0-1", rests; s.handover.until = testNow }), "hand over board-s0-0 to board-s0-1"},
		{"a hand-over is under way: nothing else", shardOf(3, func(s *shard) {
			s.handover = attempt{from: "board-s0-0", to: "board-s0-1", why: "a reason", epoch: 7}
			s.outdate(2)
		}), "wait HandingOver: pod board-s0-0 hands over to pod board-s0-1: a reason"},

		{"the primary's machine goes", shardOf(3, func(s *shard) { s.pods[0].leaving = "is cordoned" }), "hand over board-s0-0 to board-s0-1: its Kubernetes node machine-0 is cordoned"},
		{"and so does the first replica's", shardOf(3, func(s *shard) { s.pods[0].leaving, s.pods[1].leaving = "is cordoned", "is cordoned" }), "hand over board-s0-0 to board-s0-2"},
		{"and so do all", shardOf(2, func(s *shard) { s.pods[0].leaving, s.pods[1].leaving = "is cordoned", "is cordoned" }), "wait NoSuccessor: pod board-s0-0 should hand over (its Kubernetes node machine-0 is cordoned), but no replica elsewhere is in sync"},
		{"a replica's machine goes", shardOf(3, func(s *shard) { s.pods[1].leaving = "is cordoned" }), "settled"},
		{"the primary's machine goes, the preferred one is spared another hand-over", shardOf(3, func(s *shard) { s.pods[0].leaving, s.preferred = "is cordoned", "board-s0-2" }), "hand over board-s0-0 to board-s0-2"},
		{"the preferred one's machine goes", shardOf(3, func(s *shard) { s.pods[0].leaving, s.preferred = "is cordoned", "board-s0-0" }), "hand over board-s0-0 to board-s0-1"},
		{"and it is not handed back to it", shardOf(3, func(s *shard) {
			s.pods[0].leaving, s.preferred = "is cordoned", "board-s0-0"
			s.leads(1)
		}), "wait SwitchingOver"},
		{"the primary's machine goes while a rollout is stopped", shardOf(3, func(s *shard) { s.pods[0].leaving = "is cordoned"; s.fails(2); s.outdate(0, 1) }), "hand over board-s0-0 to board-s0-1"},
		{"the primary's machine goes, a replica of the current template is better", shardOf(3, func(s *shard) { s.pods[0].leaving = "is cordoned"; s.outdate(0, 1) }), "hand over board-s0-0 to board-s0-2"},
		{"the primary's pod ends already: it hands over by itself", shardOf(2, func(s *shard) { s.pods[0].leaving, s.pods[0].terminating = "is cordoned", true }), "wait WaitingForPods: waiting for pod board-s0-0 to end"},

		{"replicas first, the highest", shardOf(3, func(s *shard) { s.outdate(0, 1, 2) }), "replace board-s0-2"},
		{"one at a time: it ends", shardOf(3, func(s *shard) { s.outdate(0, 1, 2); s.pods[2].terminating = true }), "wait RollingOut: waiting for pod board-s0-2 to end"},
		{"one at a time: it is made anew", shardOf(3, func(s *shard) { s.outdate(0, 1); s.pods = s.pods[:2] }), "wait RollingOut: waiting for StatefulSet board-s0 to make 3 pods; there are 2"},
		{"one at a time: it starts", shardOf(3, func(s *shard) { s.outdate(0, 1); s.starts(2) }), "wait RollingOut: waiting for pod board-s0-2 to become ready"},
		{"one at a time: it is not in sync", shardOf(3, func(s *shard) { s.outdate(0, 1); s.lags(2); s.pods[2].ready = true }), "wait RollingOut: waiting for pod board-s0-2 to be in sync"},
		{"then the next", shardOf(3, func(s *shard) { s.outdate(0, 1) }), "replace board-s0-1"},
		{"then the primary hands over", shardOf(3, func(s *shard) { s.outdate(0) }), "hand over board-s0-0 to board-s0-1: " + template},
		{"not before every replica is in sync", shardOf(3, func(s *shard) { s.outdate(0); s.lags(2) }), "wait RollingOut: waiting for pod board-s0-2 to become ready"},
		{"not to one whose machine goes", shardOf(2, func(s *shard) { s.outdate(0); s.pods[1].leaving = "is cordoned" }), "wait NoSuccessor: pod board-s0-0 should hand over (" + template},
		{"the old primary not while its writers wait for the new one", shardOf(3, func(s *shard) { s.outdate(0); s.leads(1); s.pods[0].said.Handover = "releasing" }), "wait RollingOut: waiting for pod board-s0-0 to let its clients go to the new primary"},
		{"the old primary last", shardOf(3, func(s *shard) { s.outdate(0); s.leads(1) }), "replace board-s0-0"},
		{"the last one comes back", shardOf(3, func(s *shard) { s.rolling = true; s.leads(1); s.starts(0) }), "wait RollingOut: waiting for pod board-s0-0 to become ready"},
		{"the primary is none of the first", shardOf(3, func(s *shard) { s.leads(2); s.outdate(0, 1, 2) }), "replace board-s0-1"},
		{"outdated by a guess", shardOf(2, func(s *shard) { s.outdate(0, 1); s.settling = true }), "wait WaitingForPods: waiting for Kubernetes"},
		{"the hand-over failed", shardOf(2, func(s *shard) { s.outdate(0); s.handover = rests }), "stop HandOverFailed"},

		{"a new pod does not come up: no further one", shardOf(3, func(s *shard) { s.outdate(0, 1); s.fails(2) }), "stop RolloutStopped: no further pod is replaced, because board-s0-2 does not come up"},
		{"a new pod is not ready for long: no further one", shardOf(3, func(s *shard) { s.outdate(0, 1); s.lags(2); s.pods[2].late = true }), "stop RolloutStopped"},
		{"a new pod does not come up, and another is not well", shardOf(3, func(s *shard) { s.outdate(0, 1); s.fails(2); s.lags(1) }), "stop RolloutStopped"},
		{"the corrected spec: what does not come up first", shardOf(3, func(s *shard) { s.outdate(0, 1, 2); s.fails(2) }), "replace board-s0-2"},
		{"the change taken back", shardOf(3, func(s *shard) { s.outdate(2); s.fails(2) }), "replace board-s0-2"},
		{"the broken one is not the highest", shardOf(3, func(s *shard) { s.outdate(0, 1, 2); s.fails(1) }), "replace board-s0-1"},
		{"an outdated one is out of sync: it is as good as any", shardOf(3, func(s *shard) { s.outdate(0, 1, 2); s.lags(1) }), "replace board-s0-1"},

		{"the primary is dead, its successor has not claimed yet", shardOf(2, func(s *shard) { s.outdate(0, 1); s.fails(0) }), "replace board-s0-0"},
		{"the primary is silent: what was in sync is spared", shardOf(3, func(s *shard) { s.outdate(0, 1, 2); s.headless() }), "wait RollingOut: waiting for pod board-s0-0 to become ready before it is replaced: no other pod serves"},
		{"the primary is fenced: nothing is taken away", shardOf(3, func(s *shard) { s.outdate(1, 2); s.pods[0].said.Fenced = true }), "wait RollingOut: waiting for a primary that serves"},
		{"the primary is fenced and not ready", shardOf(3, func(s *shard) { s.outdate(0, 1, 2); s.pods[0].said.Fenced, s.pods[0].ready = true, false }), "wait RollingOut: waiting for pod board-s0-0 to become ready before it is replaced"},
		{"nobody was ever primary: every pod may go", shardOf(2, func(s *shard) {
			s.lease, s.reported = record{}, 0
			s.outdate(0, 1)
			s.lags2()
		}), "replace board-s0-0"},
		{"nobody was ever primary: the second too, while the first does not come up", shardOf(2, func(s *shard) {
			s.lease, s.reported = record{}, 0
			s.outdate(1)
			s.lags2()
		}), "replace board-s0-1"},
		{"the Lease was deleted: nothing is taken away", shardOf(2, func(s *shard) { s.lease = record{}; s.outdate(0, 1); s.lags2() }), "wait RollingOut"},

		{"too many pods, the primary among them", shardOf(3, func(s *shard) { s.leads(2); s.size = 2 }), "hand over board-s0-2 to board-s0-0: the spec asks for 2 pods, and board-s0-2 is one too many"},
		{"too many pods, only one that goes is in sync", shardOf(3, func(s *shard) { s.leads(2); s.size = 1; s.lags(0) }), "wait WaitingForPods"},
		{"too many pods, kept for a while", shardOf(3, func(s *shard) { s.size, s.keptWhy = 2, "because" }), "wait ScalingDown: because"},
		{"a hand-over never goes to a pod that goes", shardOf(3, func(s *shard) { s.size = 2; s.pods[0].leaving, s.pods[1].leaving = "is cordoned", "is cordoned" }), "wait NoSuccessor"},

		{"one pod: outdated", shardOf(1, func(s *shard) { s.outdate(0) }), "replace board-s0-0"},
		{"one pod: outdated and fenced", shardOf(1, func(s *shard) { s.outdate(0); s.pods[0].said.Fenced, s.pods[0].ready = true, false }), "replace board-s0-0"},
		{"one pod: its machine goes", shardOf(1, func(s *shard) { s.pods[0].leaving = "is cordoned" }), "wait NoSuccessor"},
		{"a node of no shard", onePod(func(*shard, *pod) {}), "settled"},
		{"a node of no shard, outdated", onePod(func(_ *shard, p *pod) { p.outdated = true }), "replace board-s0-0"},
		{"a node of no shard, outdated and silent", onePod(func(_ *shard, p *pod) { p.outdated = true; silent(p) }), "replace board-s0-0"},
		{"a node of no shard, outdated, ends", onePod(func(_ *shard, p *pod) { p.outdated, p.terminating = true, true }), "wait RollingOut: waiting for pod board-s0-0 to end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			st := plan(test.shards, testWant, testNow)
			if got := told(st); !strings.HasPrefix(got, test.want) {
				t.Errorf("%s\nwant %s", got, test.want)
			}
			if st.pod != nil && st.pod != &test.shards[0].pods[st.pod.ordinal] {
				t.Error("the step is not about the pod that was observed")
			}
		})
	}
}

// lags2 has both of two pods run, as standbys that are nothing else.
func (s *shard) lags2() {
	for i := range s.pods {
		s.pods[i].said.InSync, s.pods[i].ready, s.pods[i].said.Role = false, false, "standby"
	}
}

// Several shards: directives and hand-overs go out at once, but only one pod is away at a time.
func TestPlanSeveralShards(t *testing.T) {
	outdated := func(s *shard) { s.outdate(0, 1) }
	both := append(shardOf(2, outdated), shardOf(2, outdated)...)
	both[1].name = "board-s1"
	if st := plan(both, testWant, testNow); st.kind != replacePod || st.shard != &both[0] {
		t.Errorf("first step: %s", told(st))
	}
	both[0].pods[1].terminating = true
	if st := plan(both, testWant, testNow); st.kind != wait {
		t.Errorf("a second pod goes while the first is away: %s", told(st))
	}
	both[1].pods[0].leaving = "is cordoned"
	if st := plan(both, testWant, testNow); st.kind != handOver || st.shard != &both[1] {
		t.Errorf("a hand-over waits for another shard's pod: %s", told(st))
	}
	both[1].outdate()
	both[1].pods[1].outdated = false
	differs(&both[1].pods[1])
	if st := plan(both, testWant, testNow); st.kind != configure || st.shard != &both[1] {
		t.Errorf("tuning waits for another shard's pod: %s", told(st))
	}
}

// How many pods a StatefulSet keeps when fewer are asked for than there are.
func TestKeep(t *testing.T) {
	for _, test := range []struct {
		name          string
		shards        []shard
		size, current int
		want          int
		why           string
	}{
		{"as many", shardOf(2, well), 2, 2, 2, ""},
		{"more: at once", shardOf(2, well), 4, 2, 4, ""},
		{"fewer", shardOf(3, well), 2, 3, 2, ""},
		{"fewer: the primary is one of them", shardOf(3, func(s *shard) { s.leads(2) }), 2, 3, 3, "once board-s0-2, which is one of them, has handed over"},
		{"fewer: who stays is not in sync, who goes is", shardOf(3, func(s *shard) { s.lags(1) }), 2, 3, 3, "once 1 of the replicas that stay are in sync; 0 are"},
		{"fewer: nobody is in sync: it makes nothing worse", shardOf(3, func(s *shard) { s.lags(2); s.lags(1) }), 2, 3, 2, ""},
		{"to the primary alone", shardOf(3, well), 1, 3, 1, ""},
		{"as many in sync as writes need", shardOf(4, func(s *shard) { s.minSync = 2; s.lags(2) }), 3, 4, 4, "once 2 of the replicas that stay are in sync; 1 are"},
		{"nobody serves", shardOf(3, func(s *shard) { s.headless() }), 2, 3, 3, "while shard board-s0 has no primary that serves"},
		{"nobody ever served", shardOf(3, func(s *shard) { s.starts(0, 1, 2); s.lease, s.reported = record{}, 0 }), 2, 3, 2, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, why := test.shards[0].keep(test.size, test.current)
			if got != test.want || (why == "") != (test.why == "") || !strings.Contains(why, test.why) {
				t.Errorf("%d (%s), want %d (%s)", got, why, test.want, test.why)
			}
		})
	}
}

// What became of a hand-over from pod 0 to pod 1 that was asked for in epoch 7.
func TestJudge(t *testing.T) {
	asked := attempt{from: "board-s0-0", to: "board-s0-1", why: "a reason", epoch: 7}
	for _, test := range []struct {
		name   string
		shards []shard
		after  time.Duration
		want   string // "", done, or why it failed
		kept   bool   // it is remembered
	}{
		{"just asked for", shardOf(2, well), time.Millisecond, "", true},
		{"the primary waits", shardOf(2, func(s *shard) { s.pods[0].said.Handover = "waiting" }), 2 * time.Second, "", true},
		{"the primary gave it up", shardOf(2, well), 2 * time.Second, "the primary gave it up and goes on", true},
		{"the record was given up, nobody has it yet", shardOf(2, func(s *shard) { s.lease.holder = identity{} }), 2 * time.Second, "", true},
		{"the successor has it", shardOf(2, func(s *shard) { s.leads(1) }), 300 * time.Millisecond, "done", false},
		{"another has it", shardOf(3, func(s *shard) { s.leads(2) }), time.Second, "board-s0-2 took over instead", false},
		{"it came back", shardOf(2, func(s *shard) { s.leads(0) }), time.Second, "the successor did not take over, and board-s0-0 is primary again", true},
		{"nobody answers, for a while", shardOf(2, func(s *shard) { s.starts(0, 1) }), handoverTimeout + handoverSlack - 1, "", true},
		{"nobody answers", shardOf(2, func(s *shard) { s.starts(0, 1) }), handoverTimeout + handoverSlack, "nothing came of it in time", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := asked
			a.began = testNow.Add(-test.after)
			kept, v := a.judge(&test.shards[0], testNow)
			got := v.attempt.trouble
			if v.done {
				got = "done"
			}
			if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") || v.failed != (got != "" && !v.done) || (kept != attempt{}) != test.kept {
				t.Errorf("%q, kept %+v; want %q", got, kept, test.want)
			}
			if v.failed && test.kept && !kept.rests(testNow.Add(leastRest-1)) {
				t.Errorf("it is tried again at once: %+v", kept)
			}
		})
	}
}

// A hand-over that fails again and again is tried more and more rarely, but not given up; a new primary ends it.
func TestRestsGrow(t *testing.T) {
	a := attempt{from: "board-s0-0", to: "board-s0-1", epoch: 7}
	for _, want := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 160 * time.Second, mostRest, mostRest} {
		a = a.fail("ERR no", testNow)
		if got := a.until.Sub(testNow); got != want {
			t.Errorf("after failure %d it rests for %v, want %v", a.failed, got, want)
		}
	}
	a.failed = 1 << 20
	if a = a.fail("ERR no", testNow); a.until.Sub(testNow) != mostRest {
		t.Errorf("after very many it rests for %v", a.until.Sub(testNow))
	}
	s := shardOf(2, func(s *shard) { s.leads(1); s.leads(0) })
	if kept, v := a.judge(&s[0], testNow); kept != (attempt{}) || v != (verdict{}) {
		t.Errorf("it still rests although somebody took over since: %+v", kept)
	}
}
