package controllers

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"zset.dev/operator/api/v1alpha1"
)

// Watches tell the operator of every change in Kubernetes. These are for what has no watch.
const (
	lookAtHandOver = 100 * time.Millisecond // what became of it
	lookAtElection = 200 * time.Millisecond // a node says that it took over, and then that it serves
	lookForDeleted = time.Second            // objects of an earlier cluster, which the cache may not hold
	lookAtProblem  = 10 * time.Second       // what a person has to change
	lookAtSync     = time.Second            // a node says that it is in sync again, of which Kubernetes may hear nothing
	leastBackoff   = time.Second
	mostBackoff    = 30 * time.Second
)

// nextLook is how long to wait before looking again although no watch asks for it. interval is the wait when all is well,
// in which changes made to a node by hand are found.
func nextLook(status v1alpha1.ZSetClusterStatus, f *facts, now time.Time, interval time.Duration) time.Duration {
	var silent, refused, electing, underWay, behind bool
	retry := interval
	f.eachPod(func(s *shard, p *pod) {
		underWay = underWay || p.handsOver()
		behind = behind || p.answered && !p.terminating && !s.inSync(p)
		silent = silent || p.ready && p.address != "" && !p.answered && !p.terminating
		refused = refused || p.refusal != ""
	})
	for i := range f.shards {
		s := &f.shards[i]
		underWay = underWay || s.handover.underWay()
		electing = electing || s.primary() == nil && s.first(func(p *pod) bool { return p.answered }) != nil
		if a := s.handover; a.rests(now) {
			retry = min(retry, a.until.Sub(now))
		}
	}
	switch {
	case f.problem != nil:
		return min(lookAtProblem, interval)
	case f.applied.leaving != "":
		return lookForDeleted
	case f.paused:
		return interval
	case underWay:
		return lookAtHandOver
	case electing:
		return min(backoff(status, v1alpha1.ConditionReady, now, lookAtElection), interval)
	case behind && f.step.kind == wait && f.step.reason == reasonRollingOut:
		return min(lookAtSync, retry) // the next pod waits for it
	case behind && f.step.kind == wait:
		return min(backoff(status, v1alpha1.ConditionProgressing, now, lookAtSync), retry)
	case silent, refused:
		return min(backoff(status, v1alpha1.ConditionConfigApplied, now, leastBackoff), retry)
	}
	return retry
}

// backoff grows with the time for which the condition has been as it is, within bounds.
func backoff(status v1alpha1.ZSetClusterStatus, kind string, now time.Time, least time.Duration) time.Duration {
	c := meta.FindStatusCondition(status.Conditions, kind)
	if c == nil {
		return least
	}
	return min(max(now.Sub(c.LastTransitionTime.Time)/2, least), mostBackoff)
}
