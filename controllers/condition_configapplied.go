package controllers

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zset.dev/operator/api/v1alpha1"
)

// configAppliedCondition: every running node has confirmed the tuning of the spec.
func configAppliedCondition(f *facts) metav1.Condition {
	is := func(applied bool, reason, message string) metav1.Condition {
		return condition(v1alpha1.ConditionConfigApplied, applied, reason, message)
	}
	if f.problem != nil {
		return is(false, reasonPending, "blocked: see the condition Degraded")
	}
	var (
		confirmed int
		open      *metav1.Condition // the first thing that is not as wanted
	)
	f.eachPod(func(_ *shard, p *pod) {
		if p.address == "" || p.terminating || open != nil {
			return
		}
		var c metav1.Condition
		switch missing := p.missing(f.want); {
		case p.refusal != "":
			c = is(false, reasonRejected, rejected(p))
		case !p.answered && p.ready:
			c = is(false, reasonUnreachable, unreachable(p))
		case !p.answered:
			c = is(false, reasonPending, fmt.Sprintf("the node in pod %s is starting", p.name))
		case len(missing) > 0 && p.outdated:
			c = is(false, reasonPending, fmt.Sprintf("pod %s is about to be replaced", p.name))
		case len(missing) > 0:
			c = is(false, reasonPending, fmt.Sprintf("the node in pod %s does not have %s yet", p.name, missing))
		default:
			confirmed++
			return
		}
		open = &c
	})
	switch {
	case open != nil:
		return *open
	case confirmed == 0:
		return is(false, reasonPending, "no node is running; each reads the tuning when it boots")
	}
	return is(true, reasonApplied, f.want.String())
}
