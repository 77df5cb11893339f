package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// RetentionPolicy says what happens to volumes that no pod uses any more.
//
// +kubebuilder:validation:Enum=Delete;Retain
type RetentionPolicy string

const (
	// RetentionDelete removes the volumes.
	RetentionDelete RetentionPolicy = "Delete"
	// RetentionRetain leaves the volumes; pods of the same name and namespace take them again.
	RetentionRetain RetentionPolicy = "Retain"
)

// StorageSpec is the volume of each node.
//
// +kubebuilder:validation:XValidation:rule="has(self.storageClassName) == has(oldSelf.storageClassName) && (!has(self.storageClassName) || self.storageClassName == oldSelf.storageClassName)",message="storage.storageClassName cannot be changed after creation: make a new cluster"
type StorageSpec struct {
	// Size of the volume. It can grow, if the volume's class allows it (allowVolumeExpansion), but never shrink. Existing
	// volumes grow while they are used.
	//
	// +required
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="storage.size must be greater than zero, such as \"10Gi\""
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",message="storage.size cannot shrink: make a new cluster, or leave the size"
	Size resource.Quantity `json:"size"`

	// Class of the volume. Absent: the default class of the Kubernetes cluster. Cannot be changed after creation.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`

	// What happens to volumes that no pod uses any more.
	//
	// +optional
	// +kubebuilder:default={}
	Retention StorageRetention `json:"retention,omitzero"`
}

// StorageRetention says what happens to volumes that no pod uses any more.
type StorageRetention struct {
	// When the cluster is deleted: `Delete`, or `Retain`; then a new cluster of the same name and namespace takes them again.
	//
	// +optional
	// +kubebuilder:default=Delete
	WhenDeleted RetentionPolicy `json:"whenDeleted,omitempty"`

	// When replicas are taken away: `Delete`, or `Retain`; then replicas that come back catch up from what is there.
	//
	// +optional
	// +kubebuilder:default=Retain
	WhenScaled RetentionPolicy `json:"whenScaled,omitempty"`
}
