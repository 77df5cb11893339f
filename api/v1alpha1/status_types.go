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
)

// ZSetClusterStatus is what the operator observed, never more.
type ZSetClusterStatus struct {
	// The generation of the resource that this status is about.
	//
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// `Ready`: every shard has a primary that serves. `Progressing`: still on the way to what the spec asks for.
	// `Degraded`: something is wrong that does not pass by waiting, the message says what to do. `ConfigApplied`: every
	// running node has confirmed the tuning of the spec.
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

	// Whether the primary is ready and answered the operator.
	//
	// +required
	Ready bool `json:"ready"`
}
