package resource

import (
	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"zset.dev/operator/controllers/tuning"
)

// ClientService builds the Service clients connect to: ready pods of the only shard.
func ClientService(c Cluster) *coreac.ServiceApplyConfiguration {
	return coreac.Service(c.ClientServiceName(), c.Namespace).
		WithLabels(c.labels()).
		WithOwnerReferences(c.owner()).
		WithSpec(coreac.ServiceSpec().
			WithType(corev1.ServiceTypeClusterIP).
			WithSelector(c.shardSelector(0)).
			WithPorts(servicePort(portRESP, tuning.PortRESP)))
}
