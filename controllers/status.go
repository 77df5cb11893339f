package controllers

import (
	"context"
	"fmt"
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
	for _, e := range history(old, status, f) {
		r.Recorder.Eventf(cluster, nil, e.kind, e.reason, e.action, "%s", e.note)
	}
	r.Metrics.set(cluster, status)
	return nil
}

// newStatus is the status that follows from what one reconcile learned; old gives the times of conditions that stay.
func newStatus(old v1alpha1.ZSetClusterStatus, generation int64, f *facts, now time.Time) v1alpha1.ZSetClusterStatus {
	status := v1alpha1.ZSetClusterStatus{ObservedGeneration: generation, Endpoint: f.endpoint}
	ready := 0
	for _, s := range f.shards {
		primary := s.primary()
		if primary != "" {
			ready++
		}
		status.Shards = append(status.Shards, v1alpha1.ShardStatus{Name: s.name, Primary: primary, Ready: primary != ""})
	}
	status.ReadyShards = fmt.Sprintf("%d/%d", ready, len(f.shards))
	if len(f.shards) == 1 {
		status.Primary = f.shards[0].primary()
	}
	for i := range old.Conditions {
		status.Conditions = append(status.Conditions, *old.Conditions[i].DeepCopy())
	}
	for _, c := range []metav1.Condition{readyCondition(f), progressingCondition(f), degradedCondition(f), configAppliedCondition(f)} {
		c.ObservedGeneration = generation
		c.LastTransitionTime = metav1.NewTime(now)
		meta.SetStatusCondition(&status.Conditions, c)
	}
	return status
}

// condition makes one condition of a status.
func condition(kind string, is bool, reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if is {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message}
}

// Reasons of conditions, one name for each cause wherever it shows.
const (
	reasonServing       = "Serving"
	reasonPodMissing    = "PodMissing"
	reasonPodNotReady   = "PodNotReady"
	reasonTerminating   = "PodTerminating"
	reasonUnreachable   = "NodeUnreachable"
	reasonSettled       = "Settled"
	reasonBlocked       = "Blocked"
	reasonLeftOver      = "WaitingForDeletion"
	reasonStarting      = "WaitingForPods"
	reasonReplacing     = "ReplacingPod"
	reasonConfiguring   = "ConfiguringNodes"
	reasonAsExpected    = "AsExpected"
	reasonNameTaken     = "NameTaken"
	reasonApplyRejected = "ApplyRejected"
	reasonUnsupported   = "UnsupportedSpec"
	reasonPodStuck      = "PodStuck"
	reasonApplied       = "Applied"
	reasonPending       = "Pending"
	reasonRejected      = "Rejected"
)
