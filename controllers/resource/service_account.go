package resource

import (
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
)

// ServiceAccount builds the pods' identity. Only pods that ask for its token get one, and the nodes' do.
func ServiceAccount(c Cluster) *coreac.ServiceAccountApplyConfiguration {
	return coreac.ServiceAccount(c.ServiceAccountName(), c.Namespace).
		WithLabels(c.labels()).
		WithOwnerReferences(c.owner()).
		WithAutomountServiceAccountToken(false)
}
