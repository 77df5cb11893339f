package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// RetentionPolicy says what happens to volumes when their cluster is deleted.
//
// +kubebuilder:validation:Enum=Delete;Retain
type RetentionPolicy string

const (
	// RetentionDelete removes the volumes with the cluster.
	RetentionDelete RetentionPolicy = "Delete"
	// RetentionRetain leaves the volumes; a new cluster of the same name and namespace takes them again.
	RetentionRetain RetentionPolicy = "Retain"
)

// StorageSpec is the volume of each node.
//
// +kubebuilder:validation:XValidation:rule="has(self.storageClassName) == has(oldSelf.storageClassName) && (!has(self.storageClassName) || self.storageClassName == oldSelf.storageClassName)",message="storage.storageClassName cannot be changed after creation: make a new cluster"
type StorageSpec struct {
	// Size of the volume. This version cannot change it after creation.
	//
	// +required
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="storage.size must be greater than zero, such as \"10Gi\""
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity(string(oldSelf))) == 0",message="storage.size cannot be changed by this version: make a new cluster"
	Size resource.Quantity `json:"size"`

	// Class of the volume. Absent: the default class of the Kubernetes cluster. Cannot be changed after creation.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`

	// What happens to the volumes when the cluster is deleted: `Delete` or `Retain`.
	//
	// +optional
	// +kubebuilder:default=Delete
	RetentionPolicy RetentionPolicy `json:"retentionPolicy,omitempty"`
}
