package resource

import (
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"zset.dev/operator/controllers/tuning"
)

// nodeConfFile is the file's name in the ConfigMap and in the folder it is mounted to.
const nodeConfFile = "node.conf"

// ConfigMap builds what a node reads when it boots. Running nodes get the same by CONFIG SET, so a change of it restarts
// nothing.
func ConfigMap(c Cluster) *coreac.ConfigMapApplyConfiguration {
	return coreac.ConfigMap(c.ConfigMapName(), c.Namespace).
		WithLabels(c.labels()).
		WithOwnerReferences(c.owner()).
		WithData(map[string]string{nodeConfFile: tuning.NodeConf(c.Tuning)})
}
