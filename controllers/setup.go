package controllers

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
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
	}}
	for _, namespace := range namespaces {
		if options.DefaultNamespaces == nil {
			options.DefaultNamespaces = map[string]cache.Config{}
		}
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	return options
}

// SetupWithManager starts the reconciler with a manager. concurrent is how many clusters are reconciled at once.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("zsetcluster").
		// The operator's own writes of status do not wake it.
		For(&v1alpha1.ZSetCluster{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ServiceAccount{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&corev1.Service{}).
		Owns(&rbacv1.Role{}).
		Owns(&rbacv1.RoleBinding{}).
		Owns(&discoveryv1.EndpointSlice{}).
		Owns(&policyv1.PodDisruptionBudget{}).
		Owns(&appsv1.StatefulSet{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(clusterOf)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: concurrent,
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](
				100*time.Millisecond, 30*time.Second),
		}).
		Complete(r)
}

// clusterOf maps a pod to its cluster by label: the pod's owner is a StatefulSet.
func clusterOf(_ context.Context, pod client.Object) []ctrl.Request {
	name := pod.GetLabels()[resource.LabelCluster]
	if name == "" {
		return nil
	}
	return []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: pod.GetNamespace(), Name: name}}}
}
