package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"zset.dev/operator/node/shard"
)

// nodeContainer is the container of a pod that runs the node.
const nodeContainer = "node"

// looksAtOnce is how many pods are asked for at once.
const looksAtOnce = 4

// A pod is what a node needs to know of one.
type pod struct {
	Metadata struct {
		UID             string            `json:"uid"`
		ResourceVersion string            `json:"resourceVersion"`
		Labels          map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		ContainerStatuses []containerStatus `json:"containerStatuses"`
	} `json:"status"`
}

type containerStatus struct {
	Name         string         `json:"name"`
	RestartCount int            `json:"restartCount"`
	State        containerState `json:"state"`
	LastState    containerState `json:"lastState"`
}

type containerState struct {
	Running    *struct{}   `json:"running"`
	Terminated *terminated `json:"terminated"`
}

type terminated struct {
	FinishedAt time.Time `json:"finishedAt"`
}

// sight is what the pod says of its node's processes.
func (p *pod) sight() shard.Sight {
	s := shard.Sight{UID: p.Metadata.UID}
	for _, c := range p.Status.ContainerStatuses {
		if c.Name != nodeContainer {
			continue
		}
		s.Started = c.RestartCount > 0 || c.State.Running != nil || c.State.Terminated != nil || c.LastState.Terminated != nil
		for _, end := range []*terminated{c.State.Terminated, c.LastState.Terminated} {
			if end != nil && end.FinishedAt.After(s.Ended) {
				s.Ended = end.FinishedAt
			}
		}
	}
	return s
}

// Pods tells of a shard's pods.
type Pods struct{ Client *Client }

// Look implements shard.Pods. It asks for each pod by its name, not for a list: a node needs no right to see others.
func (p Pods) Look(ctx context.Context, names []string) (map[string]shard.Sight, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	all := make(map[string]shard.Sight, len(names)) // guarded by mu
	var failure error                               // likewise
	turns := make(chan struct{}, looksAtOnce)
	var asking sync.WaitGroup
	for _, name := range names {
		turns <- struct{}{}
		asking.Go(func() {
			defer func() { <-turns }()
			found, err := p.Client.pod(ctx, name)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && found == nil:
				all[name] = shard.Sight{}
			case err == nil:
				all[name] = found.sight()
			case failure == nil:
				failure = err
				cancel() // what half of them do says nothing
			}
		})
	}
	asking.Wait()
	if failure != nil {
		return nil, failure
	}
	return all, nil
}

// pod reads one; nil when there is none.
func (c *Client) pod(ctx context.Context, name string) (*pod, error) {
	p := &pod{}
	b, err := c.get(ctx, pods, name)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(b, p)
	}
	if err != nil {
		return nil, fmt.Errorf("kubernetes: cannot look at pod %s: %w", name, err)
	}
	return p, nil
}
