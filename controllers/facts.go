package controllers

import (
	"k8s.io/apimachinery/pkg/types"

	"zset.dev/operator/controllers/tuning"
)

// facts is everything one reconcile learned and did. Conditions, events, metrics and the time of the next look are pure
// functions of it. One reconcile owns it.
type facts struct {
	endpoint string
	want     tuning.List // directives every node should have
	problem  *problem    // why the operator could not do what the spec asks for, if so
	applied  applied
	shards   []shard
	step     step
	done     outcome
}

// problem is something that does not pass by waiting.
type problem struct {
	reason, message string // message says what to do
}

// shard is what was observed of one shard.
type shard struct {
	name string
	// settling: the StatefulSet was changed and its controller has not yet said which revision its pods should have.
	settling bool
	pods     []pod // of this version's single-pod shards: at most one
}

// pod is what was observed of one pod and of the node in it.
type pod struct {
	name        string
	uid         types.UID
	address     string // host:port of its node; empty when there is nothing to talk to
	ready       bool   // as Kubernetes says
	outdated    bool   // its template is not the StatefulSet's current one
	terminating bool
	stuck       string // why it will not become ready without help, if so; says what to do

	answered bool              // its node answered the operator
	silence  string            // why not, when it was asked
	config   map[string]string // what it answered to CONFIG GET
	refusal  string            // what it said to CONFIG SET, when it refused
}

// serves tells whether clients can use the node: Kubernetes and the operator both reached it.
func (p pod) serves() bool { return p.ready && p.answered && !p.terminating }

// missing returns the directives the node does not have as wanted.
func (p pod) missing(want tuning.List) tuning.List { return tuning.Diff(want, p.config) }

// primary returns the pod that serves the shard, if one does.
func (s shard) primary() string {
	for _, p := range s.pods {
		if p.serves() {
			return p.name
		}
	}
	return ""
}

// outcome is what came of the step.
type outcome struct {
	replaced   string      // pod that was deleted to be made anew
	configured string      // pod whose node took new directives
	set        tuning.List // which
}

// eachPod calls f with every pod of every shard, in order.
func (f *facts) eachPod(visit func(p *pod)) {
	for i := range f.shards {
		for j := range f.shards[i].pods {
			visit(&f.shards[i].pods[j])
		}
	}
}
