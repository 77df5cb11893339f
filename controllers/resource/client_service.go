package resource

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	discoveryac "k8s.io/client-go/applyconfigurations/discovery/v1"

	"zset.dev/operator/controllers/tuning"
)

// ClientService builds the Service clients connect to, which leads to the primary. It has no selector: the node that is
// primary writes its address into the EndpointSlice beside, in one change, so there is never none and never two because a
// label was late.
func ClientService(c Cluster) *coreac.ServiceApplyConfiguration {
	return coreac.Service(c.ClientServiceName(), c.Namespace).
		WithLabels(c.labels()).
		WithOwnerReferences(c.owner()).
		WithSpec(coreac.ServiceSpec().
			WithType(corev1.ServiceTypeClusterIP).
			WithPorts(servicePort(portRESP, tuning.PortRESP)))
}

// PrimarySlice builds the EndpointSlice of the client Service but for its endpoints, which belong to the nodes: whoever
// applies it must never say anything of them.
func PrimarySlice(c Cluster) *discoveryac.EndpointSliceApplyConfiguration {
	labels := c.labels()
	labels[discoveryv1.LabelServiceName] = c.ClientServiceName()
	labels[discoveryv1.LabelManagedBy] = "node.cache.zset.dev"
	address := c.AddressType
	if address == "" {
		address = discoveryv1.AddressTypeIPv4
	}
	return discoveryac.EndpointSlice(c.PrimarySliceName(), c.Namespace).
		WithLabels(labels).
		WithOwnerReferences(c.owner()).
		WithAddressType(address).
		WithPorts(discoveryac.EndpointPort().WithName(portRESP).WithPort(tuning.PortRESP).WithProtocol(corev1.ProtocolTCP))
}

// ReadService builds the Service for reads that may be a little behind: replicas that are ready, which is in sync.
func ReadService(c Cluster) *coreac.ServiceApplyConfiguration {
	selector := c.selector()
	selector[LabelRole] = roleReplica
	return coreac.Service(c.ReadServiceName(), c.Namespace).
		WithLabels(c.labels()).
		WithOwnerReferences(c.owner()).
		WithSpec(coreac.ServiceSpec().
			WithType(corev1.ServiceTypeClusterIP).
			WithSelector(selector).
			WithPorts(servicePort(portRESP, tuning.PortRESP)))
}
