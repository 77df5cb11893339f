package kubernetes

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"zset.dev/operator/node/lease"
)

// Options say which node of which shard this is.
type Options struct {
	Config    *rest.Config
	Namespace string
	Shard     string         // its Lease
	Self      lease.Identity // this process; its run does not matter
	IP        string         // of this node's pod
	Slice     string         // the EndpointSlice that says where the primary is; empty for none
	Owner     string         // of the Lease: apiVersion/kind/name/uid; empty for none
	Timing    lease.Timing
	Agent     string
}

// API is all that a node asks the API server for, or tells it.
type API struct {
	Store     *Store
	Pods      Pods
	Publisher Publisher
}

// Connect makes an API, and asks nothing yet.
func Connect(o Options) (*API, error) {
	owners, labels, err := owner(o.Owner)
	if err != nil {
		return nil, err
	}
	// An answer that comes after the next attempt is due is of no use.
	client, err := NewClient(o.Config, o.Namespace, o.Timing.Retry*9/10, o.Agent)
	if err != nil {
		return nil, err
	}
	return &API{
		Store:     &Store{Client: client, Name: o.Shard, Duration: o.Timing.Duration, Labels: labels, Owners: owners, Now: time.Now},
		Pods:      Pods{client},
		Publisher: Publisher{Client: client, Self: o.Self, Lease: o.Shard, IP: o.IP, Slice: o.Slice},
	}, nil
}

// owner reads apiVersion/kind/name/uid, of which the first may have a slash in it. The labels are those of what belongs to a cluster of that
// name.
func owner(text string) ([]metav1.OwnerReference, map[string]string, error) {
	labels := map[string]string{"app.kubernetes.io/name": "zset", "app.kubernetes.io/component": "node", "app.kubernetes.io/part-of": "zset"}
	if text == "" {
		return nil, labels, nil
	}
	part := strings.Split(text, "/")
	n := len(part)
	if n < 4 || n > 5 || part[n-3] == "" || part[n-2] == "" || part[n-1] == "" {
		return nil, nil, fmt.Errorf("shard-owner: %q is not apiVersion/kind/name/uid", text)
	}
	name := part[n-2]
	labels["app.kubernetes.io/instance"], labels["cache.zset.dev/cluster"] = name, name
	return []metav1.OwnerReference{{
		APIVersion: strings.Join(part[:n-3], "/"), Kind: part[n-3], Name: name, UID: types.UID(part[n-1]),
	}}, labels, nil
}
