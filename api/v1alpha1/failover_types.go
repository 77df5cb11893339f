package v1alpha1

// FailoverSpec says how fast, and to whom, a shard fails over. A change of the timings replaces the pods, as one of image does:
// the nodes of a shard must agree on them.
//
// +kubebuilder:validation:XValidation:rule="self.renewDeadlineSeconds >= 2 * self.retryPeriodSeconds",message="failover.renewDeadlineSeconds must be at least twice retryPeriodSeconds: one lost request would end a primary"
// +kubebuilder:validation:XValidation:rule="4 * self.leaseDurationSeconds >= 5 * self.renewDeadlineSeconds",message="failover.leaseDurationSeconds must be at least 1.25 times renewDeadlineSeconds: clocks run at different rates"
// +kubebuilder:validation:XValidation:rule="self.uncleanAfterSeconds == 0 || self.uncleanAfterSeconds >= 2 * self.leaseDurationSeconds",message="failover.uncleanAfterSeconds must be 0 (never) or at least twice leaseDurationSeconds"
type FailoverSpec struct {
	// Seconds for which a silent primary's Lease holds: no other node takes over earlier, unless the primary's process has
	// provably ended.
	//
	// +optional
	// +kubebuilder:default=6
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	LeaseDurationSeconds int32 `json:"leaseDurationSeconds,omitempty"`

	// Seconds after its last renewal from which on a primary takes no writes.
	//
	// +optional
	// +kubebuilder:default=4
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	RenewDeadlineSeconds int32 `json:"renewDeadlineSeconds,omitempty"`

	// Seconds between renewals, and between two looks of a node that waits to take over.
	//
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	RetryPeriodSeconds int32 `json:"retryPeriodSeconds,omitempty"`

	// Seconds without any reachable node that has everything acknowledged after which another one may take over, with what it
	// has: the rest is lost, and status says so. 0: never, the shard waits for such a node to come back.
	//
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=604800
	UncleanAfterSeconds int32 `json:"uncleanAfterSeconds"`

	// Pod that should be primary, such as "board-s0-1". The operator asks the primary to hand over to it while it is in sync.
	// Absent: whoever is.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	PreferredPrimary string `json:"preferredPrimary,omitempty"`
}
