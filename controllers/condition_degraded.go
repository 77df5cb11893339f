package controllers

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zset.dev/operator/api/v1alpha1"
)

// degradedCondition: something is wrong that does not pass by waiting. The gravest is shown.
func degradedCondition(f *facts) metav1.Condition {
	if f.problem != nil {
		return condition(v1alpha1.ConditionDegraded, true, f.problem.reason, f.problem.message)
	}
	found := f.applied.refused
	f.eachPod(func(p *pod) {
		switch {
		case found != nil || p.terminating:
		case p.stuck != "":
			found = &problem{reasonPodStuck, p.stuck}
		case p.refusal != "":
			found = &problem{reasonRejected, rejected(p)}
		case p.ready && !p.answered:
			found = &problem{reasonUnreachable, unreachable(*p)}
		}
	})
	if found != nil {
		return condition(v1alpha1.ConditionDegraded, true, found.reason, found.message)
	}
	return condition(v1alpha1.ConditionDegraded, false, reasonAsExpected, "nothing is wrong")
}

// rejected gives the node's own words.
func rejected(p *pod) string {
	return fmt.Sprintf("the node in pod %s refused its configuration: %s. Change spec.engine, or spec.image if its node is "+
		"too old for it.", p.name, p.refusal)
}
