package controllers

import (
	"fmt"
	"slices"
	"time"

	"zset.dev/operator/controllers/tuning"
)

// stepKind is what the operator does next.
type stepKind int

const (
	settled    stepKind = iota // everything is as wanted
	wait                       // Kubernetes or a node is at it; a watch or a later look tells
	configure                  // send directives to a running node
	handOver                   // ask the primary to hand over to a replica
	replacePod                 // delete a pod so that its StatefulSet makes it anew from the current template
)

// step is the one thing a reconcile does after it has looked.
type step struct {
	kind   stepKind
	shard  *shard      // nil when all is settled
	pod    *pod        // of configure, replacePod, and handOver: the primary
	to     *pod        // of handOver: its successor
	set    tuning.List // of configure: what differs
	reason string      // of wait: the condition's
	why    string      // of wait and handOver: for people
	// halted: a wait that does not end by itself. What it waits for needs a person.
	halted bool
}

// waitFor is a wait for something of the shard.
func (s *shard) waitFor(reason, format string, args ...any) step {
	return step{kind: wait, shard: s, reason: reason, why: fmt.Sprintf(format, args...)}
}

// plan decides the next step, one at a time; after it the operator looks again.
//
// The order is that of what disturbs least and hurries most. Sending directives disturbs nobody. Then come hand-overs that
// somebody waits for: a person who named a primary, a machine that is about to go. Then outdated pods are replaced, and last
// is reported what the operator waits for. One pod of a cluster is away at a time, and each shard does one thing at a time.
//
// A pod about to be replaced is not configured any more: its limits may no longer fit what the spec says, and its successor
// boots with the new values.
func plan(shards []shard, want tuning.List, now time.Time) step {
	for i := range shards {
		s := &shards[i]
		for j := range s.pods {
			p := &s.pods[j]
			if s.settling || p.outdated || p.terminating || !p.answered || p.refusal != "" {
				continue
			}
			if different := p.missing(want); len(different) > 0 {
				return step{kind: configure, shard: s, pod: p, set: different}
			}
		}
	}
	var waits []step
	for i := range shards {
		switch st := shards[i].move(now); st.kind {
		case settled:
		case wait:
			waits = append(waits, st)
		default:
			return st
		}
	}
	for i := range shards {
		s := &shards[i]
		if s.handover.underWay() {
			continue // nothing else moves in the shard: move has said so
		}
		if st := s.rollout(now); st.kind != settled {
			return st
		}
	}
	if len(waits) > 0 {
		return waits[0]
	}
	return resting(shards, want)
}

// resting is the last thing to report of shards in which nothing moves.
func resting(shards []shard, want tuning.List) step {
	for i := range shards {
		s := &shards[i]
		if s.kept > s.size {
			return s.waitFor(reasonScalingDown, "%s", s.keptWhy)
		}
		for _, p := range s.pods {
			if different := p.missing(want); p.answered && len(different) > 0 {
				return s.waitFor(reasonConfiguring, "pod %s does not take %s", p.name, different)
			}
		}
	}
	return step{}
}

// move decides on a hand-over for another reason than a new template. A wait is for what is in its way.
func (s *shard) move(now time.Time) step {
	if a := s.handover; a.underWay() {
		return s.waitFor(reasonHandingOver, "pod %s hands over to pod %s: %s", a.from, a.to, a.why)
	}
	primary := s.primary()
	if primary == nil || primary.alone() || primary.terminating || s.settling {
		return step{}
	}
	var (
		why        string
		successors = s.eligible(false)
	)
	switch {
	case primary.ordinal >= s.size:
		why = fmt.Sprintf("the spec asks for %d pods, and %s is one too many", s.size, primary.name)
	case primary.leaving != "":
		why = fmt.Sprintf("its Kubernetes node %s %s", primary.machine, primary.leaving)
	case s.preferred != "" && s.preferred != primary.name:
		why = "spec.failover.preferredPrimary asks for it"
		successors = slices.DeleteFunc(successors, func(p *pod) bool { return p.name != s.preferred || p.outdated })
		if len(successors) == 0 {
			return s.waitFor(reasonSwitchingOver, "waiting for pod %s, which spec.failover.preferredPrimary names: %s", s.preferred, s.unfit(s.preferred))
		}
	default:
		return step{}
	}
	return s.handOverTo(primary, successors, why, now)
}

// unfit says why a pod cannot take over.
func (s *shard) unfit(name string) string {
	for i := range s.pods {
		p := &s.pods[i]
		switch {
		case p.name != name:
		case p.leaving != "":
			return "its Kubernetes node " + p.machine + " " + p.leaving
		case p.outdated:
			return "it is of an earlier template"
		default:
			return "it is not in sync"
		}
	}
	return "there is no such pod"
}

// handOverTo is the hand-over to the first of these successors, or what it has to wait for.
func (s *shard) handOverTo(primary *pod, successors []*pod, why string, now time.Time) step {
	switch {
	case len(successors) == 0:
		return s.waitFor(reasonNoSuccessor, "pod %s should hand over (%s), but no replica elsewhere is in sync", primary.name, why)
	case s.handover.rests(now):
		st := s.waitFor(reasonHandOverFailed, "%s. It is tried again", s.handover.note())
		st.halted = true
		return st
	}
	return step{kind: handOver, shard: s, pod: primary, to: successors[0], why: why}
}

// eligible are the replicas that the primary may hand over to, the best first: those that can take over now, and that would not
// have to hand over in their turn. With current, those of the current template only.
func (s *shard) eligible(current bool) (list []*pod) {
	for i := range s.pods {
		p := &s.pods[i]
		if s.well(p) && !s.serves(p) && p.leaving == "" && p.ordinal < s.size && !(current && p.outdated) {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b *pod) int {
		return rank(a, s.preferred) - rank(b, s.preferred) // equals stay in the order of their ordinals
	})
	return list
}

// rank orders successors: a pod of the current template spares another hand-over, and so does the preferred one.
func rank(p *pod, preferred string) (n int) {
	if p.outdated {
		n += 2
	}
	if p.name != preferred {
		n++
	}
	return n
}
