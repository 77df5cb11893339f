package v1alpha1

// DurabilitySpec says what an acknowledged write survives.
type DurabilitySpec struct {
	// How many replicas, beside the primary, must be in sync for writes to be taken. With 1 or more a write is acknowledged
	// once every replica in sync has it, so no acknowledged write is lost whoever fails over; while fewer are in sync, writes
	// are refused. With 0 a write is acknowledged at once, and the last ones may be lost when the primary crashes. Changed live.
	//
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=9
	MinSyncReplicas int32 `json:"minSyncReplicas"`

	// What nodes keep on their volume.
	//
	// +optional
	Persistence *PersistenceSpec `json:"persistence,omitempty"`
}

// PersistenceMode says whether nodes keep their data on disk.
//
// +kubebuilder:validation:Enum=None;AppendOnly
type PersistenceMode string

const (
	// PersistenceNone keeps data in memory only.
	PersistenceNone PersistenceMode = "None"
	// PersistenceAppendOnly appends each change to files that are loaded at the start.
	PersistenceAppendOnly PersistenceMode = "AppendOnly"
)

// FsyncPolicy says when what was appended is on disk.
//
// +kubebuilder:validation:Enum=Always;EverySecond;Never
type FsyncPolicy string

const (
	// FsyncAlways has a write on disk before it is acknowledged.
	FsyncAlways FsyncPolicy = "Always"
	// FsyncEverySecond has it on disk within a second.
	FsyncEverySecond FsyncPolicy = "EverySecond"
	// FsyncNever leaves it to the system. It is not called No, which YAML reads as false.
	FsyncNever FsyncPolicy = "Never"
)

// PersistenceSpec says what nodes keep on their volume.
//
// +kubebuilder:validation:XValidation:rule="!has(self.fsync) || !has(self.mode) || self.mode == 'AppendOnly'",message="durability.persistence.fsync needs storage and mode AppendOnly"
type PersistenceSpec struct {
	// `AppendOnly`: each change is appended to files that are loaded at the start; it needs storage. `None`: data are in
	// memory only. Absent: `AppendOnly` with storage, `None` without. Changed live.
	//
	// +optional
	Mode PersistenceMode `json:"mode,omitempty"`

	// When what was appended is on disk: `Always`: before the write is acknowledged; `EverySecond`: within a second; `Never`:
	// when the system likes. Absent: `EverySecond`. Changed live.
	//
	// +optional
	Fsync FsyncPolicy `json:"fsync,omitempty"`
}
