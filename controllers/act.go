package controllers

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/resource"
	"zset.dev/operator/controllers/tuning"
)

// act carries out the step.
func (r *Reconciler) act(ctx context.Context, c resource.Cluster, f *facts) (err error) {
	switch f.step.kind {
	case handOver:
		f.done.handover = r.handOver(ctx, c, f.step)
	case replacePod:
		f.done.replaced, err = r.deletePod(ctx, c, f.step)
	}
	return err
}

// configureNode sends what differs in one command and reads it back into the facts of the pod: only what the node then
// answers counts. Failures are facts too; the next look tries again.
func (r *Reconciler) configureNode(ctx context.Context, f *facts) {
	p, set := f.step.pod, f.step.set
	err := r.converse(ctx, p.address, func(ctx context.Context, node noderesp.Conn) (err error) {
		if err := node.ConfigSet(ctx, set); err != nil {
			return err
		}
		p.config, err = node.ConfigGet(ctx, tuning.Managed)
		return err
	})
	if refusal := new(noderesp.Refusal); errors.As(err, &refusal) {
		p.refusal = refusal.Reply
		return
	}
	if err != nil {
		p.answered, p.silence = false, noderesp.Explain(err)
		return
	}
	if different := tuning.Diff(set, p.config); len(different) > 0 {
		p.refusal = fmt.Sprintf("it accepted %s, but does not report it afterwards", different)
		return
	}
	f.done.configured = append(f.done.configured, configured{p.name, set})
}

// handOver asks the primary to hand over. It answers at once; the looks that follow tell what came of it (attempt.judge). An
// answer that does not come may be lost after the primary took the order up, so it is waited for all the same.
func (r *Reconciler) handOver(ctx context.Context, c resource.Cluster, st step) verdict {
	key := shardKey{client.ObjectKeyFromObject(c.ZSetCluster), st.shard.name}
	a := attempt{from: st.pod.name, to: st.to.name, why: st.why, epoch: st.shard.lease.epoch, began: r.Now(), failed: st.shard.handover.failed}
	v := verdict{begun: true}
	err := r.converse(ctx, st.pod.address, func(ctx context.Context, node noderesp.Conn) error {
		return node.Failover(ctx, st.to.name+"."+c.PodDomain(), tuning.PortRESP, handoverTimeout)
	})
	if refusal := new(noderesp.Refusal); errors.As(err, &refusal) {
		a, v = a.fail(refusal.Reply, a.began), verdict{failed: true}
	}
	v.attempt = a
	st.shard.handover = a
	r.handovers.put(key, a)
	return v
}

// judgeHandovers finds out what has become of the hand-overs that were asked for.
func (r *Reconciler) judgeHandovers(c resource.Cluster, f *facts) {
	for i := range f.shards {
		s := &f.shards[i]
		before := s.handover
		var v verdict
		if s.handover, v = before.judge(s, r.Now()); v != (verdict{}) {
			f.done.judged = append(f.done.judged, v)
		}
		if s.handover != before {
			r.handovers.put(shardKey{client.ObjectKeyFromObject(c.ZSetCluster), s.name}, s.handover)
		}
	}
}

// dropHandovers forgets hand-overs that failed.
func (r *Reconciler) dropHandovers(c resource.Cluster, f *facts) {
	for i := range f.shards {
		if s := &f.shards[i]; s.handover.trouble != "" {
			s.handover = attempt{}
			r.handovers.put(shardKey{client.ObjectKeyFromObject(c.ZSetCluster), s.name}, attempt{})
		}
	}
}

// deletePod deletes exactly the pod that was observed, if what the API server says now still asks for it: a successor of the
// same name has another UID, a pod that changed since another version, and both are spared. It returns the pod's name if it did.
func (r *Reconciler) deletePod(ctx context.Context, c resource.Cluster, st step) (deleted string, err error) {
	var object corev1.Pod
	err = r.APIReader.Get(ctx, types.NamespacedName{Namespace: c.Namespace, Name: st.pod.name}, &object)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read pod %s: %w", st.pod.name, err)
	}
	var set appsv1.StatefulSet
	err = r.APIReader.Get(ctx, types.NamespacedName{Namespace: c.Namespace, Name: st.shard.name}, &set)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read StatefulSet %s: %w", st.shard.name, err)
	}
	now := *st.shard
	if err := r.observeLease(ctx, c.Namespace, &now); err != nil {
		return "", err
	}
	if !now.stillDue(st.pod, &object, &set) {
		return "", nil
	}
	err = r.Client.Delete(ctx, &object, client.Preconditions{UID: &object.UID, ResourceVersion: &object.ResourceVersion})
	switch {
	case err == nil:
		return st.pod.name, nil
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return "", nil // what we saw was old: look again
	}
	return "", fmt.Errorf("delete outdated pod %s: %w", st.pod.name, err)
}

// stillDue tells whether a pod that was to be replaced still is, by what the API server said last.
func (s *shard) stillDue(p *pod, object *corev1.Pod, set *appsv1.StatefulSet) bool {
	return object.UID == p.uid && object.DeletionTimestamp == nil &&
		set.Status.ObservedGeneration >= set.Generation &&
		object.Labels[appsv1.ControllerRevisionHashLabelKey] != set.Status.UpdateRevision &&
		(dead(object) || !p.dead) && s.expendable(p)
}
