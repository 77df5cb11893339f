package main

import (
	"fmt"

	"zset.dev/operator/node"
	"zset.dev/operator/node/config"
	"zset.dev/operator/node/lease"
	"zset.dev/operator/node/lease/kubernetes"
)

// joinShard is how a node of a shard reaches the Kubernetes API; nil for one that is none.
func joinShard(s *config.Shard) (*node.Shard, error) {
	if s.Name == "" {
		return nil, nil
	}
	reach, err := kubernetes.Reach(s.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("shard %s: cannot reach the Kubernetes API: %w", s.Name, err)
	}
	api, err := kubernetes.Connect(kubernetes.Options{
		Config: reach, Namespace: s.Namespace, Shard: s.Name, Self: lease.Identity{Pod: s.Pod, UID: s.UID}, IP: s.IP, Slice: s.Service,
		Owner: s.Owner, Timing: s.Timing(), Agent: "zset-node/" + version,
	})
	if err != nil {
		return nil, fmt.Errorf("shard %s: %w", s.Name, err)
	}
	return &node.Shard{Store: api.Store, Pods: api.Pods, Publisher: api.Publisher}, nil
}
