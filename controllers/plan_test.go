package controllers

import (
	"maps"
	"testing"

	"zset.dev/operator/controllers/tuning"
)

var (
	testWant = tuning.List{{Name: "zset-skiplist-p", Value: "1/e"}, {Name: "maxmemory", Value: "0"}}
	testHave = map[string]string{"zset-skiplist-p": "1/e", "maxmemory": "0"}
)

// onePod is a shard whose pod serves as wanted, but for what change does to it.
func onePod(change func(*shard, *pod)) []shard {
	s := shard{name: "board-s0", pods: []pod{{
		name: "board-s0-0", uid: "1", address: "10.0.0.1:6379", ready: true, answered: true, config: maps.Clone(testHave),
	}}}
	change(&s, &s.pods[0])
	return []shard{s}
}

func differs(p *pod) { p.config["zset-skiplist-p"] = "0.25" }

func silent(p *pod) { p.answered, p.config, p.silence = false, nil, "connection refused" }

func TestPlan(t *testing.T) {
	for _, test := range []struct {
		name   string
		shards []shard
		want   stepKind
		why    string
	}{
		{"all well", onePod(func(*shard, *pod) {}), settled, ""},
		{"no StatefulSet yet", []shard{{name: "board-s0", settling: true}}, wait, "waiting for Kubernetes to take up StatefulSet board-s0"},
		{"no pod yet", []shard{{name: "board-s0"}}, wait, "waiting for a pod of StatefulSet board-s0"},
		{"pod starts", onePod(func(_ *shard, p *pod) { p.ready = false; silent(p) }), wait, "waiting for pod board-s0-0 to become ready"},
		{"pod ready, node silent", onePod(func(_ *shard, p *pod) { silent(p) }), wait, "waiting for the node in pod board-s0-0 to answer"},
		{"node differs", onePod(func(_ *shard, p *pod) { differs(p) }), configure, ""},
		{"node differs, pod not ready yet", onePod(func(_ *shard, p *pod) { differs(p); p.ready = false }), configure, ""},
		{"node differs, revision unknown", onePod(func(s *shard, p *pod) { differs(p); s.settling = true }), wait, "waiting for Kubernetes to take up StatefulSet board-s0"},
		{"node differs, pod ends", onePod(func(_ *shard, p *pod) { differs(p); p.terminating = true }), wait, "waiting for pod board-s0-0 to end"},
		{"node differs, pod outdated", onePod(func(_ *shard, p *pod) { differs(p); p.outdated = true }), replacePod, ""},
		{"pod outdated", onePod(func(_ *shard, p *pod) { p.outdated = true }), replacePod, ""},
		{"pod outdated, not ready", onePod(func(_ *shard, p *pod) { p.outdated, p.ready = true, false }), replacePod, ""},
		{"pod outdated, node silent", onePod(func(_ *shard, p *pod) { p.outdated = true; silent(p) }), replacePod, ""},
		{"pod outdated by a guess", onePod(func(s *shard, p *pod) { p.outdated, s.settling = true, true }), wait, "waiting for Kubernetes to take up StatefulSet board-s0"},
		{"pod outdated, ends", onePod(func(_ *shard, p *pod) { p.outdated, p.terminating = true, true }), wait, "waiting for pod board-s0-0 to end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := plan(test.shards, testWant)
			if got.kind != test.want || got.why != test.why {
				t.Errorf("step %d (%s), want %d (%s)", got.kind, got.why, test.want, test.why)
			}
			if (got.kind == configure || got.kind == replacePod) && got.pod != &test.shards[0].pods[0] {
				t.Error("the step is not about the pod that was observed")
			}
			if got.kind == configure && got.set.String() != "zset-skiplist-p 1/e" {
				t.Errorf("sets %s, want only what differs", got.set)
			}
		})
	}
}

// Several shards: directives go out at once, but only one pod is away at a time.
func TestPlanSeveralShards(t *testing.T) {
	outdated := func(_ *shard, p *pod) { p.outdated = true }
	first, second := onePod(outdated), onePod(outdated)
	second[0].name, second[0].pods[0].name = "board-s1", "board-s1-0"
	both := append(first, second...)
	if s := plan(both, testWant); s.kind != replacePod || s.pod.name != "board-s0-0" {
		t.Errorf("first step: %+v", s)
	}
	both[0].pods[0].terminating = true
	if s := plan(both, testWant); s.kind != wait {
		t.Errorf("a second pod goes while the first is away: %+v", s)
	}
	both[0].pods = nil
	if s := plan(both, testWant); s.kind != wait {
		t.Errorf("a second pod goes before the first is back: %+v", s)
	}
	both[1].pods[0].outdated = false
	differs(&both[1].pods[0])
	if s := plan(both, testWant); s.kind != configure || s.pod.name != "board-s1-0" {
		t.Errorf("tuning waits for another shard's pod: %+v", s)
	}
}
