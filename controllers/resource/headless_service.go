package resource

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"zset.dev/operator/controllers/tuning"
)

// HeadlessService builds the Service that gives each pod a DNS name. It publishes pods that are not ready: nodes must find
// each other before any of them can be.
func HeadlessService(c Cluster) *coreac.ServiceApplyConfiguration {
	return coreac.Service(c.HeadlessServiceName(), c.Namespace).
		WithLabels(c.labels()).
		WithOwnerReferences(c.owner()).
		WithSpec(coreac.ServiceSpec().
			WithType(corev1.ServiceTypeClusterIP).
			WithClusterIP(corev1.ClusterIPNone).
			WithPublishNotReadyAddresses(true).
			WithSelector(c.selector()).
			WithPorts(
				servicePort(portRESP, tuning.PortRESP),
				servicePort(portHTTP, tuning.PortHTTP),
			))
}

// servicePort is a port of a Service that leads to the pods' port of the same name.
func servicePort(name string, port int32) *coreac.ServicePortApplyConfiguration {
	return coreac.ServicePort().
		WithName(name).
		WithPort(port).
		WithProtocol(corev1.ProtocolTCP).
		WithTargetPort(intstr.FromString(name))
}
