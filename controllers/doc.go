// Package controllers reconciles ZSetClusters: it makes what runs what the spec says, and the status what runs.
//
// A reconcile goes through fixed phases, which Reconcile reads as: observe pods, machines, nodes and Leases; validate; desired
// objects (package resource, pure); server-side apply with one field owner; plan one step (pure); act on it; report status last
// and in one place. Everything one reconcile learns is in one facts value; conditions, events, metrics and the time of the
// next look are pure functions of it and of the status before. What is remembered beside the status is in handovers, and can be lost.
//
//	observe*.go, lease.go          what is: pods, machines, what nodes say of themselves, who the Lease says is primary
//	facts.go                       and what follows from it: who serves, who is in sync
//	plan*.go                       what to do next: every rule is a row of a table test
//	act.go, handover.go            do it, read again before deleting, and find out what came of it
//	status.go, condition_*.go,
//	events.go, metrics.go          say it
//
// Promises: a reconcile of an unchanged cluster writes nothing to the API server and sets nothing on a node; status
// holds what was observed and never more; an object of someone else is never taken over; a tuning change never
// restarts a pod; nobody is made primary, only asked to hand over; no pod is deleted that may be the only one to have what was
// acknowledged, unless the shard has but one. cmd/manager is the only caller.
package controllers
