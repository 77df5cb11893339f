package controllers

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zset.dev/operator/api/v1alpha1"
)

// event is one line of a cluster's history.
type event struct {
	kind   string // Normal or Warning
	reason string
	action string // what the operator did or saw, as the events API wants it
	note   string
}

// history tells what happened between two statuses and what the operator did. A reconcile in which nothing happened has
// none: what lasts is in the conditions.
func history(old, status v1alpha1.ZSetClusterStatus, f *facts) []event {
	var list []event
	if created := f.applied.created; len(created) > 0 {
		list = append(list, event{corev1.EventTypeNormal, "Created", "Apply", "created " + strings.Join(created, ", ")})
	}
	if updated := f.applied.updated; len(updated) > 0 {
		list = append(list, event{corev1.EventTypeNormal, "Updated", "Apply", "updated " + strings.Join(updated, ", ")})
	}
	if f.done.configured != "" {
		list = append(list, event{corev1.EventTypeNormal, "ConfigApplied", "ConfigSet",
			fmt.Sprintf("the node in pod %s confirmed %s", f.done.configured, f.done.set)})
	}
	if f.done.replaced != "" {
		list = append(list, event{corev1.EventTypeNormal, "PodOutdated", "Delete",
			fmt.Sprintf("deleted pod %s: it is of an earlier template and is made anew", f.done.replaced)})
	}
	for _, t := range []struct{ condition, onTrue, onFalse, trueType, falseType string }{
		{v1alpha1.ConditionReady, "Ready", "NotReady", corev1.EventTypeNormal, corev1.EventTypeWarning},
		{v1alpha1.ConditionDegraded, "", "Recovered", corev1.EventTypeWarning, corev1.EventTypeNormal}, // "": the condition's own
	} {
		was, is := meta.FindStatusCondition(old.Conditions, t.condition), meta.FindStatusCondition(status.Conditions, t.condition)
		switch {
		case is.Status == metav1.ConditionTrue && (was == nil || was.Status != is.Status || was.Reason != is.Reason):
			list = append(list, event{t.trueType, cmp.Or(t.onTrue, is.Reason), "Observe", is.Message})
		case is.Status == metav1.ConditionFalse && was != nil && was.Status == metav1.ConditionTrue:
			list = append(list, event{t.falseType, t.onFalse, "Observe", is.Message})
		}
	}
	return list
}
