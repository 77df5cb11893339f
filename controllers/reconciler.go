package controllers

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
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
}

// Reconcile brings one cluster a step nearer to its spec.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cluster v1alpha1.ZSetCluster
	if err := r.Client.Get(ctx, req.NamespacedName, &cluster); err != nil {
		if apierrors.IsNotFound(err) {
			r.Metrics.forget(req.NamespacedName)
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

// advance goes through the phases and leaves what it learned in f. An error is one of the API server's that passes;
// everything else is a fact.
func (r *Reconciler) advance(ctx context.Context, cluster *v1alpha1.ZSetCluster, f *facts) (err error) {
	f.want, f.problem = validate(&cluster.Spec)
	c := resource.Cluster{ZSetCluster: cluster, Options: r.Options, Tuning: f.want}
	f.endpoint = c.Endpoint()

	var objects []desired
	if f.problem == nil {
		objects, f.problem = desiredObjects(c)
	}
	if f.problem == nil {
		if f.applied, f.problem, err = r.apply(ctx, cluster, objects); err != nil {
			return err
		}
	}
	if f.shards, err = r.observe(ctx, c, f.applied); err != nil {
		return err
	}
	if f.problem != nil || f.applied.leaving != "" {
		return nil
	}
	f.step = plan(f.shards, f.want)
	if f.done, err = r.act(ctx, cluster.Namespace, f.step); err != nil {
		return err
	}
	if f.step.kind == configure && f.step.pod.refusal == "" {
		f.step = plan(f.shards, f.want) // the node has answered anew
	}
	return nil
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
