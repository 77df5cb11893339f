// Package resource builds the objects the operator wants to exist for a cluster, one file and one test per object.
//
// A builder is pure: it takes the cluster and what the operator was started with, and returns an apply configuration
// that holds exactly the fields the operator owns, nothing more. What is not in it stays as Kubernetes or others set it.
// The controllers apply the configurations; nobody else calls this package.
//
// Objects of a cluster "board" and its only shard:
//
//	ServiceAccount       board-node     identity of the pods
//	Role, RoleBinding    board-node     what it may do: Leases of the shards, labels of their pods, endpoints of board-primary
//	ConfigMap            board-config   node.conf, read when a node boots
//	Service              board-nodes    headless: a DNS name for each pod, ready or not
//	Service              board          where clients connect: the primary
//	EndpointSlice        board-primary  its address, which the primary writes itself; the rest is the operator's
//	Service              board-ro       replicas that are in sync
//	PodDisruptionBudget  board-s0       per shard
//	StatefulSet          board-s0       per shard; its pods are board-s0-0 and so on
//
// The nodes themselves make the Lease board-s0.
package resource
