package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/resource"
	"zset.dev/operator/controllers/tuning"
)

// observe looks at the StatefulSets, pods and Leases of a cluster, and asks each running node how it is: all at once, so
// that one that does not answer holds up nobody. What it learns may be old by the time it is acted on; what deletes reads
// again.
func (r *Reconciler) observe(ctx context.Context, c resource.Cluster) ([]shard, error) {
	var pods corev1.PodList
	err := r.Client.List(ctx, &pods, client.InNamespace(c.Namespace), client.MatchingLabels{resource.LabelCluster: c.Name})
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	shards := make([]shard, max(c.Spec.Shards, 0)) // a spec that was not validated may hold anything
	for i := range shards {
		s := &shards[i]
		s.expect(c, int32(i))
		s.handover = r.handovers.get(shardKey{client.ObjectKeyFromObject(c.ZSetCluster), s.name})
		if err := r.observeSet(ctx, c, s, i, pods.Items); err != nil {
			return nil, err
		}
	}
	r.askNodes(ctx, shards)
	for i := range shards {
		// After the nodes: what they then say of a Lease they know already is not news that a watch brings later.
		if err := r.observeLease(ctx, c.Namespace, &shards[i]); err != nil {
			return nil, err
		}
	}
	return shards, nil
}

// expect fills in what the spec and the last status say of a shard.
func (s *shard) expect(c resource.Cluster, number int32) {
	s.name, s.settling = c.ShardName(number), true
	s.size = int(c.Pods())
	s.kept = s.size
	s.minSync = int(c.Spec.Durability.MinSyncReplicas)
	s.preferred = c.Spec.Failover.PreferredPrimary
	for _, old := range c.Status.Shards {
		if old.Name == s.name {
			s.reported = old.Epoch
		}
	}
	if p := meta.FindStatusCondition(c.Status.Conditions, v1alpha1.ConditionProgressing); p != nil {
		s.rolling = p.Reason == reasonRollingOut || p.Reason == reasonRolloutStopped
	}
	if ready := meta.FindStatusCondition(c.Status.Conditions, v1alpha1.ConditionReady); ready != nil && ready.Status == metav1.ConditionFalse {
		s.downSince = ready.LastTransitionTime.Time
	}
}

// observeSet adds the shard's StatefulSet and its pods.
func (r *Reconciler) observeSet(ctx context.Context, c resource.Cluster, s *shard, number int, pods []corev1.Pod) error {
	var set appsv1.StatefulSet
	err := r.Client.Get(ctx, types.NamespacedName{Namespace: c.Namespace, Name: s.name}, &set)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read StatefulSet %s: %w", s.name, err)
	}
	there := err == nil
	if there && whose(c.ZSetCluster, &set) != ours {
		return nil
	}
	if there {
		s.settling = set.Status.ObservedGeneration < set.Generation
		s.kept = int(ptr.Deref(set.Spec.Replicas, 1))
	}
	for i := range pods {
		// While a StatefulSet is made anew, its pods are without one, and serve.
		if mine := metav1.IsControlledBy(&pods[i], &set) || !there && pods[i].Labels[resource.LabelShard] == fmt.Sprint(number); !mine {
			continue
		}
		p := podFacts(&pods[i], s.name, set.Status.UpdateRevision, r.Now())
		if p.leaving, err = r.machineLeaving(ctx, p.machine); err != nil {
			return err
		}
		s.pods = append(s.pods, p)
	}
	slices.SortFunc(s.pods, func(a, b pod) int { return a.ordinal - b.ordinal })
	return nil
}

// observeLease adds what the shard's Lease says, from the API server: the cache holds only those that have our label.
func (r *Reconciler) observeLease(ctx context.Context, namespace string, s *shard) error {
	var l coordinationv1.Lease
	err := r.APIReader.Get(ctx, types.NamespacedName{Namespace: namespace, Name: s.name}, &l)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read Lease %s: %w", s.name, err)
	}
	s.lease = readLease(&l, s.name)
	return nil
}

// askNodes asks all nodes at once and waits for all, which none can draw out beyond noderesp.Timeout.
func (r *Reconciler) askNodes(ctx context.Context, shards []shard) {
	var asking sync.WaitGroup
	for i := range shards {
		for j := range shards[i].pods {
			p := &shards[i].pods[j]
			asking.Go(func() { r.askNode(ctx, p) })
		}
	}
	asking.Wait()
}

// askNode adds what the pod's node says. Only a running one is asked; that it does not answer is a fact, not an error.
func (r *Reconciler) askNode(ctx context.Context, p *pod) {
	if p.address == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, noderesp.Timeout)
	defer cancel()
	err := r.converse(ctx, p.address, func(ctx context.Context, node noderesp.Conn) (err error) {
		if p.config, err = node.ConfigGet(ctx, tuning.Managed); err != nil {
			return err
		}
		p.said, err = node.Shard(ctx)
		return err
	})
	p.answered = err == nil
	if err != nil {
		p.silence = noderesp.Explain(err)
	}
	p.late = p.late && !p.said.Syncing
}

// converse dials a node, has f talk to it, and hangs up.
func (r *Reconciler) converse(ctx context.Context, address string, f func(context.Context, noderesp.Conn) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*noderesp.Timeout)
	defer cancel()
	if r.NodeAddress != nil {
		address = r.NodeAddress(address)
	}
	node, err := r.Dial(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, node.Close()) }()
	return f(ctx, node)
}
