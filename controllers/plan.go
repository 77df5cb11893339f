package controllers

import (
	"fmt"

	"zset.dev/operator/controllers/tuning"
)

// stepKind is what the operator does next.
type stepKind int

const (
	settled    stepKind = iota // everything is as wanted
	wait                       // Kubernetes or a node is at it; a watch or a later look tells
	configure                  // send directives to a running node
	replacePod                 // delete a pod so that its StatefulSet makes it anew from the current template
)

// step is the one thing a reconcile does after it has looked.
type step struct {
	kind stepKind
	pod  *pod        // of configure and replacePod
	set  tuning.List // of configure: what differs
	why  string      // of wait: for people
}

// plan decides the next step, one at a time; after it the operator looks again.
//
// Sending directives comes first: it disturbs nobody. A pod about to be replaced is not configured any more: its limits
// may no longer fit what the spec says, and its successor boots with the new values. At most one pod is away at a time.
func plan(shards []shard, want tuning.List) step {
	for _, s := range shards {
		for i, p := range s.pods {
			if s.settling || p.outdated || p.terminating || !p.answered {
				continue
			}
			if different := p.missing(want); len(different) > 0 {
				return step{kind: configure, pod: &s.pods[i], set: different}
			}
		}
	}
	for _, s := range shards {
		if s.settling {
			return step{kind: wait, why: fmt.Sprintf("waiting for Kubernetes to take up StatefulSet %s", s.name)}
		}
		for i, p := range s.pods {
			switch {
			case p.terminating:
				return step{kind: wait, why: fmt.Sprintf("waiting for pod %s to end", p.name)}
			case p.outdated:
				return step{kind: replacePod, pod: &s.pods[i]}
			case !p.ready:
				return step{kind: wait, why: fmt.Sprintf("waiting for pod %s to become ready", p.name)}
			case !p.answered:
				return step{kind: wait, why: fmt.Sprintf("waiting for the node in pod %s to answer", p.name)}
			}
		}
		if len(s.pods) == 0 {
			return step{kind: wait, why: fmt.Sprintf("waiting for a pod of StatefulSet %s", s.name)}
		}
	}
	return step{kind: settled}
}
