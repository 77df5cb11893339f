package v1alpha1

import corev1 "k8s.io/api/core/v1"

// PodTemplateSpec is merged onto the pod template the operator makes, by the rules of a strategic merge patch: maps by key,
// containers and volumes by name, environment variables by name, mounts by path, spread constraints by topology key; other
// lists are replaced. What the operator relies on is not here, or refused.
type PodTemplateSpec struct {
	// Labels and annotations of the pods.
	//
	// +optional
	Metadata PodMetadata `json:"metadata,omitzero"`

	// Parts of the pods' spec.
	//
	// +optional
	Spec PodSpecOverride `json:"spec,omitzero"`
}

// PodMetadata is what pods may have in their metadata beside the operator's.
type PodMetadata struct {
	// Labels beside the operator's.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('cache.zset.dev/') && !(k in ['app.kubernetes.io/name', 'app.kubernetes.io/instance', 'app.kubernetes.io/component', 'app.kubernetes.io/part-of', 'app.kubernetes.io/managed-by']))",message="podTemplate.metadata.labels must leave the operator's labels alone: cache.zset.dev/* and app.kubernetes.io/name, instance, component, part-of, managed-by"
	Labels map[string]string `json:"labels,omitempty"`

	// Annotations beside, or instead of, the operator's.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('cache.zset.dev/'))",message="podTemplate.metadata.annotations must leave cache.zset.dev/* to the operator"
	Annotations map[string]string `json:"annotations,omitempty"`
}

// PodSpecOverride is what of a pod's spec users may add to or change. The fields are those of a Pod.
//
// +kubebuilder:validation:XValidation:rule="!has(self.containers) || self.containers.all(c, c.name != 'node' || !(has(c.image) || has(c.imagePullPolicy) || has(c.command) || has(c.args) || has(c.workingDir) || has(c.ports) || has(c.livenessProbe) || has(c.readinessProbe) || has(c.startupProbe) || has(c.lifecycle) || has(c.restartPolicy)))",message="podTemplate.spec.containers: of the container \"node\" only env, envFrom, volumeMounts, volumeDevices, securityContext, resizePolicy and terminationMessage* can be set; its image and imagePullPolicy are fields of spec, the rest is the operator's"
// +kubebuilder:validation:XValidation:rule="!has(self.containers) || self.containers.all(c, c.name != 'node' || !has(c.resources) || !(has(c.resources.requests) || has(c.resources.limits) || has(c.resources.claims)))",message="podTemplate.spec.containers: resources of the container \"node\" belong into spec.resources"
// +kubebuilder:validation:XValidation:rule="!has(self.initContainers) || self.initContainers.all(c, c.name != 'node')",message="podTemplate.spec.initContainers: \"node\" is the operator's container; take another name"
// +kubebuilder:validation:XValidation:rule="!has(self.volumes) || self.volumes.all(v, !(v.name in ['config', 'data']))",message="podTemplate.spec.volumes: \"config\" and \"data\" are the operator's; take other names"
type PodSpecOverride struct {
	// Labels of Kubernetes nodes on which pods may run.
	//
	// +optional
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// Where pods run. The operator's own anti-affinity, which prefers to keep pods of a shard on different Kubernetes nodes,
	// is replaced by a podAntiAffinity given here.
	//
	// +optional
	Affinity *corev1.Affinity `json:"affinity,omitempty"`

	// Taints that pods tolerate.
	//
	// +optional
	// +listType=atomic
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// How pods are spread, beside the operator's constraints, which prefer to spread a shard over zones and hosts. One of the
	// same topologyKey takes the place of the operator's. Without a labelSelector it is about the shard's pods.
	//
	// +optional
	// +listType=map
	// +listMapKey=topologyKey
	// +kubebuilder:validation:MaxItems=16
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`

	// Priority class of the pods.
	//
	// +optional
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// Scheduler of the pods.
	//
	// +optional
	SchedulerName string `json:"schedulerName,omitempty"`

	// Runtime class of the pods.
	//
	// +optional
	RuntimeClassName *string `json:"runtimeClassName,omitempty"`

	// Secrets to pull images with.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// Security of the pods, beside the operator's, which fits the restricted Pod Security Standard.
	//
	// +optional
	SecurityContext *corev1.PodSecurityContext `json:"securityContext,omitempty"`

	// Entries of the pods' hosts file.
	//
	// +optional
	// +listType=map
	// +listMapKey=ip
	HostAliases []corev1.HostAlias `json:"hostAliases,omitempty"`

	// Parameters of the pods' DNS.
	//
	// +optional
	DNSConfig *corev1.PodDNSConfig `json:"dnsConfig,omitempty"`

	// Further volumes.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Volumes []corev1.Volume `json:"volumes,omitempty"`

	// Containers that run before the node, and sidecars that do so with it (restartPolicy Always).
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	InitContainers []corev1.Container `json:"initContainers,omitempty"`

	// Further containers, and what the container named "node" has beside what the operator gives it.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Containers []corev1.Container `json:"containers,omitempty"`
}
