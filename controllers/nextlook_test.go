package controllers

import (
	"testing"
	"time"

	"zset.dev/operator/api/v1alpha1"
)

func TestNextLook(t *testing.T) {
	const interval = 30 * time.Second
	for _, test := range []struct {
		name    string
		facts   *facts
		elapsed time.Duration // since the tuning was last applied
		want    time.Duration
	}{
		{"all well", planned(onePod(func(*shard, *pod) {})), 0, interval},
		{"pod starts: a watch tells", planned(onePod(func(_ *shard, p *pod) { p.ready = false; silent(p) })), 0, interval},
		{"another step due", planned(onePod(func(_ *shard, p *pod) { differs(p) })), 0, lookAtOnce},
		{"blocked", &facts{problem: &problem{}}, 0, lookAtProblem},
		{"left by an earlier cluster", &facts{applied: applied{leaving: "x"}}, 0, lookForDeleted},
		{"node silent, just now", planned(onePod(func(_ *shard, p *pod) { silent(p) })), 0, time.Second},
		{"node silent for a while", planned(onePod(func(_ *shard, p *pod) { silent(p) })), 20 * time.Second, 10 * time.Second},
		{"node silent for long", planned(onePod(func(_ *shard, p *pod) { silent(p) })), time.Hour, interval},
		{"node refuses: not at once again", planned(onePod(func(_ *shard, p *pod) { differs(p); p.refusal = "ERR" })), time.Minute, interval},
		{"pod ends while silent", planned(onePod(func(_ *shard, p *pod) { silent(p); p.terminating = true })), time.Minute, interval},
	} {
		t.Run(test.name, func(t *testing.T) {
			status := newStatus(v1alpha1.ZSetClusterStatus{}, 1, test.facts, testNow.Add(-test.elapsed))
			if got := nextLook(status, test.facts, testNow, interval); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
