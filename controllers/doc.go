// Package controllers reconciles ZSetClusters: it makes what runs what the spec says, and the status what runs.
//
// A reconcile goes through fixed phases, which Reconcile reads as: fetch and validate, desired objects (package
// resource, pure), server-side apply with one field owner, observe pods and nodes, plan one step (pure), act on it,
// report status last and in one place. Everything one reconcile learns is in one facts value; conditions, events,
// metrics and the time of the next look are pure functions of it.
//
// Promises: a reconcile of an unchanged cluster writes nothing to the API server and sets nothing on a node; status
// holds what was observed and never more; an object of someone else is never taken over; a tuning change never
// restarts a pod. cmd/manager is the only caller.
package controllers
