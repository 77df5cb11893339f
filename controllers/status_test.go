package controllers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"

	"zset.dev/operator/api/v1alpha1"
)

var testNow = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// planned are the facts of a reconcile that looked at shards and planned, and did nothing yet.
func planned(shards []shard) *facts {
	f := &facts{endpoint: "board:6379", want: testWant, shards: shards}
	f.step = plan(f.shards, f.want)
	return f
}

// Every condition for everything that can be observed, as "STATUS Reason".
func TestConditions(t *testing.T) {
	blocked := func(f *facts) *facts { f.problem = &problem{reasonNameTaken, "rename it"}; return f }
	for _, test := range []struct {
		name                                        string
		facts                                       *facts
		ready, progressing, degraded, configApplied string
	}{
		{"all well", planned(onePod(func(*shard, *pod) {})),
			"True Serving", "False Settled", "False AsExpected", "True Applied"},
		{"nothing there yet", planned([]shard{{name: "board-s0", settling: true}}),
			"False PodMissing", "True WaitingForPods", "False AsExpected", "False Pending"},
		{"pod not scheduled yet", planned(onePod(func(_ *shard, p *pod) { p.ready, p.address = false, ""; silent(p) })),
			"False PodNotReady", "True WaitingForPods", "False AsExpected", "False Pending"},
		{"node starts", planned(onePod(func(_ *shard, p *pod) { p.ready = false; silent(p) })),
			"False PodNotReady", "True WaitingForPods", "False AsExpected", "False Pending"},
		{"node silent", planned(onePod(func(_ *shard, p *pod) { silent(p) })),
			"False NodeUnreachable", "True WaitingForPods", "True NodeUnreachable", "False NodeUnreachable"},
		{"pod stuck", planned(onePod(func(_ *shard, p *pod) { p.ready, p.address, p.stuck = false, "", "no image"; silent(p) })),
			"False PodNotReady", "True WaitingForPods", "True PodStuck", "False Pending"},
		{"node to be configured", planned(onePod(func(_ *shard, p *pod) { differs(p) })),
			"True Serving", "True ConfiguringNodes", "False AsExpected", "False Pending"},
		{"node refused", planned(onePod(func(_ *shard, p *pod) { differs(p); p.refusal = "ERR no" })),
			"True Serving", "True ConfiguringNodes", "True Rejected", "False Rejected"},
		{"pod outdated", planned(onePod(func(_ *shard, p *pod) { p.outdated = true })),
			"True Serving", "True ReplacingPod", "False AsExpected", "True Applied"},
		{"pod outdated and node differs", planned(onePod(func(_ *shard, p *pod) { p.outdated = true; differs(p) })),
			"True Serving", "True ReplacingPod", "False AsExpected", "False Pending"},
		{"pod ends", planned(onePod(func(_ *shard, p *pod) { p.terminating, p.address = true, ""; silent(p) })),
			"False PodTerminating", "True WaitingForPods", "False AsExpected", "False Pending"},
		{"blocked while serving", blocked(planned(onePod(func(*shard, *pod) {}))),
			"True Serving", "False Blocked", "True NameTaken", "False Pending"},
		{"blocked from the start", blocked(&facts{}),
			"False Blocked", "False Blocked", "True NameTaken", "False Pending"},
		{"left by an earlier cluster", &facts{applied: applied{leaving: "ConfigMap board-config"}, shards: []shard{{name: "board-s0"}}},
			"False PodMissing", "True WaitingForDeletion", "False AsExpected", "False Pending"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status := newStatus(v1alpha1.ZSetClusterStatus{}, 7, test.facts, testNow)
			got := map[string]string{}
			for _, c := range status.Conditions {
				got[c.Type] = string(c.Status) + " " + c.Reason
				if c.ObservedGeneration != 7 || c.Message == "" || !c.LastTransitionTime.Time.Equal(testNow) {
					t.Errorf("condition %+v", c)
				}
			}
			want := map[string]string{"Ready": test.ready, "Progressing": test.progressing, "Degraded": test.degraded, "ConfigApplied": test.configApplied}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Status names a primary only while one serves.
func TestStatusClaimsNothingMore(t *testing.T) {
	serving := newStatus(v1alpha1.ZSetClusterStatus{}, 1, planned(onePod(func(*shard, *pod) {})), testNow)
	want := v1alpha1.ShardStatus{Name: "board-s0", Primary: "board-s0-0", Ready: true}
	if serving.Primary != "board-s0-0" || serving.ReadyShards != "1/1" || serving.Endpoint != "board:6379" || !equality.Semantic.DeepEqual(serving.Shards[0], want) {
		t.Errorf("serving: %+v", serving)
	}
	gone := newStatus(serving, 1, planned(onePod(func(_ *shard, p *pod) { silent(p) })), testNow)
	if gone.Primary != "" || gone.ReadyShards != "0/1" || !equality.Semantic.DeepEqual(gone.Shards[0], v1alpha1.ShardStatus{Name: "board-s0"}) {
		t.Errorf("silent: %+v", gone)
	}
}

// The same facts later give the same status, times included, so that nothing is written.
func TestStatusIsStable(t *testing.T) {
	facts := planned(onePod(func(_ *shard, p *pod) { silent(p) }))
	first := newStatus(v1alpha1.ZSetClusterStatus{}, 1, facts, testNow)
	later := newStatus(first, 1, facts, testNow.Add(time.Hour))
	if !equality.Semantic.DeepEqual(first, later) {
		t.Error(cmp.Diff(first, later))
	}
	if e := history(first, later, facts); len(e) > 0 {
		t.Errorf("events of nothing: %v", e)
	}
}

// Messages of what a person must mend say what to do.
func TestMessagesSayWhatToDo(t *testing.T) {
	for _, test := range []struct {
		shards []shard
		want   []string
	}{
		{onePod(func(_ *shard, p *pod) { silent(p) }), []string{"board-s0-0", "connection refused", "network policies", "6379"}},
		{onePod(func(_ *shard, p *pod) { differs(p); p.refusal = "ERR CONFIG SET failed" }), []string{"ERR CONFIG SET failed", "Change spec.engine"}},
	} {
		message := meta.FindStatusCondition(newStatus(v1alpha1.ZSetClusterStatus{}, 1, planned(test.shards), testNow).Conditions, "Degraded").Message
		for _, part := range test.want {
			if !strings.Contains(message, part) {
				t.Errorf("%q lacks %q", message, part)
			}
		}
	}
}
