package resource

import (
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	policyac "k8s.io/client-go/applyconfigurations/policy/v1"
)

// PodDisruptionBudget builds the budget of a shard: one pod may be unavailable. Ready means in sync, so while a replica
// syncs it is the one, and the primary it needs cannot be evicted. A shard of one pod can be drained, at the price of its
// data if it has no volume; a budget that forbade it would block every drain of the pod's machine for ever.
//
// A pod that is not ready is evicted only within the budget as well: when the primary is lost, one that is not ready may
// have the best copy.
func PodDisruptionBudget(c Cluster, shard int32) *policyac.PodDisruptionBudgetApplyConfiguration {
	return policyac.PodDisruptionBudget(c.ShardName(shard), c.Namespace).
		WithLabels(c.shardLabels(shard)).
		WithOwnerReferences(c.owner()).
		WithSpec(policyac.PodDisruptionBudgetSpec().
			WithMaxUnavailable(intstr.FromInt32(1)).
			WithUnhealthyPodEvictionPolicy(policyv1.IfHealthyBudget).
			WithSelector(metaac.LabelSelector().WithMatchLabels(c.shardSelector(shard))))
}
