package controllers

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	discoveryac "k8s.io/client-go/applyconfigurations/discovery/v1"
	policyac "k8s.io/client-go/applyconfigurations/policy/v1"
	rbacac "k8s.io/client-go/applyconfigurations/rbac/v1"
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
// before what makes pods. The problem is one of what the spec asks pods to be.
func desiredObjects(c resource.Cluster) ([]desired, *problem) {
	objects := []desired{
		want[*coreac.ServiceAccountApplyConfiguration, corev1.ServiceAccount](resource.ServiceAccount(c), coreac.ExtractServiceAccount),
		want[*rbacac.RoleApplyConfiguration, rbacv1.Role](resource.Role(c), rbacac.ExtractRole),
		want[*rbacac.RoleBindingApplyConfiguration, rbacv1.RoleBinding](resource.RoleBinding(c), rbacac.ExtractRoleBinding),
		want[*coreac.ConfigMapApplyConfiguration, corev1.ConfigMap](resource.ConfigMap(c), coreac.ExtractConfigMap),
		want[*coreac.ServiceApplyConfiguration, corev1.Service](resource.HeadlessService(c), coreac.ExtractService),
		want[*coreac.ServiceApplyConfiguration, corev1.Service](resource.ClientService(c), coreac.ExtractService),
		want[*discoveryac.EndpointSliceApplyConfiguration, discoveryv1.EndpointSlice](resource.PrimarySlice(c), discoveryac.ExtractEndpointSlice),
		want[*coreac.ServiceApplyConfiguration, corev1.Service](resource.ReadService(c), coreac.ExtractService),
	}
	for shard := range c.Spec.Shards {
		set, err := resource.StatefulSet(c, shard)
		if err != nil {
			return nil, &problem{reasonUnsupported, fmt.Sprintf("%v. Change spec.podTemplate.", err)}
		}
		objects = append(objects,
			want[*policyac.PodDisruptionBudgetApplyConfiguration, policyv1.PodDisruptionBudget](resource.PodDisruptionBudget(c, shard), policyac.ExtractPodDisruptionBudget),
			want[*appsac.StatefulSetApplyConfiguration, appsv1.StatefulSet](set, appsac.ExtractStatefulSet),
		)
	}
	return objects, nil
}
