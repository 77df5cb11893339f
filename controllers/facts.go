package controllers

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/tuning"
)

// facts is everything one reconcile learned and did. Conditions, events, metrics and the time of the next look are pure
// functions of it and of the status that was. One reconcile owns it.
type facts struct {
	endpoint string
	want     tuning.List // directives every node should have
	problem  *problem    // why the operator could not do what the spec asks for, if so
	paused   bool        // a person asked the operator to look and do nothing
	applied  applied
	shards   []shard
	step     step
	done     outcome
}

// problem is something that does not pass by waiting.
type problem struct {
	reason, message string // message says what to do
}

// shard is what was observed of one shard, and what the spec asks of it.
type shard struct {
	name string
	// settling: the StatefulSet was changed and its controller has not yet said which revision its pods should have.
	settling bool
	lease    record
	pods     []pod // by ordinal

	size      int    // how many pods the spec asks for
	kept      int    // how many the StatefulSet has for now: more while what is to go is needed
	keptWhy   string // why
	minSync   int    // how many replicas in sync writes need
	preferred string // pod that should be primary; empty: whichever is

	reported  int64     // greatest epoch that the status ever reported
	rolling   bool      // pods are being replaced for a new template, since an earlier look
	downSince time.Time // since when no primary was seen to serve; zero while one was
	handover  attempt   // what became of the last hand-over the operator asked for
}

// pod is what was observed of one pod and of the node in it.
type pod struct {
	name        string
	ordinal     int
	uid         types.UID
	address     string // host:port of its node; empty when there is nothing to talk to
	ready       bool   // as Kubernetes says
	outdated    bool   // its template is not the StatefulSet's current one
	terminating bool
	stuck       string // why it will not become ready without help, if so; says what to do
	dead        bool   // no process runs in it: there is nothing in its memory to lose
	late        bool   // it has not been ready for long

	machine string // Kubernetes node it is on; empty while it is on none
	leaving string // why that is about to go away, if it is

	answered bool              // its node answered the operator
	silence  string            // why not, when it was asked
	config   map[string]string // what it answered to CONFIG GET
	said     noderesp.Shard    // what it says of itself
	refusal  string            // what it said to CONFIG SET, when it refused
}

// missing returns the directives the node does not have as wanted.
func (p *pod) missing(want tuning.List) tuning.List { return tuning.Diff(want, p.config) }

// alone tells whether the node belongs to no shard: it is a primary by itself, as those of earlier versions are.
func (p *pod) alone() bool { return p.answered && p.said.Name == "" }

// handsOver tells whether the node is just handing over: also for a moment after another took over, while it holds its writers until
// they find that one.
func (p *pod) handsOver() bool {
	return p.said.Handover != "" && p.said.Handover != noderesp.HandoverNone
}

// holds tells whether a process of the pod holds the Lease.
func (s *shard) holds(p *pod) bool {
	return s.lease.holder.pod == p.name && s.lease.holder.uid == p.uid
}

// serves tells whether the pod's node is the primary and takes writes: it and the Lease say so.
func (s *shard) serves(p *pod) bool {
	switch {
	case !p.answered:
		return false
	case p.alone():
		return p.ready && !p.terminating
	}
	return s.holds(p) && p.said.Identity == s.lease.holder.String() && p.said.Role == rolePrimary && !p.said.Fenced
}

// inSync tells whether the pod could take over from the primary, now: the Lease lists its process, and that agrees. The
// primary itself is in sync.
func (s *shard) inSync(p *pod) bool {
	if s.serves(p) {
		return true
	}
	if !p.answered || p.terminating || !p.said.InSync {
		return false
	}
	return slices.ContainsFunc(s.lease.electors, func(i identity) bool { return i.String() == p.said.Identity && i.uid == p.uid })
}

// well tells whether the pod is as it should be, its template apart.
func (s *shard) well(p *pod) bool { return p.ready && p.answered && !p.terminating && s.inSync(p) }

// primary returns the pod that serves the shard, nil if none does.
func (s *shard) primary() *pod {
	for i := range s.pods {
		if s.serves(&s.pods[i]) {
			return &s.pods[i]
		}
	}
	return nil
}

// successors counts the replicas that a failover could find now.
func (s *shard) successors() (n int) {
	for i := range s.pods {
		if p := &s.pods[i]; s.inSync(p) && !s.serves(p) {
			n++
		}
	}
	return n
}

// lag is how many bytes of the log the pod had less than the primary when they were asked; ok is false when that is unknown.
func (s *shard) lag(p *pod) (bytes int64, ok bool) {
	primary := s.primary()
	if primary == nil || !p.answered || p.alone() || p.said.PositionEpoch != primary.said.PositionEpoch {
		return 0, false
	}
	return max(primary.said.Offset-p.said.Offset, 0), true
}

// outdated tells whether any pod is of an earlier template.
func (s *shard) outdated() bool {
	return !s.settling && slices.ContainsFunc(s.pods, func(p pod) bool { return p.outdated })
}

// Roles as nodes name them.
const (
	rolePrimary = "primary"
	roleReplica = "replica"
)

// outcome is what came of the step.
type outcome struct {
	replaced   string       // pod that was deleted to be made anew
	configured []configured // nodes that took new directives
	handover   verdict      // hand-over that was asked for
	judged     []verdict    // what became of earlier ones
}

// configured is a node that confirmed directives.
type configured struct {
	pod string
	set tuning.List
}

// eachPod calls f with every pod of every shard, in order.
func (f *facts) eachPod(visit func(s *shard, p *pod)) {
	for i := range f.shards {
		for j := range f.shards[i].pods {
			visit(&f.shards[i], &f.shards[i].pods[j])
		}
	}
}
