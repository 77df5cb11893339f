package resource

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	policyac "k8s.io/client-go/applyconfigurations/policy/v1"
)

// PodDisruptionBudget builds the budget of a shard: one pod may be evicted at a time. A shard of one pod can thus be
// drained, at the price of its data; a budget that forbade it would block every drain of the pod's machine for ever.
func PodDisruptionBudget(c Cluster, shard int32) *policyac.PodDisruptionBudgetApplyConfiguration {
	return policyac.PodDisruptionBudget(c.ShardName(shard), c.Namespace).
		WithLabels(c.shardLabels(shard)).
		WithOwnerReferences(c.owner()).
		WithSpec(policyac.PodDisruptionBudgetSpec().
			WithMaxUnavailable(intstr.FromInt32(1)).
			WithSelector(metaac.LabelSelector().WithMatchLabels(c.shardSelector(shard))))
}
