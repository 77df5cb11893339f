package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/api/v1alpha1"
)

// report is the only place that writes status, emits events and sets metrics. Status is written only when it changed,
// and only onto the version of the resource it was computed from.
func (r *Reconciler) report(ctx context.Context, cluster *v1alpha1.ZSetCluster, f *facts) error {
	old := cluster.Status
	status := newStatus(old, cluster.Generation, f, r.Now())
	// What was done is told even if the status cannot be written: the next look knows nothing of it. What changed is told only
	// once it is written, or the next look would tell it again.
	r.tell(cluster, deeds(f))
	r.Metrics.set(cluster, status, f)
	if !equality.Semantic.DeepEqual(old, status) {
		base := cluster.DeepCopy()
		cluster.Status = status
		patch := client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})
		if err := r.Client.Status().Patch(ctx, cluster, patch); err != nil {
			if apierrors.IsNotFound(err) {
				return nil
			}
			return fmt.Errorf("write status: %w", err)
		}
	}
	r.tell(cluster, history(old, status, f))
	return nil
}

// tell emits events.
func (r *Reconciler) tell(cluster *v1alpha1.ZSetCluster, list []event) {
	for _, e := range list {
		r.Recorder.Eventf(cluster, nil, e.kind, e.reason, e.action, "%s", e.note)
	}
}

// newStatus is the status that follows from what one reconcile learned; old gives the times of conditions that stay.
func newStatus(old v1alpha1.ZSetClusterStatus, generation int64, f *facts, now time.Time) v1alpha1.ZSetClusterStatus {
	status := v1alpha1.ZSetClusterStatus{ObservedGeneration: generation, Endpoint: f.endpoint}
	ready := 0
	for i := range f.shards {
		shard := shardStatus(&f.shards[i])
		if shard.Ready {
			ready++
		}
		status.Shards = append(status.Shards, shard)
	}
	status.ReadyShards = fmt.Sprintf("%d/%d", ready, len(f.shards))
	if len(status.Shards) == 1 {
		status.Primary = status.Shards[0].Primary
	}
	for i := range old.Conditions {
		status.Conditions = append(status.Conditions, *old.Conditions[i].DeepCopy())
	}
	for _, c := range []metav1.Condition{
		readyCondition(f), progressingCondition(f), degradedCondition(f, old, now), inSyncCondition(f), configAppliedCondition(f),
	} {
		c.ObservedGeneration = generation
		c.LastTransitionTime = metav1.NewTime(now)
		meta.SetStatusCondition(&status.Conditions, c)
	}
	if calm(old, status) {
		status.Shards = old.Shards
	}
	return status
}

// shardStatus is what was observed of one shard.
func shardStatus(s *shard) v1alpha1.ShardStatus {
	status := v1alpha1.ShardStatus{Name: s.name, Epoch: max(s.lease.epoch, s.reported)}
	if primary := s.primary(); primary != nil {
		status.Primary, status.Ready = primary.name, true
	}
	for _, i := range s.lease.electors {
		is := func(p *pod) bool { return p.name == i.pod && p.uid == i.uid }
		if s.first(is) != nil && !slices.Contains(status.Electors, i.pod) {
			status.Electors = append(status.Electors, i.pod)
		}
	}
	for i := range s.pods {
		status.Members = append(status.Members, memberStatus(s, &s.pods[i]))
	}
	return status
}

// memberStatus is what was observed of one pod of a shard.
func memberStatus(s *shard, p *pod) v1alpha1.MemberStatus {
	m := v1alpha1.MemberStatus{
		Pod: p.name, Node: p.machine, InSync: s.inSync(p), UpToDate: !p.outdated, Ready: p.ready, Message: remark(s, p),
	}
	if !p.answered {
		return m
	}
	m.Role, m.Offset = v1alpha1.MemberRole(p.said.Role), p.said.Offset
	if p.alone() {
		m.Role = v1alpha1.RolePrimary
	}
	if bytes, ok := s.lag(p); ok {
		m.LagBytes = &bytes
	}
	return m
}

// remark is what is not as it should be with a pod.
func remark(s *shard, p *pod) string {
	switch {
	case p.stuck != "":
		return p.stuck
	case p.refusal != "":
		return rejected(p)
	case p.terminating:
		return "its pod is ending"
	case p.address != "" && !p.answered:
		return "its node does not answer: " + p.silence
	case p.said.Syncing:
		return "its node gets a copy of the data"
	case p.answered && !s.inSync(p):
		return behind(p)
	case p.leaving != "":
		return "its Kubernetes node " + p.machine + " " + p.leaving
	}
	return ""
}

// behind is why a node is not in sync, by its own word. That another holds the record is no reason: so it should be.
func behind(p *pod) string {
	switch {
	case p.said.Role != roleReplica:
		return p.said.Waits
	case p.said.Unlinked:
		return "its node is not connected to the primary; its log says why"
	}
	return "its node is not in sync with the primary yet"
}

// calm tells whether nothing changed since the old status but the numbers that always do. Offsets grow with every write and lag
// comes and goes, so they alone are no reason to write: what a status holds is what they were when something else changed, or
// when a lag grew into, or shrank out of, another order of magnitude (lagClass). What they are now is in the metrics.
func calm(old, status v1alpha1.ZSetClusterStatus) bool {
	return equality.Semantic.DeepEqual(withoutNumbers(old), withoutNumbers(status))
}

func withoutNumbers(s v1alpha1.ZSetClusterStatus) *v1alpha1.ZSetClusterStatus {
	c := s.DeepCopy()
	for i := range c.Shards {
		for j := range c.Shards[i].Members {
			m := &c.Shards[i].Members[j]
			m.Offset = 0
			if m.LagBytes != nil {
				*m.LagBytes = lagClass(*m.LagBytes)
			}
		}
	}
	return c
}

// lagClass is the order of magnitude of a lag: 0 below 1 MiB, which a replica in sync may have at any time, 1 below 16 MiB, 2 below
// 256 MiB, 3 from there.
func lagClass(bytes int64) int64 {
	switch {
	case bytes < 1<<20:
		return 0
	case bytes < 16<<20:
		return 1
	case bytes < 256<<20:
		return 2
	}
	return 3
}

// condition makes one condition of a status.
func condition(kind string, is bool, reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if is {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message}
}

// Reasons of conditions, one name for each cause wherever it shows. docs/runbook.md explains each.
const (
	reasonServing        = "Serving"
	reasonPodMissing     = "PodMissing"
	reasonPodNotReady    = "PodNotReady"
	reasonTerminating    = "PodTerminating"
	reasonUnreachable    = "NodeUnreachable"
	reasonNoPrimary      = "NoPrimary"
	reasonFenced         = "PrimaryFenced"
	reasonSettled        = "Settled"
	reasonBlocked        = "Blocked"
	reasonPaused         = "Paused"
	reasonLeftOver       = "WaitingForDeletion"
	reasonStarting       = "WaitingForPods"
	reasonRollingOut     = "RollingOut"
	reasonRolloutStopped = "RolloutStopped"
	reasonHandingOver    = "HandingOver"
	reasonHandOverFailed = "HandOverFailed"
	reasonSwitchingOver  = "SwitchingOver"
	reasonScalingDown    = "ScalingDown"
	reasonNoSuccessor    = "NoSuccessor"
	reasonConfiguring    = "ConfiguringNodes"
	reasonAsExpected     = "AsExpected"
	reasonNameTaken      = "NameTaken"
	reasonApplyRejected  = "ApplyRejected"
	reasonUnsupported    = "UnsupportedSpec"
	reasonPodStuck       = "PodStuck"
	reasonForbidden      = "NodeForbidden"
	reasonLeaseMissing   = "LeaseMissing"
	reasonLeaseEdited    = "LeaseEdited"
	reasonAllInSync      = "AllInSync"
	reasonSomeInSync     = "SomeInSync"
	reasonNoReplicas     = "NoReplicas"
	reasonApplied        = "Applied"
	reasonPending        = "Pending"
	reasonRejected       = "Rejected"
)
