// Package kubernetes is what a node asks Kubernetes' API server for, and tells it: the record of its shard's election, which is a
// Lease (store.go), what became of the shard's pods (pods.go), and who is primary, for clients and people (publisher.go). It implements
// the interfaces of package shard. Each request is bounded, and asks for an object by its name: the node's Role allows nothing more.
//
// # The Lease
//
//	spec.holderIdentity       pod/uid/run, empty once the record was given up
//	spec.leaseTransitions     the epoch
//	spec.renewTime            when it was last written, for people: nobody reckons with another's clock
//	annotations
//	  cache.zset.dev/electors pod/uid/run, pod/uid/run …
//	  cache.zset.dev/heir     the pod that a record which was given up is for
//
// What people wrote into it by hand does not stop anybody from reading it: a name that is no identity is that of a process
// that may run and that nobody is.
package kubernetes
