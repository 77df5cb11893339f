package controllers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

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

// Reasons of events, beside those of the condition Degraded. docs/runbook.md explains each.
const (
	eventCreated          = "Created"
	eventUpdated          = "Updated"
	eventConfigApplied    = "ConfigApplied"
	eventPodOutdated      = "PodOutdated"
	eventReady            = "Ready"
	eventNotReady         = "NotReady"
	eventRecovered        = "Recovered"
	eventPrimaryChanged   = "PrimaryChanged"
	eventUncleanFailover  = "UncleanFailover"
	eventStartedEmpty     = "StartedEmpty"
	eventTailLost         = "TailLost"
	eventHandOverBegun    = "HandOverBegun"
	eventHandOverDone     = "HandOverDone"
	eventHandOverFailed   = "HandOverFailed"
	eventRolloutBegun     = "RolloutBegun"
	eventRolloutDone      = "RolloutDone"
	eventReplicaInSync    = "ReplicaInSync"
	eventReplicaOutOfSync = "ReplicaOutOfSync"
	eventPrimaryFenced    = "PrimaryFenced"
)

func normal(reason, action, format string, args ...any) event {
	return event{corev1.EventTypeNormal, reason, action, fmt.Sprintf(format, args...)}
}

func warning(reason, action, format string, args ...any) event {
	return event{corev1.EventTypeWarning, reason, action, fmt.Sprintf(format, args...)}
}

// history tells what happened between two statuses. A reconcile in which nothing happened has none: what lasts is in the
// conditions.
func history(old, status v1alpha1.ZSetClusterStatus, f *facts) (list []event) {
	for i := range f.shards {
		list = append(list, successions(old, status, f, i)...)
	}
	list = append(list, rollouts(old, status)...)
	return append(list, transitions(old, status)...)
}

// deeds are what the operator did, and what came of it.
func deeds(f *facts) (list []event) {
	if created := f.applied.created; len(created) > 0 {
		list = append(list, normal(eventCreated, "Apply", "created %s", strings.Join(created, ", ")))
	}
	if updated := f.applied.updated; len(updated) > 0 {
		list = append(list, normal(eventUpdated, "Apply", "updated %s", strings.Join(updated, ", ")))
	}
	for _, c := range f.done.configured {
		list = append(list, normal(eventConfigApplied, "ConfigSet", "the node in pod %s confirmed %s", c.pod, c.set))
	}
	for _, v := range append(slices.Clone(f.done.judged), f.done.handover) {
		a := v.attempt
		switch {
		case v.begun:
			list = append(list, normal(eventHandOverBegun, "Failover", "pod %s was asked to hand over to pod %s: %s", a.from, a.to, a.why))
		case v.done:
			list = append(list, normal(eventHandOverDone, "Failover", "pod %s took over from pod %s within %v: %s", a.to, a.from, v.took.Round(time.Millisecond), a.why))
		case v.failed:
			list = append(list, warning(eventHandOverFailed, "Failover", "%s", a.note()))
		}
	}
	if f.done.replaced != "" {
		list = append(list, normal(eventPodOutdated, "Delete", "deleted pod %s: it is of an earlier template and is made anew", f.done.replaced))
	}
	return list
}

// successions are the changes of one shard's primary and of its replicas. An epoch that the old status does not have is news
// once, whatever else the looks saw of it.
func successions(old, status v1alpha1.ZSetClusterStatus, f *facts, i int) (list []event) {
	s, is := &f.shards[i], status.Shards[i]
	at := slices.IndexFunc(old.Shards, func(o v1alpha1.ShardStatus) bool { return o.Name == is.Name })
	if at < 0 {
		return nil
	}
	was := old.Shards[at]
	if holder := s.lease.holder.pod; is.Epoch > was.Epoch && holder != "" {
		list = append(list, normal(eventPrimaryChanged, "Observe", "pod %s became primary of shard %s, epoch %d (before: %s, epoch %d)",
			holder, is.Name, is.Epoch, cmp.Or(was.Primary, "none"), was.Epoch))
		if len(was.Electors) > 0 && !slices.Contains(was.Electors, holder) {
			list = append(list, warning(eventUncleanFailover, "Observe", "pod %s became primary of shard %s although it was not in sync when last "+
				"seen (%s were): what only they had is lost", holder, is.Name, strings.Join(was.Electors, ", ")))
		}
	}
	list = append(list, losses(was, s)...)
	for _, m := range is.Members {
		before := member(was, m.Pod)
		switch {
		case before == nil || m.Role == v1alpha1.RolePrimary:
		case m.InSync && !before.InSync:
			list = append(list, normal(eventReplicaInSync, "Observe", "pod %s is in sync with the primary of shard %s", m.Pod, is.Name))
		case !m.InSync && before.InSync && before.Role == v1alpha1.RoleReplica:
			list = append(list, warning(eventReplicaOutOfSync, "Observe", "pod %s is not in sync any more: %s", m.Pod, cmp.Or(m.Message, "it is ending, or starts anew")))
		}
	}
	return list
}

// freshLog is how long the log of a primary that started empty can be when it is looked at first: some marks.
const freshLog = 1024

// losses compares how far the primary's log reaches with how far a primary's was seen to reach before.
func losses(was v1alpha1.ShardStatus, s *shard) []event {
	primary := s.primary()
	if primary == nil || primary.alone() {
		return nil
	}
	i := slices.IndexFunc(was.Members, func(m v1alpha1.MemberStatus) bool { return m.Role == v1alpha1.RolePrimary })
	if i < 0 || primary.said.Offset >= was.Members[i].Offset {
		return nil
	}
	seen := was.Members[i].Offset
	if primary.said.Offset < freshLog {
		return []event{warning(eventStartedEmpty, "Observe", "shard %s started empty in pod %s: no process and no volume had its data any more (%d bytes of log were seen before)",
			s.name, primary.name, seen)}
	}
	stake := "writes in it that were acknowledged are lost, as replication is asynchronous"
	if s.minSync > 0 {
		stake = "no write in it was acknowledged"
	}
	return []event{warning(eventTailLost, "Observe", "pod %s became primary of shard %s without the last %d bytes of the log that were seen: %s",
		primary.name, s.name, seen-primary.said.Offset, stake)}
}

// member is what a status says of a pod, nil if nothing.
func member(s v1alpha1.ShardStatus, pod string) *v1alpha1.MemberStatus {
	for i := range s.Members {
		if s.Members[i].Pod == pod {
			return &s.Members[i]
		}
	}
	return nil
}

// rollouts tell where a change of the template begins and ends.
func rollouts(old, status v1alpha1.ZSetClusterStatus) []event {
	was, is := meta.FindStatusCondition(old.Conditions, v1alpha1.ConditionProgressing), meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionProgressing)
	rolling := func(c *metav1.Condition) bool {
		return c != nil && (c.Reason == reasonRollingOut || c.Reason == reasonRolloutStopped)
	}
	switch {
	case rolling(is) && (was == nil || was.Status == metav1.ConditionFalse || was.Reason == reasonStarting):
		return []event{normal(eventRolloutBegun, "Observe", "pods are replaced one by one, because their template changed")}
	case rolling(was) && is.Status == metav1.ConditionFalse && is.Reason == reasonSettled:
		return []event{normal(eventRolloutDone, "Observe", "every pod is of the current template")}
	}
	return nil
}

// transitions are the changes of conditions.
func transitions(old, status v1alpha1.ZSetClusterStatus) (list []event) {
	for _, t := range []struct{ condition, onTrue, onFalse, trueType, falseType string }{
		{v1alpha1.ConditionReady, eventReady, eventNotReady, corev1.EventTypeNormal, corev1.EventTypeWarning},
		{v1alpha1.ConditionDegraded, "", eventRecovered, corev1.EventTypeWarning, corev1.EventTypeNormal}, // "": the condition's own
	} {
		was, is := meta.FindStatusCondition(old.Conditions, t.condition), meta.FindStatusCondition(status.Conditions, t.condition)
		switch {
		case is.Status == metav1.ConditionTrue && (was == nil || was.Status != is.Status || was.Reason != is.Reason):
			list = append(list, event{t.trueType, cmp.Or(t.onTrue, is.Reason), "Observe", is.Message})
		case is.Status == metav1.ConditionFalse && was != nil && was.Status == metav1.ConditionTrue:
			reason := t.onFalse
			if is.Reason == reasonFenced && slices.EqualFunc(old.Shards, status.Shards, sameEpoch) {
				reason = eventPrimaryFenced // and not a new one that is about to begin
			}
			list = append(list, event{t.falseType, reason, "Observe", is.Message})
		}
	}
	return list
}

func sameEpoch(a, b v1alpha1.ShardStatus) bool { return a.Name == b.Name && a.Epoch == b.Epoch }
