package controllers

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zset.dev/operator/api/v1alpha1"
)

// inSyncCondition: a failover now would find a successor in each shard. The message says how many there are, and whether an
// acknowledged write could be lost. The shard with the fewest is shown.
func inSyncCondition(f *facts) metav1.Condition {
	is := func(inSync bool, reason, message string) metav1.Condition {
		return condition(v1alpha1.ConditionInSync, inSync, reason, message)
	}
	if len(f.shards) == 0 {
		return is(false, reasonBlocked, "nothing could be observed")
	}
	worst := is(true, reasonAllInSync, "")
	for i := range f.shards {
		c := inSyncOf(&f.shards[i], is)
		if order := map[string]int{reasonAllInSync: 1, reasonSomeInSync: 2}; i == 0 || order[c.Reason] == 0 || order[c.Reason] > order[worst.Reason] {
			worst = c
		}
		if worst.Status == metav1.ConditionFalse {
			break
		}
	}
	return worst
}

// inSyncOf is the condition of one shard.
func inSyncOf(s *shard, is func(bool, string, string) metav1.Condition) metav1.Condition {
	if s.size <= 1 && len(s.pods) <= 1 {
		return is(false, reasonNoReplicas, fmt.Sprintf("shard %s has no replica: it is away while its only pod is", s.name))
	}
	var out []string
	for i := range s.pods {
		if p := &s.pods[i]; !s.inSync(p) {
			out = append(out, p.name)
		}
	}
	for i := len(s.pods); i < s.size; i++ {
		out = append(out, "one that does not exist")
	}
	n := s.successors()
	switch {
	case s.primary() == nil:
		return is(false, reasonNoPrimary, fmt.Sprintf("shard %s has no primary to be in sync with", s.name))
	case n == 0:
		return is(false, reasonNoSuccessor, fmt.Sprintf("no replica of shard %s is in sync: a failover now would find nobody", s.name))
	case len(out) > 0:
		return is(true, reasonSomeInSync, fmt.Sprintf("a failover of shard %s finds %d successors (not in sync: %s); %s", s.name, n, strings.Join(out, ", "), s.atStake()))
	}
	return is(true, reasonAllInSync, "every replica is in sync; "+s.atStake())
}

// atStake says what a failover may lose.
func (s *shard) atStake() string {
	if s.minSync > 0 {
		return "no acknowledged write would be lost"
	}
	return "replication is asynchronous, so a crash may lose the last writes"
}
