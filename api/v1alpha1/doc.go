// Package v1alpha1 is the API of sorted-set caches, group cache.zset.dev.
//
// It owns the types users write and read, their defaults and their validation. Everything a user can get wrong is
// refused by the API server with a message that says what is allowed; a field that this version cannot honour is
// either not here or refused, never ignored. The package imports the API machinery and core types only, so that any
// client can use it.
//
// +kubebuilder:object:generate=true
// +groupName=cache.zset.dev
package v1alpha1
