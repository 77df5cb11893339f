package controllers

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zset.dev/operator/api/v1alpha1"
)

// degradedGrace is for what a failover or a restart of a process puts right by itself.
const degradedGrace = 15 * time.Second

// degradedCondition: something is wrong that does not pass by waiting. The gravest is shown.
func degradedCondition(f *facts, old v1alpha1.ZSetClusterStatus, now time.Time) metav1.Condition {
	found := f.problem
	for _, look := range []func(*facts, v1alpha1.ZSetClusterStatus, time.Time) *problem{
		down, stoppedRollout, stuckPod, refusedVolumes, refusedConfig, silentNode, forbiddenNode, oddLease, failedHandOver,
	} {
		if found == nil {
			found = look(f, old, now)
		}
	}
	if found != nil {
		return condition(v1alpha1.ConditionDegraded, true, found.reason, found.message)
	}
	return condition(v1alpha1.ConditionDegraded, false, reasonAsExpected, "nothing is wrong")
}

// down: a shard of several pods has been without a primary for longer than a failover takes.
func down(f *facts, _ v1alpha1.ZSetClusterStatus, now time.Time) *problem {
	for i := range f.shards {
		s := &f.shards[i]
		if s.primary() != nil || s.downSince.IsZero() || now.Sub(s.downSince) < degradedGrace {
			continue
		}
		if p := forbiddenNode(f, v1alpha1.ZSetClusterStatus{}, now); p != nil {
			return p
		}
		switch reason, message := notServing(s); reason {
		case reasonNoPrimary, reasonFenced:
			return &problem{reason, message}
		}
	}
	return nil
}

// stoppedRollout: a pod of the new template does not come up, and no other is touched.
func stoppedRollout(f *facts, _ v1alpha1.ZSetClusterStatus, _ time.Time) *problem {
	st := f.step
	if st.kind != wait || st.reason != reasonRolloutStopped {
		return nil
	}
	why := ""
	for i := range st.shard.pods {
		if p := &st.shard.pods[i]; !p.outdated && why == "" {
			why = neverReady(p)
		}
	}
	return &problem{reasonRolloutStopped, st.why + ": " + why + " The pods of the earlier template go on. Correct the spec, or take the change back."}
}

// stuckPod: a pod does not come up.
func stuckPod(f *facts, _ v1alpha1.ZSetClusterStatus, _ time.Time) (found *problem) {
	f.eachPod(func(_ *shard, p *pod) {
		if why := neverReady(p); why != "" && found == nil && !p.terminating {
			found = &problem{reasonPodStuck, why}
		}
	})
	return found
}

// neverReady says why a pod does not come up by itself; empty when it may.
func neverReady(p *pod) string {
	switch {
	case p.stuck != "":
		return p.stuck
	case !p.late:
		return ""
	}
	return fmt.Sprintf("pod %s has not been ready for %v: %s. See `kubectl describe pod %s` and `kubectl logs %s`.",
		p.name, readyGrace, cmp.Or(p.silence, behindOr(p)), p.name, p.name)
}

// behindOr is why the node in a pod that is not ready is behind, or that there is none.
func behindOr(p *pod) string {
	if !p.answered {
		return "its node has not started"
	}
	return cmp.Or(behind(p), "its node answers")
}

// refusedVolumes: volumes cannot grow.
func refusedVolumes(f *facts, _ v1alpha1.ZSetClusterStatus, _ time.Time) *problem {
	return f.applied.refused
}

// refusedConfig: a node does not take its configuration.
func refusedConfig(f *facts, _ v1alpha1.ZSetClusterStatus, _ time.Time) (found *problem) {
	f.eachPod(func(_ *shard, p *pod) {
		if p.refusal != "" && found == nil && !p.terminating {
			found = &problem{reasonRejected, rejected(p)}
		}
	})
	return found
}

// rejected gives the node's own words.
func rejected(p *pod) string {
	return fmt.Sprintf("the node in pod %s refused its configuration: %s. Change spec.engine, or spec.image if its node is "+
		"too old for it.", p.name, p.refusal)
}

// silentNode: Kubernetes takes a pod for ready, and its node has not answered the operator for longer than a process takes to
// start again.
func silentNode(f *facts, old v1alpha1.ZSetClusterStatus, now time.Time) (found *problem) {
	c := meta.FindStatusCondition(old.Conditions, v1alpha1.ConditionConfigApplied)
	if c == nil || c.Reason != reasonUnreachable || now.Sub(c.LastTransitionTime.Time) < degradedGrace {
		return nil
	}
	f.eachPod(func(_ *shard, p *pod) {
		if p.ready && p.address != "" && !p.answered && found == nil && !p.terminating {
			found = &problem{reasonUnreachable, unreachable(p)}
		}
	})
	return found
}

// forbiddenNode: the API server refuses a node what its Role should give it.
func forbiddenNode(f *facts, _ v1alpha1.ZSetClusterStatus, _ time.Time) (found *problem) {
	f.eachPod(func(_ *shard, p *pod) {
		if found == nil && (strings.Contains(p.said.Waits, "forbidden") || strings.Contains(p.said.Waits, "Unauthorized")) {
			found = &problem{reasonForbidden, fmt.Sprintf("the API server refuses the node in pod %s what it needs: %s. The operator makes "+
				"the Role and RoleBinding of its ServiceAccount; look for what takes them away again.", p.name, p.said.Waits)}
		}
	})
	return found
}

// oddLease: somebody who is no node of the shard wrote its Lease, or deleted it.
func oddLease(f *facts, _ v1alpha1.ZSetClusterStatus, _ time.Time) *problem {
	for i := range f.shards {
		switch s := &f.shards[i]; {
		case !s.lease.exists && s.reported > 0:
			return &problem{reasonLeaseMissing, fmt.Sprintf("Lease %s is gone, of epoch %d at least. Its nodes make it anew, with a higher "+
				"epoch. Do not delete it by hand: it holds who has the data.", s.name, s.reported)}
		case s.lease.exists && s.lease.edited != "":
			return &problem{reasonLeaseEdited, fmt.Sprintf("Lease %s names %q, which is no process of the shard. It counts as one that may "+
				"have data and run: if nothing else helps, remove it from the Lease.", s.name, s.lease.edited)}
		case s.lease.exists && s.lease.epoch < s.reported:
			return &problem{reasonLeaseEdited, fmt.Sprintf("Lease %s is of epoch %d, after one of %d: somebody changed it by hand. Its nodes "+
				"go on from the higher one.", s.name, s.lease.epoch, s.reported)}
		}
	}
	return nil
}

// failedHandOver: the last hand-over that was asked for came to nothing.
func failedHandOver(f *facts, _ v1alpha1.ZSetClusterStatus, now time.Time) *problem {
	for i := range f.shards {
		if a := f.shards[i].handover; a.rests(now) {
			return &problem{reasonHandOverFailed, a.note() + ". It is tried again. The primary serves meanwhile."}
		}
	}
	return nil
}
