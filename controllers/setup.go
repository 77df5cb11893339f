package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	change "sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/resource"
)

// NewScheme returns a scheme with every type the controllers use.
func NewScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

// CacheOptions keep the operator's memory independent of what else runs in the Kubernetes cluster: of all but
// ZSetClusters only objects with the operator's label are held. namespaces limits it further; none means all.
func CacheOptions(namespaces ...string) cache.Options {
	own := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{resource.LabelManagedBy: resource.ManagedBy})}
	ownPods := own
	ownPods.Transform = cache.TransformStripManagedFields() // of other objects they tell what the operator applied
	options := cache.Options{ByObject: map[client.Object]cache.ByObject{
		&corev1.Pod{}:                   ownPods,
		&corev1.Service{}:               own,
		&corev1.ConfigMap{}:             own,
		&corev1.ServiceAccount{}:        own,
		&appsv1.StatefulSet{}:           own,
		&policyv1.PodDisruptionBudget{}: own,
		&discoveryv1.EndpointSlice{}:    own,
		&rbacv1.Role{}:                  own,
		&rbacv1.RoleBinding{}:           own,
		&coordinationv1.Lease{}:         {Label: ofClusters()},
		&corev1.Node{}:                  {Transform: nodeSkeleton},
	}}
	for _, namespace := range namespaces {
		if options.DefaultNamespaces == nil {
			options.DefaultNamespaces = map[string]cache.Config{}
		}
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	return options
}

// ofClusters selects what has the label of a cluster, whichever. Nodes put it on their Lease.
func ofClusters() labels.Selector {
	has, err := labels.NewRequirement(resource.LabelCluster, selection.Exists, nil)
	if err != nil {
		panic(err) // the label is a constant
	}
	return labels.NewSelector().Add(*has)
}

// nodeSkeleton leaves of a Kubernetes node what tells whether it goes away: a cluster may have thousands, with long lists of
// images each.
func nodeSkeleton(object any) (any, error) {
	n, ok := object.(*corev1.Node)
	if !ok {
		return object, nil
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, UID: n.UID, ResourceVersion: n.ResourceVersion, DeletionTimestamp: n.DeletionTimestamp},
		Spec:       corev1.NodeSpec{Unschedulable: n.Spec.Unschedulable, Taints: n.Spec.Taints},
	}, nil
}

// indexMachine is the index of pods by the Kubernetes node they are on.
const indexMachine = "spec.nodeName"

// SetupWithManager starts the reconciler with a manager. concurrent is how many clusters are reconciled at once.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	err := mgr.GetFieldIndexer().IndexField(context.Background(), &corev1.Pod{}, indexMachine, func(object client.Object) []string {
		return []string{object.(*corev1.Pod).Spec.NodeName}
	})
	if err != nil {
		return fmt.Errorf("index pods: %w", err)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("zsetcluster").
		// The operator's own writes of status do not wake it.
		For(&v1alpha1.ZSetCluster{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Owns(&corev1.ServiceAccount{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&corev1.Service{}).
		Owns(&rbacv1.Role{}).
		Owns(&rbacv1.RoleBinding{}).
		Owns(&discoveryv1.EndpointSlice{}).
		Owns(&policyv1.PodDisruptionBudget{}).
		Owns(&appsv1.StatefulSet{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(clusterOf)).
		// A failover shows here first.
		Watches(&coordinationv1.Lease{}, handler.EnqueueRequestsFromMapFunc(clusterOf), builder.WithPredicates(leaseChanged())).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(r.clustersOn), builder.WithPredicates(leavingChanged())).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: concurrent,
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](
				100*time.Millisecond, 30*time.Second),
		}).
		Complete(r)
}

// leaseChanged passes over renewals.
func leaseChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e change.UpdateEvent) bool {
		old, ok := e.ObjectOld.(*coordinationv1.Lease)
		now, also := e.ObjectNew.(*coordinationv1.Lease)
		return !ok || !also || !sameRecord(old, now)
	}}
}

// leavingChanged passes over all that does not tell whether a Kubernetes node goes away.
func leavingChanged() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(change.CreateEvent) bool { return false },
		UpdateFunc: func(e change.UpdateEvent) bool {
			old, ok := e.ObjectOld.(*corev1.Node)
			now, also := e.ObjectNew.(*corev1.Node)
			return !ok || !also || leaving(old) != leaving(now)
		},
	}
}

// clusterOf maps a pod or a Lease to its cluster by label: a pod's owner is a StatefulSet, and a Lease's may have been lost.
func clusterOf(_ context.Context, object client.Object) []ctrl.Request {
	name := object.GetLabels()[resource.LabelCluster]
	if name == "" {
		return nil
	}
	return []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: name}}}
}

// clustersOn maps a Kubernetes node to the clusters that have pods on it.
func (r *Reconciler) clustersOn(ctx context.Context, machine client.Object) (requests []ctrl.Request) {
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.MatchingFields{indexMachine: machine.GetName()}); err != nil {
		return nil // of a cache: it does not fail once it is there
	}
	for i := range pods.Items {
		for _, request := range clusterOf(ctx, &pods.Items[i]) {
			if !slices.Contains(requests, request) {
				requests = append(requests, request)
			}
		}
	}
	return requests
}
