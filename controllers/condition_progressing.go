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
	case f.paused:
		return is(false, reasonPaused, "the annotation "+AnnotationPaused+" keeps the operator from doing anything; it only looks")
	case f.applied.leaving != "":
		return is(true, reasonLeftOver, fmt.Sprintf("waiting for %s, which is being deleted, to be gone", f.applied.leaving))
	}
	switch st := f.step; st.kind {
	case replacePod:
		return is(true, reasonRollingOut, fmt.Sprintf("replacing pod %s, which is of an earlier template", st.pod.name))
	case handOver:
		return is(true, reasonHandingOver, fmt.Sprintf("pod %s hands over to pod %s: %s", st.pod.name, st.to.name, st.why))
	case configure:
		return is(true, reasonConfiguring, fmt.Sprintf("sending %s to pod %s", st.set, st.pod.name))
	case wait:
		return is(true, st.reason, st.why)
	}
	return is(false, reasonSettled, "everything is as the spec asks for")
}
