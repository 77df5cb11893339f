package controllers

// What the operator may do, and no more. Owned objects are deleted by the garbage collector; the operator itself deletes pods
// that are to be made anew, and objects of which a field has to change that cannot (StatefulSet, without its pods; Service).
//
// +kubebuilder:rbac:groups=cache.zset.dev,resources=zsetclusters,verbs=get;list;watch
// +kubebuilder:rbac:groups=cache.zset.dev,resources=zsetclusters/status,verbs=patch
// +kubebuilder:rbac:groups=cache.zset.dev,resources=zsetclusters/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=configmaps;serviceaccounts,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=discovery.k8s.io,resources=endpointslices,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles;rolebindings,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
//
// Volumes grow by their claims, if their class lets them.
//
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=storage.k8s.io,resources=storageclasses,verbs=get;list;watch
//
// Whether a machine is about to be drained.
//
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list;watch
//
// Leases tell who is primary; only nodes write them. Kubernetes lets nobody grant what he does not have himself, so the
// operator has what the nodes' Role gives, too: to create and update Leases and to patch pods. It does neither.
//
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;delete;patch
