package controllers

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"zset.dev/operator/api/v1alpha1"
)

// Watches tell the operator of every change in Kubernetes. These are for what has no watch.
const (
	lookAtOnce     = time.Millisecond // another step is due
	lookForDeleted = time.Second      // objects of an earlier cluster, which the cache may not hold
	lookAtProblem  = 10 * time.Second // what a person has to change
	leastBackoff   = time.Second
	mostBackoff    = 30 * time.Second
)

// nextLook is how long to wait before looking again although no watch asks for it. interval is the wait when all is well,
// in which changes made to a node by hand are found.
func nextLook(status v1alpha1.ZSetClusterStatus, f *facts, now time.Time, interval time.Duration) time.Duration {
	var silent, refused bool
	f.eachPod(func(p *pod) {
		silent = silent || p.ready && !p.answered && !p.terminating
		refused = refused || p.refusal != ""
	})
	switch {
	case f.problem != nil:
		return min(lookAtProblem, interval)
	case f.applied.leaving != "":
		return lookForDeleted
	case silent, refused:
		return min(backoff(status, now), interval)
	case f.step.kind == configure:
		return lookAtOnce
	}
	return interval
}

// backoff grows with the time for which the tuning has not been applied, within bounds.
func backoff(status v1alpha1.ZSetClusterStatus, now time.Time) time.Duration {
	c := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionConfigApplied)
	if c == nil {
		return leastBackoff
	}
	return min(max(now.Sub(c.LastTransitionTime.Time)/2, leastBackoff), mostBackoff)
}
