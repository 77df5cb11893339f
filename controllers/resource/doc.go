// Package resource builds the objects the operator wants to exist for a cluster, one file and one test per object.
//
// A builder is pure: it takes the cluster and what the operator was started with, and returns an apply configuration
// that holds exactly the fields the operator owns, nothing more. What is not in it stays as Kubernetes or others set it.
// The controllers apply the configurations; nobody else calls this package.
//
// Objects of a cluster "board" and its only shard:
//
//	ServiceAccount       board-node    identity of the pods; has no rights, this version's node needs none
//	ConfigMap            board-config  node.conf, read when a node boots
//	Service              board-nodes   headless: a DNS name for each pod, ready or not
//	Service              board         where clients connect
//	PodDisruptionBudget  board-s0      per shard
//	StatefulSet          board-s0      per shard; its pod is board-s0-0
package resource
