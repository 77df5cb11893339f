package controllers

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zset.dev/operator/api/v1alpha1"
)

// progressingCondition: still on the way to what the spec asks for.
func progressingCondition(f *facts) metav1.Condition {
	is := func(progressing bool, reason, message string) metav1.Condition {
		return condition(v1alpha1.ConditionProgressing, progressing, reason, message)
	}
	switch {
	case f.problem != nil:
		return is(false, reasonBlocked, "see the condition Degraded")
	case f.applied.leaving != "":
		return is(true, reasonLeftOver, fmt.Sprintf("waiting for %s, which is being deleted, to be gone", f.applied.leaving))
	}
	switch f.step.kind {
	case replacePod:
		return is(true, reasonReplacing, fmt.Sprintf("replacing pod %s, which is of an earlier template", f.step.pod.name))
	case configure:
		return is(true, reasonConfiguring, fmt.Sprintf("sending %s to pod %s", f.step.set, f.step.pod.name))
	case wait:
		return is(true, reasonStarting, f.step.why)
	}
	return is(false, reasonSettled, "everything is as the spec asks for")
}
