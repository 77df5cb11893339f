package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ZSetCluster is a sorted-set cache: the operator runs its nodes, any Redis or Valkey client can use it.
//
// The smallest one is `spec: {}`: one shard of a primary and a replica that answers at the Service of the cluster's name,
// port 6379. Its nodes elect their primary themselves, by a Lease; while the operator is away, clusters serve and fail over.
//
// Names of Services and pods are made from the cluster's name, hence the rule on it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=zsetclusters,shortName=zsc,singular=zsetcluster
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.mode`
// +kubebuilder:printcolumn:name="Shards",type=integer,JSONPath=`.spec.shards`
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.readyShards`
// +kubebuilder:printcolumn:name="Primary",type=string,JSONPath=`.status.primary`
// +kubebuilder:printcolumn:name="InSync",type=string,JSONPath=`.status.conditions[?(@.type=="InSync")].reason`
// +kubebuilder:printcolumn:name="Degraded",type=string,JSONPath=`.status.conditions[?(@.type=="Degraded")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 40 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be at most 40 characters: lower-case letters, digits and '-', starting with a letter and not ending with '-'"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.failover) || !has(self.spec.failover.preferredPrimary) || (self.spec.failover.preferredPrimary.startsWith(self.metadata.name + '-s0-') && self.spec.failover.preferredPrimary.substring(size(self.metadata.name) + 4).matches('^[0-9]$') && int(self.spec.failover.preferredPrimary.substring(size(self.metadata.name) + 4)) <= self.spec.replicas)",message="failover.preferredPrimary must be the name of one of the cluster's pods: <name>-s0-<0 to replicas>"
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
// +kubebuilder:validation:XValidation:rule="!has(self.resources) || !has(self.resources.limits) || !('memory' in self.resources.limits) || !quantity(string(self.resources.limits['memory'])).isInteger() || [quantity(string(self.resources.limits['memory'])).asInteger()].all(l, l == 0 || (has(self.engine) && has(self.engine.maxMemory) && isQuantity(self.engine.maxMemory) && quantity(self.engine.maxMemory).isInteger() ? quantity(self.engine.maxMemory).asInteger() : 1048576) <= l - l / 10 - (l / 8 < ((has(self.durability) && has(self.durability.persistence) && has(self.durability.persistence.mode) ? self.durability.persistence.mode == 'AppendOnly' : has(self.storage)) ? 67108864 : 16777216) ? ((has(self.durability) && has(self.durability.persistence) && has(self.durability.persistence.mode) ? self.durability.persistence.mode == 'AppendOnly' : has(self.storage)) ? 67108864 : 16777216) : l / 8 > 268435456 ? 268435456 : l / 8) - (l / 16 < 8388608 ? 8388608 : l / 16 > 268435456 ? 268435456 : l / 16) - 33554432)",message="engine.maxMemory (or the least there can be, 1Mi) does not fit into resources.limits.memory: beside its data a node needs an eighth of the limit (16Mi to 256Mi; at least 64Mi with append-only files) for what replicas and the disk are behind, a sixteenth (8Mi to 256Mi) for clients, 32Mi for sets that move and a tenth for the process: lower engine.maxMemory or raise the limit"
// +kubebuilder:validation:XValidation:rule="!has(self.durability) || self.durability.minSyncReplicas <= self.replicas",message="durability.minSyncReplicas must not exceed replicas: no write could ever be acknowledged"
// +kubebuilder:validation:XValidation:rule="has(self.storage) || !has(self.durability) || !has(self.durability.persistence) || !has(self.durability.persistence.mode) || self.durability.persistence.mode == 'None'",message="durability.persistence.mode AppendOnly needs storage: without a volume the files go with the pod"
// +kubebuilder:validation:XValidation:rule="has(self.storage) || !has(self.durability) || !has(self.durability.persistence) || !has(self.durability.persistence.fsync)",message="durability.persistence.fsync needs storage and mode AppendOnly"
// +kubebuilder:validation:XValidation:rule="has(self.storage) == has(oldSelf.storage)",message="storage cannot be added or removed after creation: make a new cluster"
type ZSetClusterSpec struct {
	// How clients reach the data. `Replicated`: one shard behind one address, for plain clients. `Cluster`: several
	// shards for cluster clients; this version refuses it.
	//
	// +optional
	// +kubebuilder:default=Replicated
	// +kubebuilder:validation:XValidation:rule="self == 'Replicated'",message="mode must be Replicated: this version serves one shard"
	Mode Mode `json:"mode,omitempty"`

	// Number of shards. This version serves 1.
	//
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:XValidation:rule="self == 1",message="shards must be 1: this version serves one shard"
	Shards int32 `json:"shards,omitempty"`

	// Number of replicas of each shard, beside its primary. A shard without one has nobody to fail over to: it is away
	// while its pod is, and without storage its data go with the pod.
	//
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=9
	Replicas *int32 `json:"replicas,omitempty"`

	// What an acknowledged write survives.
	//
	// +optional
	// +kubebuilder:default={}
	Durability DurabilitySpec `json:"durability,omitzero"`

	// How fast, and to whom, a shard fails over.
	//
	// +optional
	// +kubebuilder:default={leaseDurationSeconds: 6, renewDeadlineSeconds: 4, retryPeriodSeconds: 1, uncleanAfterSeconds: 0}
	Failover FailoverSpec `json:"failover,omitzero"`

	// Image of the nodes. Absent: the one the operator was deployed with. A change replaces the pods one by one, the primary
	// last, after it has handed over. A single pod without storage loses what it held.
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
	// `resources: {}` asks for nothing and sets no limit. A change replaces the pods, as one of image does.
	//
	// +optional
	// +kubebuilder:default={requests: {cpu: "100m", memory: "512Mi"}, limits: {memory: "512Mi"}}
	// +kubebuilder:validation:XValidation:rule="!has(self.claims)",message="resources.claims is not supported: only requests and limits are"
	// +kubebuilder:validation:XValidation:rule="!has(self.requests) || !has(self.limits) || ['cpu', 'memory'].all(r, !(r in self.requests) || !(r in self.limits) || quantity(string(self.requests[r])).compareTo(quantity(string(self.limits[r]))) <= 0)",message="resources.requests must not exceed resources.limits"
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`

	// Volume of each node, mounted at /data. Absent: an emptyDir that goes with the pod. With a volume nodes keep their data
	// on it, see durability.persistence.
	//
	// +optional
	Storage *StorageSpec `json:"storage,omitempty"`

	// What pods have beside, or instead of, what the operator gives them. A change replaces the pods, as one of image does.
	//
	// +optional
	PodTemplate *PodTemplateSpec `json:"podTemplate,omitempty"`
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
	// "2Gi" (at least 1Mi). Absent: "75%", or unlimited when there is no such limit.
	//
	// Beside its data a node needs a tenth of the limit for the process, an eighth (16Mi to 256Mi; at least 64Mi with
	// append-only files) for what replicas and the disk are behind, as while a replica gets all data, a sixteenth (8Mi to 256Mi)
	// for clients, and 32Mi for sets that move to another key. A percentage is cut to what that leaves; an amount that does not
	// fit is refused.
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
