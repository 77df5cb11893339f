package controllers

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/resource"
)

// Reconciler reconciles ZSetClusters. Its fields are set before it starts and never change; what they point to is safe
// for concurrent use.
type Reconciler struct {
	Client    client.Client // reads from a cache that holds the operator's own objects only (CacheOptions)
	APIReader client.Reader // reads from the API server
	Recorder  events.EventRecorder
	Metrics   *Metrics
	Options   resource.Options
	Dial      noderesp.Dial
	Now       func() time.Time

	// ObserveInterval is how often a cluster is looked at when nothing happens to it.
	ObserveInterval time.Duration
	// NodeAddress changes the address (host:port) a node is dialed at. Nil: none; for machines outside the pod network.
	NodeAddress func(string) string

	handovers handovers // guards itself
}

// Reconcile brings one cluster a step nearer to its spec.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cluster v1alpha1.ZSetCluster
	if err := r.Client.Get(ctx, req.NamespacedName, &cluster); err != nil {
		if apierrors.IsNotFound(err) {
			r.Metrics.forget(req.NamespacedName)
			r.handovers.forget(req.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if cluster.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // owner references do the rest
	}

	f := &facts{}
	if err := r.advance(ctx, &cluster, f); err != nil {
		return retry(err)
	}
	if err := r.report(ctx, &cluster, f); err != nil {
		return retry(err)
	}
	return ctrl.Result{RequeueAfter: nextLook(cluster.Status, f, r.Now(), r.ObserveInterval)}, nil
}

// AnnotationPaused on a cluster, with the value "true", makes the operator look and report, and touch nothing. Its nodes fail over
// all the same.
const AnnotationPaused = "cache.zset.dev/paused"

// advance goes through the phases and leaves what it learned in f. An error is one of the API server's that passes;
// everything else is a fact.
func (r *Reconciler) advance(ctx context.Context, cluster *v1alpha1.ZSetCluster, f *facts) (err error) {
	c := resource.Cluster{ZSetCluster: cluster, Options: r.Options}
	f.endpoint = c.Endpoint()
	f.paused = cluster.Annotations[AnnotationPaused] == "true"
	if f.shards, err = r.observe(ctx, c); err != nil {
		return err
	}
	r.judgeHandovers(c, f)

	c.ZSetCluster = keeping(cluster, f.shards)
	f.want, f.problem = validate(&c.Spec)
	c.Tuning = f.want
	if f.problem != nil || f.paused {
		return nil
	}
	objects, problem := desiredObjects(c)
	if f.problem = problem; problem != nil {
		return nil
	}
	if f.applied, f.problem, err = r.apply(ctx, cluster, objects); err != nil {
		return err
	}
	for i := range f.shards {
		s := &f.shards[i]
		s.settling = s.settling || f.applied.touched("StatefulSet "+s.name)
	}
	if f.problem != nil || f.applied.leaving != "" {
		return nil
	}

	for f.step = plan(f.shards, f.want, r.Now()); f.step.kind == configure; f.step = plan(f.shards, f.want, r.Now()) {
		r.configureNode(ctx, f) // after which the node has what it lacked, or is known to refuse it, or does not answer
	}
	if f.step.kind == settled {
		r.dropHandovers(c, f) // nobody wants them any more
	}
	return r.act(ctx, c, f)
}

// keeping is the cluster with as many replicas as its shards are to have for now, which are more than it asks for while one that
// is to go is still needed.
func keeping(cluster *v1alpha1.ZSetCluster, shards []shard) *v1alpha1.ZSetCluster {
	most := int32(0)
	for i := range shards {
		s := &shards[i]
		s.kept, s.keptWhy = s.keep(s.size, s.kept)
		most = max(most, int32(s.kept))
	}
	if cluster.Spec.Replicas == nil || most <= *cluster.Spec.Replicas+1 {
		return cluster
	}
	cluster = cluster.DeepCopy()
	cluster.Spec.Replicas = ptr.To(most - 1)
	return cluster
}

// conflictWait lets the cache catch up with what someone else wrote.
const conflictWait = 100 * time.Millisecond

// retry is the result of a reconcile that could not finish. A conflict only means that the cache was behind.
func retry(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: conflictWait}, nil
	}
	return ctrl.Result{}, err
}
