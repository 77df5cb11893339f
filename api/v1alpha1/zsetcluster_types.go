package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ZSetCluster is a sorted-set cache: the operator runs its nodes, any Redis or Valkey client can use it.
//
// The smallest one is `spec: {}`: one node that answers at the Service of the cluster's name, port 6379.
//
// Names of Services and pods are made from the cluster's name, hence the rule on it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=zsetclusters,shortName=zsc,singular=zsetcluster
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.mode`
// +kubebuilder:printcolumn:name="Shards",type=integer,JSONPath=`.spec.shards`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.readyShards`
// +kubebuilder:printcolumn:name="Primary",type=string,JSONPath=`.status.primary`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 40 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be at most 40 characters: lower-case letters, digits and '-', starting with a letter and not ending with '-'"
type ZSetCluster struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// What is wanted.
	//
	// +optional
	// +kubebuilder:default={}
	Spec ZSetClusterSpec `json:"spec,omitzero"`

	// What the operator observed.
	//
	// +optional
	Status ZSetClusterStatus `json:"status,omitzero"`
}

// ZSetClusterList is a list of ZSetClusters.
//
// +kubebuilder:object:root=true
type ZSetClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []ZSetCluster `json:"items"`
}

// Mode says how clients reach the data.
//
// +kubebuilder:validation:Enum=Replicated;Cluster
type Mode string

const (
	// Replicated is one shard behind one address, for plain clients.
	Replicated Mode = "Replicated"
	// Cluster is several shards for cluster clients. This version does not serve it.
	Cluster Mode = "Cluster"
)

// ZSetClusterSpec is what a user wants of a cache.
//
// +kubebuilder:validation:XValidation:rule="!has(self.engine) || !has(self.engine.maxMemory) || !self.engine.maxMemory.endsWith('%') || (has(self.resources) && has(self.resources.limits) && 'memory' in self.resources.limits)",message="engine.maxMemory as a percentage needs resources.limits.memory: set that limit, or give an amount such as \"2Gi\""
// +kubebuilder:validation:XValidation:rule="!has(self.engine) || !has(self.engine.maxMemory) || !isQuantity(self.engine.maxMemory) || !has(self.resources) || !has(self.resources.limits) || !('memory' in self.resources.limits) || quantity(self.engine.maxMemory).compareTo(quantity(string(self.resources.limits['memory']))) <= 0",message="engine.maxMemory must not exceed resources.limits.memory"
// +kubebuilder:validation:XValidation:rule="has(self.storage) == has(oldSelf.storage)",message="storage cannot be added or removed after creation: make a new cluster"
type ZSetClusterSpec struct {
	// How clients reach the data. `Replicated`: one shard behind one address, for plain clients. `Cluster`: several
	// shards for cluster clients; this version refuses it.
	//
	// +optional
	// +kubebuilder:default=Replicated
	// +kubebuilder:validation:XValidation:rule="self == 'Replicated'",message="mode must be Replicated: this version serves one shard without replicas"
	Mode Mode `json:"mode,omitempty"`

	// Number of shards. This version serves 1.
	//
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:XValidation:rule="self == 1",message="shards must be 1: this version serves one shard without replicas"
	Shards int32 `json:"shards,omitempty"`

	// Number of replicas of each shard, beside its primary. This version serves 0.
	//
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:XValidation:rule="self == 0",message="replicas must be 0: this version serves one shard without replicas"
	Replicas *int32 `json:"replicas,omitempty"`

	// Image of the nodes. Absent: the one the operator was deployed with. A change replaces the pods; what they held is
	// lost, as clusters of this version keep data in memory only.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.matches('[[:space:]]')",message="image must not contain white space"
	Image string `json:"image,omitempty"`

	// When to pull the image. Absent: as Kubernetes decides by the image's tag.
	//
	// +optional
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`

	// Tuning of the sorted-set engine and its memory. Every field here is changed live: a change reaches the running nodes
	// within seconds, no pod restarts; the condition ConfigApplied says when it has.
	//
	// +optional
	// +kubebuilder:default={}
	Engine EngineSpec `json:"engine,omitzero"`

	// CPU and memory of each node. Absent: a tenth of a CPU and 512Mi of memory requested, memory limited to 512Mi.
	// `resources: {}` asks for nothing and sets no limit. A change replaces the pods; what they held is lost, as
	// clusters of this version keep data in memory only.
	//
	// +optional
	// +kubebuilder:default={requests: {cpu: "100m", memory: "512Mi"}, limits: {memory: "512Mi"}}
	// +kubebuilder:validation:XValidation:rule="!has(self.claims)",message="resources.claims is not supported: only requests and limits are"
	// +kubebuilder:validation:XValidation:rule="!has(self.requests) || !has(self.limits) || ['cpu', 'memory'].all(r, !(r in self.requests) || !(r in self.limits) || quantity(string(self.requests[r])).compareTo(quantity(string(self.limits[r]))) <= 0)",message="resources.requests must not exceed resources.limits"
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`

	// Volume of each node, mounted at /data. Absent: an emptyDir that goes with the pod.
	//
	// Clusters of this version keep data in memory only: nodes are not told to write to this volume what they would load
	// again, so a restarted node starts empty with or without it.
	//
	// +optional
	Storage *StorageSpec `json:"storage,omitempty"`
}

// EngineSpec tunes the engine.
type EngineSpec struct {
	// Sets above the listpack thresholds.
	//
	// +optional
	// +kubebuilder:default={}
	SkipList SkipListSpec `json:"skipList,omitzero"`

	// Small sets.
	//
	// +optional
	// +kubebuilder:default={}
	Listpack ListpackSpec `json:"listpack,omitzero"`

	// Memory that data may take on each node: a percentage of resources.limits.memory such as "75%", or an amount such as
	// "2Gi" (at least 1Mi). Absent: 75% of resources.limits.memory, or unlimited when there is no such limit.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([1-9][0-9]?|100)%$') || (isQuantity(self) && quantity(self).isInteger() && quantity(self).compareTo(quantity('1Mi')) >= 0)",message="maxMemory must be a percentage of resources.limits.memory from \"1%\" to \"100%\", or an amount of at least 1Mi such as \"2Gi\""
	MaxMemory string `json:"maxMemory,omitempty"`

	// What a node does when maxMemory is reached. `noeviction` refuses writes that need memory. The others remove keys, of all
	// (`allkeys-`) or of those that expire (`volatile-`): the least recently used (`lru`), the least frequently used (`lfu`),
	// any (`random`), or those that expire first (`ttl`). Changed live.
	//
	// +optional
	// +kubebuilder:default=noeviction
	// +kubebuilder:validation:Enum=noeviction;allkeys-lru;allkeys-lfu;allkeys-random;volatile-lru;volatile-lfu;volatile-random;volatile-ttl
	EvictionPolicy string `json:"evictionPolicy,omitempty"`
}

// SkipListSpec tunes the skip list, the encoding of sets above the listpack thresholds.
type SkipListSpec struct {
	// Probability that an element reaches the next level: "1/e", or a decimal with 0 < p <= 0.75 of at most nine places,
	// such as "0.25". Larger is faster and takes more memory.
	//
	// +optional
	// +kubebuilder:default="1/e"
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self == '1/e' || (self.matches('^0[.][0-9]{1,9}$') && double(self) > 0.0 && double(self) <= 0.75)",message="p must be \"1/e\" or a decimal with 0 < p <= 0.75, such as \"0.25\""
	P string `json:"p,omitempty"`

	// Greatest level of an element, 1 to 64.
	//
	// +optional
	// +kubebuilder:default=32
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	MaxLevel int32 `json:"maxLevel,omitempty"`

	// How many members next to each other in order share an element, 4 to 240. More takes less memory and makes writes to large sets
	// slower. Elements that exist keep their size until they fill up.
	//
	// +optional
	// +kubebuilder:default=64
	// +kubebuilder:validation:Minimum=4
	// +kubebuilder:validation:Maximum=240
	BlockEntries int32 `json:"blockEntries,omitempty"`
}

// ListpackSpec says which sets are small: these are packed into one block of bytes, which takes several times less memory.
// New thresholds hold for what is written from then on; a set that outgrew them stays a skip list.
type ListpackSpec struct {
	// Most members of a packed set. 0: no set is packed.
	//
	// +optional
	// +kubebuilder:default=128
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	MaxEntries *int32 `json:"maxEntries,omitempty"`

	// Longest member of a packed set, in bytes.
	//
	// +optional
	// +kubebuilder:default=64
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	MaxValueBytes *int32 `json:"maxValueBytes,omitempty"`
}
