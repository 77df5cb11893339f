package resource

import (
	"fmt"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/utils/ptr"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/tuning"
)

// Options is what the operator was started with, the same for all clusters.
type Options struct {
	NodeImage     string // image of nodes whose spec names none
	ClusterDomain string // DNS domain of the Kubernetes cluster, such as "cluster.local"

	// AddressType is the first family of the Kubernetes cluster's Services. Empty: IPv4.
	AddressType discoveryv1.AddressType
}

// Cluster is what every builder works from.
type Cluster struct {
	*v1alpha1.ZSetCluster
	Options
	Tuning tuning.List
}

// Labels by which the operator finds what belongs to a cluster.
const (
	LabelCluster = "cache.zset.dev/cluster" // name of the ZSetCluster
	LabelShard   = "cache.zset.dev/shard"   // number of the shard, from 0
	LabelRole    = "cache.zset.dev/role"    // primary or replica; each node labels its own pod

	LabelManagedBy = "app.kubernetes.io/managed-by"
	ManagedBy      = "zset-operator"
)

// roleReplica is the value of LabelRole of a pod whose node follows the primary.
const roleReplica = "replica"

// Names of ports and of the container, as Services, probes and people refer to them.
const (
	portRESP  = "resp"
	portHTTP  = "http"
	container = "node"
)

// ServiceAccountName is the name of the pods' identity.
func (c Cluster) ServiceAccountName() string { return c.Name + "-node" }

// ConfigMapName is the name of the ConfigMap that holds node.conf.
func (c Cluster) ConfigMapName() string { return c.Name + "-config" }

// HeadlessServiceName is the name of the Service that gives each pod a DNS name.
func (c Cluster) HeadlessServiceName() string { return c.Name + "-nodes" }

// ClientServiceName is the name of the Service clients connect to.
func (c Cluster) ClientServiceName() string { return c.Name }

// PrimarySliceName is the name of the EndpointSlice of that Service, which has the primary's address.
func (c Cluster) PrimarySliceName() string { return c.Name + "-primary" }

// ReadServiceName is the name of the Service that leads to the replicas.
func (c Cluster) ReadServiceName() string { return c.Name + "-ro" }

// ShardName is the name of a shard and of its StatefulSet and PodDisruptionBudget. shard counts from 0.
func (c Cluster) ShardName(shard int32) string { return fmt.Sprintf("%s-s%d", c.Name, shard) }

// LeaseName is the name of a shard's Lease, which its nodes write.
func (c Cluster) LeaseName(shard int32) string { return c.ShardName(shard) }

// PodDomain is what follows a pod's name in its DNS name.
func (c Cluster) PodDomain() string {
	return fmt.Sprintf("%s.%s.svc.%s", c.HeadlessServiceName(), c.Namespace, c.ClusterDomain)
}

// PodName is the name of a pod of a shard, which is the StatefulSet's doing. Both count from 0.
func (c Cluster) PodName(shard, pod int32) string {
	return fmt.Sprintf("%s-%d", c.ShardName(shard), pod)
}

// Pods is how many pods a shard has: the primary and its replicas.
func (c Cluster) Pods() int32 { return 1 + ptr.Deref(c.Spec.Replicas, 1) }

// Endpoint is the address of the client Service, as host:port.
func (c Cluster) Endpoint() string {
	return fmt.Sprintf("%s.%s.svc.%s:%d", c.ClientServiceName(), c.Namespace, c.ClusterDomain, tuning.PortRESP)
}

// image is the image of the nodes.
func (c Cluster) image() string {
	if c.Spec.Image != "" {
		return c.Spec.Image
	}
	return c.NodeImage
}

// labels are put on every object of the cluster.
func (c Cluster) labels() map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":      "zset",
		"app.kubernetes.io/instance":  c.Name,
		"app.kubernetes.io/component": "node",
		"app.kubernetes.io/part-of":   "zset",
		LabelManagedBy:                ManagedBy,
		LabelCluster:                  c.Name,
	}
}

// shardLabels are put on every object of a shard.
func (c Cluster) shardLabels(shard int32) map[string]string {
	labels := c.labels()
	labels[LabelShard] = fmt.Sprint(shard)
	return labels
}

// selector matches the pods of the cluster.
func (c Cluster) selector() map[string]string {
	return map[string]string{LabelCluster: c.Name}
}

// shardSelector matches the pods of a shard. A StatefulSet's selector can never change, so it holds only what never will.
func (c Cluster) shardSelector(shard int32) map[string]string {
	return map[string]string{LabelCluster: c.Name, LabelShard: fmt.Sprint(shard)}
}

// owner makes the garbage collector delete an object with its cluster.
func (c Cluster) owner() *metaac.OwnerReferenceApplyConfiguration {
	ref := metav1.NewControllerRef(c.ZSetCluster, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))
	return metaac.OwnerReference().
		WithAPIVersion(ref.APIVersion).WithKind(ref.Kind).WithName(ref.Name).WithUID(ref.UID).
		WithController(true).WithBlockOwnerDeletion(true)
}
