package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Types of conditions, see docs of the field conditions.
const (
	// ConditionReady is True while every shard has a primary that serves.
	ConditionReady = "Ready"
	// ConditionProgressing is True while the operator or Kubernetes is still on its way to what the spec asks for.
	ConditionProgressing = "Progressing"
	// ConditionDegraded is True when something is wrong that does not pass by waiting; its message says what to do.
	ConditionDegraded = "Degraded"
	// ConditionConfigApplied is True once every running node has confirmed the tuning of the spec.
	ConditionConfigApplied = "ConfigApplied"
	// ConditionInSync is True while a failover would find a successor in every shard: a replica that has everything.
	ConditionInSync = "InSync"
)

// ZSetClusterStatus is what the operator observed, never more.
type ZSetClusterStatus struct {
	// The generation of the resource that this status is about.
	//
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// `Ready`: every shard has a primary that serves. `Progressing`: still on the way to what the spec asks for.
	// `Degraded`: something is wrong that does not pass by waiting, the message says what to do. `ConfigApplied`: every
	// running node has confirmed the tuning of the spec. `InSync`: a failover now would find a successor in every shard; the
	// message says whether it could lose anything. docs/runbook.md explains each reason.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// Shards that are ready of those wanted, such as "1/1".
	//
	// +optional
	ReadyShards string `json:"readyShards,omitempty"`

	// Pod that serves as primary of the only shard; empty while none does.
	//
	// +optional
	Primary string `json:"primary,omitempty"`

	// Where clients connect: host name and port of the cluster's Service.
	//
	// +optional
	Endpoint string `json:"endpoint,omitempty"`

	// The shards.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	Shards []ShardStatus `json:"shards,omitempty"`
}

// ShardStatus is what the operator observed of one shard.
type ShardStatus struct {
	// Name of the shard, which is the name of its StatefulSet.
	//
	// +required
	Name string `json:"name"`

	// Pod that serves as primary; empty while none does.
	//
	// +optional
	Primary string `json:"primary,omitempty"`

	// How often the shard's Lease has changed hands: each primary has an epoch of its own, later ones higher.
	//
	// +optional
	Epoch int64 `json:"epoch,omitempty"`

	// Whether the primary is ready and answered the operator.
	//
	// +required
	Ready bool `json:"ready"`

	// Pods that may become primary, by the shard's Lease: the primary itself and the replicas that are in sync with it.
	//
	// +optional
	// +listType=set
	Electors []string `json:"electors,omitempty"`

	// The shard's pods.
	//
	// +optional
	// +listType=map
	// +listMapKey=pod
	Members []MemberStatus `json:"members,omitempty"`
}

// MemberRole is what a node says it is.
//
// +kubebuilder:validation:Enum=primary;replica;standby
type MemberRole string

const (
	// RolePrimary takes writes.
	RolePrimary MemberRole = "primary"
	// RoleReplica follows the primary.
	RoleReplica MemberRole = "replica"
	// RoleStandby follows nobody and takes no writes.
	RoleStandby MemberRole = "standby"
)

// MemberStatus is what the operator observed of one pod of a shard.
type MemberStatus struct {
	// Name of the pod.
	//
	// +required
	Pod string `json:"pod"`

	// Kubernetes node the pod is on; empty while it is on none.
	//
	// +optional
	Node string `json:"node,omitempty"`

	// What the pod's node says it is; empty while it does not answer.
	//
	// +optional
	Role MemberRole `json:"role,omitempty"`

	// How far the node's data reach in the shard's log, in bytes. As lagBytes it is of the time when something else in the
	// status changed: what changes with each write is no reason to write the status. What it is now is in INFO.
	//
	// +optional
	Offset int64 `json:"offset,omitempty"`

	// Bytes of the log that the primary had and this node did not, when they were asked. Written anew when something else in the
	// status changes, or when it gets beyond, or back below, 1, 16 or 256 MiB; what it is now is in the operator's metric
	// zset_member_lag_bytes. Absent: unknown.
	//
	// +optional
	LagBytes *int64 `json:"lagBytes,omitempty"`

	// Whether the node has everything the primary has acknowledged and may become primary.
	//
	// +required
	InSync bool `json:"inSync"`

	// Whether the pod is of the current template.
	//
	// +required
	UpToDate bool `json:"upToDate"`

	// Whether the pod is ready, as Kubernetes says.
	//
	// +required
	Ready bool `json:"ready"`

	// What is not as it should be, and what to do.
	//
	// +optional
	Message string `json:"message,omitempty"`
}
