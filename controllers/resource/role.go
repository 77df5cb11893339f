package resource

import (
	rbacv1 "k8s.io/api/rbac/v1"
	rbacac "k8s.io/client-go/applyconfigurations/rbac/v1"
)

// mostPods is how many pods a shard may have: replicas go up to 9.
const mostPods = 10

// Role builds what the nodes may do: keep their shard's Lease, label its pods, and name the primary in the Service's
// EndpointSlice. Everything is limited to names but the creation of a Lease, which Kubernetes cannot limit so.
//
// It names every pod a shard can have, not those it has: a node that is about to start, and one that is going away, are
// looked at by the others as well, and a Role that had to change first would come late for either.
func Role(c Cluster) *rbacac.RoleApplyConfiguration {
	var shards, pods []string
	for shard := range c.Spec.Shards {
		shards = append(shards, c.LeaseName(shard))
		for pod := range int32(mostPods) {
			pods = append(pods, c.PodName(shard, pod))
		}
	}
	rule := func(group, resource string, names []string, verbs ...string) *rbacac.PolicyRuleApplyConfiguration {
		return rbacac.PolicyRule().WithAPIGroups(group).WithResources(resource).WithResourceNames(names...).WithVerbs(verbs...)
	}
	return rbacac.Role(c.ServiceAccountName(), c.Namespace).
		WithLabels(c.labels()).
		WithOwnerReferences(c.owner()).
		WithRules(
			rule("coordination.k8s.io", "leases", nil, "create"),
			rule("coordination.k8s.io", "leases", shards, "get", "update"),
			rule("", "pods", pods, "get", "patch"),
			rule("discovery.k8s.io", "endpointslices", []string{c.PrimarySliceName()}, "get", "patch"),
		)
}

// RoleBinding gives the pods' identity their Role.
func RoleBinding(c Cluster) *rbacac.RoleBindingApplyConfiguration {
	return rbacac.RoleBinding(c.ServiceAccountName(), c.Namespace).
		WithLabels(c.labels()).
		WithOwnerReferences(c.owner()).
		WithRoleRef(rbacac.RoleRef().WithAPIGroup(rbacv1.GroupName).WithKind("Role").WithName(c.ServiceAccountName())).
		WithSubjects(rbacac.Subject().WithKind(rbacv1.ServiceAccountKind).WithNamespace(c.Namespace).WithName(c.ServiceAccountName()))
}
