package controllers

import (
	"cmp"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zset.dev/operator/api/v1alpha1"
)

// readyCondition: every shard has a primary that serves.
func readyCondition(f *facts) metav1.Condition {
	if len(f.shards) == 0 {
		return condition(v1alpha1.ConditionReady, false, reasonBlocked, "nothing could be observed")
	}
	for i := range f.shards {
		s := &f.shards[i]
		if s.primary() != nil {
			continue
		}
		reason, message := notServing(s)
		return condition(v1alpha1.ConditionReady, false, reason, message)
	}
	return condition(v1alpha1.ConditionReady, true, reasonServing, "every shard has a primary that serves")
}

// notServing says why a shard has no primary that serves.
func notServing(s *shard) (reason, message string) {
	if len(s.pods) == 0 {
		return reasonPodMissing, fmt.Sprintf("shard %s has no pod", s.name)
	}
	p := s.first(s.holds)
	if p == nil && len(s.pods) == 1 {
		p = &s.pods[0]
	}
	switch {
	case p == nil:
	case p.terminating && !p.answered:
		return reasonTerminating, fmt.Sprintf("pod %s is ending", p.name)
	case !p.answered && p.ready:
		return reasonUnreachable, unreachable(p)
	case !p.answered, p.alone():
		return reasonPodNotReady, fmt.Sprintf("pod %s is not ready", p.name)
	case s.holds(p) && p.said.Role != rolePrimary:
		return reasonNoPrimary, fmt.Sprintf("pod %s has just taken the Lease of shard %s, and takes no writes yet", p.name, s.name)
	case s.holds(p) && p.said.Fenced:
		return reasonFenced, fmt.Sprintf("pod %s holds the Lease, but takes no writes: %s", p.name, cmp.Or(p.said.Waits, "it has just taken it, or could not renew it in time"))
	}
	var why []string
	for i := range s.pods {
		if p := &s.pods[i]; p.answered && p.said.Waits != "" {
			why = append(why, p.name+": "+p.said.Waits)
		}
	}
	if len(why) > 0 {
		return reasonNoPrimary, fmt.Sprintf("no node of shard %s is primary (%s)", s.name, strings.Join(why, "; "))
	}
	if p := s.first(func(p *pod) bool { return !p.ready }); p != nil && !p.answered {
		return reasonPodNotReady, fmt.Sprintf("pod %s is not ready", p.name)
	}
	return reasonNoPrimary, fmt.Sprintf("no node of shard %s is primary", s.name)
}

// unreachable describes a ready pod whose node does not answer the operator.
func unreachable(p *pod) string {
	return fmt.Sprintf("pod %s is ready, but its node does not answer the operator: %s. Check that network policies let "+
		"the operator reach the pod's port 6379.", p.name, p.silence)
}
