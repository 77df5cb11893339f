package controllers

import (
	"fmt"
	"slices"
	"time"
)

// rollout decides the next step towards pods of the current template, all of them ready and in sync: replicas first, one at a
// time, the primary last, after it has handed over.
func (s *shard) rollout(now time.Time) step {
	if s.settling {
		return s.waitFor(reasonStarting, "waiting for Kubernetes to take up StatefulSet %s", s.name)
	}
	if p := s.first(func(p *pod) bool { return p.terminating }); p != nil {
		return s.waitFor(s.startingOr(), "waiting for pod %s to end", p.name)
	}
	if p := s.first((*pod).handsOver); p != nil {
		return s.waitFor(s.startingOr(), "waiting for pod %s to let its clients go to the new primary", p.name)
	}
	away := s.first(func(p *pod) bool { return !p.outdated && !s.well(p) })
	whole := len(s.pods) >= s.kept && away == nil
	// What does not work is replaced first, whatever else does not: it may be what the others wait for. But while one of the
	// current template is on its way, another is taken away only if the shard does not serve anyhow.
	if whole || s.primary() == nil {
		if p := s.first(func(p *pod) bool { return p.outdated && !s.well(p) && s.expendable(p) }); p != nil {
			return step{kind: replacePod, shard: s, pod: p}
		}
	}
	switch {
	case away != nil:
		return s.waitForPod(away)
	case len(s.pods) == 0:
		return s.waitFor(s.startingOr(), "waiting for a pod of StatefulSet %s", s.name)
	case !whole:
		return s.waitFor(s.startingOr(), "waiting for StatefulSet %s to make %d pods; there are %d", s.name, s.kept, len(s.pods))
	}
	if p := s.first(func(p *pod) bool { return p.outdated && !s.well(p) }); p != nil {
		return s.waitFor(s.startingOr(), "waiting for %s before it is replaced: no other pod serves, and it may have data that no other has", s.condition(p))
	}
	if s.primary() == nil {
		return s.waitFor(s.startingOr(), "waiting for a primary that serves")
	}
	return s.replaceOne(now)
}

// replaceOne decides how the next pod of a shard all of whose pods are well goes, if one of them is outdated.
func (s *shard) replaceOne(now time.Time) step {
	outdated := slices.ContainsFunc(s.pods, func(p pod) bool { return p.outdated })
	if !outdated {
		return step{}
	}
	for i := len(s.pods) - 1; i >= 0; i-- {
		if p := &s.pods[i]; p.outdated && !s.serves(p) {
			return step{kind: replacePod, shard: s, pod: p}
		}
	}
	primary := s.primary()
	if len(s.pods) == 1 {
		return step{kind: replacePod, shard: s, pod: primary} // documented: it is away for that time, and without a volume its data are lost
	}
	return s.handOverTo(primary, s.eligible(true), "it is of an earlier template", now)
}

// expendable tells whether deleting the pod loses nothing that another has not, or that it would not lose anyhow.
func (s *shard) expendable(p *pod) bool {
	primary := s.primary()
	switch {
	case p.dead, len(s.pods) == 1 && s.size <= 1:
		return true
	case primary != nil:
		return primary != p
	}
	// Nobody serves: whatever runs may be the last to have what was acknowledged, unless nothing ever was.
	return s.reported == 0 && s.lease.vacant()
}

// waitForPod is the wait for a pod of the current template that is not well. If it will not come up, nothing else is touched.
func (s *shard) waitForPod(p *pod) step {
	st := s.waitFor(s.startingOr(), "waiting for %s", s.condition(p))
	if p.stuck == "" && !p.late {
		return st
	}
	st.halted = true
	if s.outdated() {
		st.reason = reasonRolloutStopped
		st.why = fmt.Sprintf("no further pod is replaced, because %s does not come up", p.name)
	}
	return st
}

// condition says what a pod lacks.
func (s *shard) condition(p *pod) string {
	switch {
	case p.said.Syncing:
		return fmt.Sprintf("pod %s to get a copy of the data", p.name)
	case !p.ready:
		return fmt.Sprintf("pod %s to become ready", p.name)
	case !p.answered:
		return fmt.Sprintf("the node in pod %s to answer", p.name)
	}
	return fmt.Sprintf("pod %s to be in sync", p.name)
}

// startingOr is the reason of a wait for pods: because of a new template, or at the start.
func (s *shard) startingOr() string {
	if s.rolling || s.outdated() {
		return reasonRollingOut
	}
	return reasonStarting
}

// first returns the first pod for which is holds, nil if there is none.
func (s *shard) first(is func(*pod) bool) *pod {
	for i := range s.pods {
		if is(&s.pods[i]) {
			return &s.pods[i]
		}
	}
	return nil
}
