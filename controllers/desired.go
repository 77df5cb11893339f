package controllers

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	policyac "k8s.io/client-go/applyconfigurations/policy/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/controllers/resource"
)

// desired is one object the operator wants to exist, with what it takes to compare it with the one that does.
type desired struct {
	kind, name string
	config     runtime.ApplyConfiguration // exactly the fields the operator owns
	empty      func() client.Object       // to read the live object into
	// owned returns the fields of a live object that a field owner applied.
	owned func(live client.Object, owner string) (runtime.ApplyConfiguration, error)
	// bind makes the apply fail unless the live object still has this UID.
	bind func(types.UID)
}

func (d desired) String() string { return d.kind + " " + d.name }

// applyConfig is an apply configuration of type A.
type applyConfig[A any] interface {
	runtime.ApplyConfiguration
	GetKind() *string
	GetName() *string
	WithUID(types.UID) A
}

// want pairs an apply configuration with client-go's extraction of the same type.
func want[A applyConfig[A], T any, L interface {
	*T
	client.Object
}](ac A, extract func(L, string) (A, error)) desired {
	return desired{
		kind:   *ac.GetKind(),
		name:   *ac.GetName(),
		config: ac,
		empty:  func() client.Object { return L(new(T)) },
		owned: func(live client.Object, owner string) (runtime.ApplyConfiguration, error) {
			return extract(live.(L), owner)
		},
		bind: func(uid types.UID) { ac.WithUID(uid) },
	}
}

// desiredObjects returns everything that should exist for a cluster, in the order it is applied: what a pod needs
// before what makes pods.
func desiredObjects(c resource.Cluster) []desired {
	objects := []desired{
		want[*coreac.ServiceAccountApplyConfiguration, corev1.ServiceAccount](resource.ServiceAccount(c), coreac.ExtractServiceAccount),
		want[*coreac.ConfigMapApplyConfiguration, corev1.ConfigMap](resource.ConfigMap(c), coreac.ExtractConfigMap),
		want[*coreac.ServiceApplyConfiguration, corev1.Service](resource.HeadlessService(c), coreac.ExtractService),
		want[*coreac.ServiceApplyConfiguration, corev1.Service](resource.ClientService(c), coreac.ExtractService),
	}
	for shard := range c.Spec.Shards {
		objects = slices.Concat(objects, []desired{
			want[*policyac.PodDisruptionBudgetApplyConfiguration, policyv1.PodDisruptionBudget](resource.PodDisruptionBudget(c, shard), policyac.ExtractPodDisruptionBudget),
			want[*appsac.StatefulSetApplyConfiguration, appsv1.StatefulSet](resource.StatefulSet(c, shard), appsac.ExtractStatefulSet),
		})
	}
	return objects
}
