package resource

import (
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
)

// ServiceAccount builds the pods' identity. It has no Role and no token: this version's node never talks to the API server.
func ServiceAccount(c Cluster) *coreac.ServiceAccountApplyConfiguration {
	return coreac.ServiceAccount(c.ServiceAccountName(), c.Namespace).
		WithLabels(c.labels()).
		WithOwnerReferences(c.owner()).
		WithAutomountServiceAccountToken(false)
}
