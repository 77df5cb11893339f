package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"zset.dev/operator/node/lease"
)

const (
	roleLabel   = "cache.zset.dev/role"
	primaryRole = "primary"
	replicaRole = "replica"

	// fieldOwner is whose the endpoints of the slice are, for server-side apply.
	fieldOwner = "zset-node"
)

// A Publisher writes down who is primary where clients and people look: as the one endpoint of a Service, and as a label of pods.
//
// A node that was primary may come late. So what is to be replaced is read first, then the Lease, and it is replaced if that still names
// this node and nobody has written meanwhile.
type Publisher struct {
	Client *Client
	Self   lease.Identity // this process; its run does not matter
	Lease  string         // its name
	IP     string         // of this node's pod
	Slice  string         // whose endpoint the primary is; empty for none
}

// Primary implements shard.Publisher.
func (p Publisher) Primary(ctx context.Context, _ int64, others []string) error {
	names := append([]string{p.Self.Pod}, others...)
	found := make([]*pod, len(names))
	errs := make([]error, len(names)+1)
	var slice *endpointSlice
	var working sync.WaitGroup
	for i, name := range names {
		working.Go(func() { found[i], errs[i] = p.Client.pod(ctx, name) })
	}
	working.Go(func() { slice, errs[len(names)] = p.read(ctx) })
	working.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	l, err := p.Client.lease(ctx, p.Lease)
	if err != nil {
		return fmt.Errorf("kubernetes: cannot read Lease %s: %w", p.Lease, err)
	}
	if holder := decode(l).Holder; holder.Pod != p.Self.Pod || holder.UID != p.Self.UID {
		return nil // it is another's to say
	}
	working.Go(func() { errs[len(names)] = p.endpoint(ctx, slice, found[0]) })
	working.Go(func() { errs[0] = p.label(ctx, primaryRole) })
	for i := 1; i < len(names); i++ {
		working.Go(func() { errs[i] = p.strip(ctx, names[i], found[i]) })
	}
	working.Wait()
	return errors.Join(errs...)
}

// Replica implements shard.Publisher.
func (p Publisher) Replica(ctx context.Context) error { return p.label(ctx, replicaRole) }

// label writes this node's role on its pod, unless another pod has its name by now.
func (p Publisher) label(ctx context.Context, role string) error {
	err := p.mark(ctx, p.Self.Pod, map[string]any{"uid": p.Self.UID, "labels": map[string]any{roleLabel: role}})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // this node's pod is no more
	}
	return err
}

// strip takes the label of a primary off another pod, if it has not changed since it was looked at.
func (p Publisher) strip(ctx context.Context, name string, found *pod) error {
	if found == nil || found.Metadata.Labels[roleLabel] != primaryRole {
		return nil
	}
	return p.mark(ctx, name, map[string]any{
		"uid": found.Metadata.UID, "resourceVersion": found.Metadata.ResourceVersion, "labels": map[string]any{roleLabel: replicaRole},
	})
}

// mark changes a pod's metadata, in which a UID or version is what it must have now.
func (p Publisher) mark(ctx context.Context, name string, metadata map[string]any) error {
	change, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	if _, err = p.Client.patch(ctx, pods, name, types.MergePatchType, change, nil); err != nil {
		return fmt.Errorf("kubernetes: cannot label pod %s: %w", name, err)
	}
	return nil
}

// An endpointSlice is what a node writes of one, and reads.
type endpointSlice struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Metadata   sliceMeta  `json:"metadata"`
	Endpoints  []endpoint `json:"endpoints"`
}

type sliceMeta struct {
	Name            string `json:"name"`
	ResourceVersion string `json:"resourceVersion"`
}

type endpoint struct {
	Addresses  []string           `json:"addresses"`
	Conditions endpointConditions `json:"conditions"`
	NodeName   string             `json:"nodeName,omitempty"`
	TargetRef  *targetRef         `json:"targetRef,omitempty"`
}

type endpointConditions struct {
	Ready       bool `json:"ready"`
	Serving     bool `json:"serving"`
	Terminating bool `json:"terminating"`
}

type targetRef struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// read reads the slice; nil when there is none to write.
func (p Publisher) read(ctx context.Context) (*endpointSlice, error) {
	if p.Slice == "" {
		return nil, nil
	}
	b, err := p.Client.get(ctx, endpointSlices, p.Slice)
	if err != nil {
		return nil, fmt.Errorf("kubernetes: cannot read endpoint slice %s: %w", p.Slice, err)
	}
	found := &endpointSlice{}
	if err := json.Unmarshal(b, found); err != nil {
		return nil, fmt.Errorf("kubernetes: endpoint slice %s: %w", p.Slice, err)
	}
	return found, nil
}

// endpoint makes this node the one endpoint of the slice, if that has not changed since it was read. What was there before goes in the
// same moment, so no client ever finds two primaries, or none.
func (p Publisher) endpoint(ctx context.Context, found *endpointSlice, self *pod) error {
	if found == nil {
		return nil
	}
	node := ""
	if self != nil {
		node = self.Spec.NodeName
	}
	wanted := []endpoint{{
		Addresses: []string{p.IP}, Conditions: endpointConditions{Ready: true, Serving: true}, NodeName: node,
		TargetRef: &targetRef{Kind: "Pod", Namespace: p.Client.namespace, Name: p.Self.Pod, UID: p.Self.UID},
	}}
	if reflect.DeepEqual(found.Endpoints, wanted) {
		return nil
	}
	change, err := json.Marshal(endpointSlice{
		APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice",
		Metadata: sliceMeta{Name: p.Slice, ResourceVersion: found.Metadata.ResourceVersion}, Endpoints: wanted,
	})
	if err != nil {
		return err
	}
	if _, err := p.Client.patch(ctx, endpointSlices, p.Slice, types.ApplyPatchType, change, map[string]string{"fieldManager": fieldOwner, "force": "true"}); err != nil {
		return fmt.Errorf("kubernetes: cannot write endpoint slice %s: %w", p.Slice, err)
	}
	return nil
}
