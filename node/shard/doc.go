// Package shard makes a node one of several that elect a primary among them.
//
//	record (a Lease) ◄──read, compare-and-swap──┐
//	pods (the API)   ──presence, UIDs──────────►│          ┌─► Node: lead, follow, stand; until when it may acknowledge
//	other nodes      ──SHARD STATUS, PROMISE───►│  Member ─┤
//	in-sync list     ──who may be elector──────►│          └─► Publisher: labels, the Service's endpoint
//	                                            │
//	                                     lease.Election decides
//
// Member is what is around lease.Election: one goroutine owns that, gathers what is known, and does what is decided. Reads and writes of
// the record, questions to other nodes and changes of the node's role take time, and are done by goroutines of their own, one
// of each at a time; none of them is waited for by the one that decides, so a renewal is never late because of them.
//
// What a node may acknowledge is said before anything else is done, in each step.
//
// The package knows nothing of Kubernetes and little of the node: both are behind small interfaces.
package shard
