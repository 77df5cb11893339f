package resource

import (
	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
)

// spread prefers to put the pods of a shard evenly over a topology. It only prefers: in a cluster of one machine, or while a
// zone is lost, a shard is better off crowded than short of a pod. Who wants it strictly says so in spec.podTemplate.
func spread(c Cluster, shard int32, topologyKey string) *coreac.TopologySpreadConstraintApplyConfiguration {
	return coreac.TopologySpreadConstraint().
		WithMaxSkew(1).
		WithTopologyKey(topologyKey).
		WithWhenUnsatisfiable(corev1.ScheduleAnyway).
		WithLabelSelector(metaac.LabelSelector().WithMatchLabels(c.shardSelector(shard)))
}

// apart prefers different machines for the pods of a shard more strongly than spread does, which weighs it against the
// scheduler's other wishes.
func apart(c Cluster, shard int32) *coreac.AffinityApplyConfiguration {
	return coreac.Affinity().WithPodAntiAffinity(coreac.PodAntiAffinity().
		WithPreferredDuringSchedulingIgnoredDuringExecution(coreac.WeightedPodAffinityTerm().
			WithWeight(100).
			WithPodAffinityTerm(coreac.PodAffinityTerm().
				WithTopologyKey(corev1.LabelHostname).
				WithLabelSelector(metaac.LabelSelector().WithMatchLabels(c.shardSelector(shard))))))
}
