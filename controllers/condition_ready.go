package controllers

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zset.dev/operator/api/v1alpha1"
)

// readyCondition: every shard has a primary that serves.
func readyCondition(f *facts) metav1.Condition {
	if len(f.shards) == 0 {
		return condition(v1alpha1.ConditionReady, false, reasonBlocked, "nothing could be observed")
	}
	for _, s := range f.shards {
		if s.primary() != "" {
			continue
		}
		reason, message := notServing(s)
		return condition(v1alpha1.ConditionReady, false, reason, message)
	}
	return condition(v1alpha1.ConditionReady, true, reasonServing, "every shard has a primary that serves")
}

// notServing says why a shard has no primary that serves.
func notServing(s shard) (reason, message string) {
	if len(s.pods) == 0 {
		return reasonPodMissing, fmt.Sprintf("shard %s has no pod", s.name)
	}
	switch p := s.pods[0]; {
	case p.terminating:
		return reasonTerminating, fmt.Sprintf("pod %s is ending", p.name)
	case !p.ready:
		return reasonPodNotReady, fmt.Sprintf("pod %s is not ready", p.name)
	default:
		return reasonUnreachable, unreachable(p)
	}
}

// unreachable describes a ready pod whose node does not answer the operator.
func unreachable(p pod) string {
	return fmt.Sprintf("pod %s is ready, but its node does not answer the operator: %s. Check that network policies let "+
		"the operator reach the pod's port 6379.", p.name, p.silence)
}
