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
		{"all well", planned(shardOf(2, well)), 0, interval},
		{"pod starts: a watch tells", planned(shardOf(2, func(s *shard) { s.starts(1) })), 0, interval},
		{"nobody answers: a watch tells", planned(shardOf(2, func(s *shard) { s.starts(0, 1) })), 0, interval},
		{"blocked", &facts{problem: &problem{}}, 0, lookAtProblem},
		{"left by an earlier cluster", &facts{applied: applied{leaving: "x"}}, 0, lookForDeleted},
		{"node silent, just now", planned(shardOf(2, func(s *shard) { silent(&s.pods[1]) })), 0, time.Second},
		{"node silent for a while", planned(shardOf(2, func(s *shard) { silent(&s.pods[1]) })), 20 * time.Second, 10 * time.Second},
		{"node silent for long", planned(shardOf(2, func(s *shard) { silent(&s.pods[1]) })), time.Hour, interval},
		{"node refuses: not at once again", planned(shardOf(2, func(s *shard) { differs(&s.pods[1]); s.pods[1].refusal = "ERR" })), time.Minute, interval},
		{"pod ends while silent", planned(shardOf(2, func(s *shard) { silent(&s.pods[1]); s.pods[1].terminating = true })), time.Minute, interval},
		{"nobody is primary yet", planned(shardOf(2, func(s *shard) { s.headless() })), 0, lookAtElection},
		{"nobody is primary for a while", planned(shardOf(2, func(s *shard) { s.headless() })), 20 * time.Second, 10 * time.Second},
		{"a replica is behind in a rollout, for however long", planned(shardOf(2, func(s *shard) { s.lags(1); s.rolling = true })), time.Hour, lookAtSync},
		{"a replica is behind", planned(shardOf(2, func(s *shard) { s.lags(1) })), 0, lookAtSync},
		{"a replica is behind for a while", planned(shardOf(2, func(s *shard) { s.lags(1) })), 20 * time.Second, 10 * time.Second},
		{"a replica is behind for long", planned(shardOf(2, func(s *shard) { s.lags(1) })), time.Hour, interval},
		{"a hand-over is under way", planned(shardOf(2, func(s *shard) { s.handover = attempt{to: "board-s0-1"} })), 0, lookAtHandOver},
		{"a hand-over ends", planned(shardOf(2, func(s *shard) { s.pods[1].said.Handover = "releasing" })), 0, lookAtHandOver},
		{"a hand-over failed", planned(shardOf(2, func(s *shard) {
			s.handover = attempt{to: "board-s0-1", trouble: "ERR", until: testNow.Add(7 * time.Second)}
		})), 0, 7 * time.Second},
		{"paused", &facts{paused: true, shards: shardOf(2, func(s *shard) { s.headless() })}, 0, interval},
	} {
		t.Run(test.name, func(t *testing.T) {
			status := newStatus(v1alpha1.ZSetClusterStatus{}, 1, test.facts, testNow.Add(-test.elapsed))
			if got := nextLook(status, test.facts, testNow, interval); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
