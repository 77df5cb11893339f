package config

import (
	"fmt"
	"net"
	"strings"
	"time"

	"zset.dev/operator/node/lease"
)

// Shard is what the directives about the shard say that a node is one of.
type Shard struct {
	Name       string // of the shard, its Lease and, with a number behind, its pods; "" = the node is one by itself
	Namespace  string
	Pod, UID   string // this node's
	IP         string // likewise, for the Service's endpoint
	Domain     string // what follows a pod's name in its DNS name; "" = its name alone is looked up
	Peers      string // pod=host:port, with commas between: instead of DNS names
	Size       int    // pods that there are to be
	Service    string // whose endpoint the primary is; "" = none
	Owner      string // apiVersion/kind/name/uid of the object with which the Lease goes; "" = none
	Kubeconfig string

	Duration, Deadline, Retry time.Duration
	Unclean                   time.Duration // 0 = never
}

// Timing is that of the election.
func (s *Shard) Timing() lease.Timing {
	return lease.Timing{
		Duration: s.Duration, Deadline: s.Deadline, Retry: s.Retry, Straggler: lease.DefaultTiming().Straggler, Unclean: s.Unclean,
	}
}

// Validate says what is missing or does not fit together.
func (s *Shard) Validate() error {
	if s.Name == "" {
		return nil
	}
	for _, d := range []struct{ name, value string }{{"shard-namespace", s.Namespace}, {"shard-pod", s.Pod}, {"shard-uid", s.UID}} {
		if d.value == "" {
			return fmt.Errorf("%s is not set, which a node of a shard needs", d.name)
		}
	}
	if !strings.HasPrefix(s.Pod, s.Name+"-") {
		return fmt.Errorf("shard-pod %s is not of shard %s: it must be %s-0, %s-1 and so on", s.Pod, s.Name, s.Name, s.Name)
	}
	if _, err := s.peers(); err != nil {
		return err
	}
	return s.Timing().Validate()
}

func (s *Shard) peers() (map[string]string, error) {
	all := map[string]string{}
	for peer := range strings.SplitSeq(s.Peers, ",") {
		if peer == "" {
			continue
		}
		pod, address, ok := strings.Cut(peer, "=")
		if _, _, err := net.SplitHostPort(address); !ok || err != nil {
			return nil, fmt.Errorf("shard-peers: %q is not pod=host:port", peer)
		}
		all[pod] = address
	}
	return all, nil
}

// Address is where a pod of the shard is reached, if nodes listen on that port.
func (s *Shard) Address(pod, port string) (string, error) {
	if s.Peers != "" {
		all, err := s.peers()
		if err != nil {
			return "", err
		}
		if all[pod] == "" {
			return "", fmt.Errorf("shard-peers does not name this pod: %s", pod)
		}
		return all[pod], nil
	}
	if s.Domain != "" {
		pod += "." + s.Domain
	}
	return net.JoinHostPort(pod, port), nil
}

const identifier = "letters, digits and the like"

var sharded = []directive{
	{
		name: "shard", group: shards, initial: "",
		doc: "name of the shard of which this node is one, and of its Lease; empty = none",
		note: "The Lease says who is primary. A node of a shard starts as a standby that takes no writes, and becomes primary or replica by the Lease alone, never by what is on its disk. " +
			"See [failover](failover.md).",
		kind: text(identifier, func(v *Values) *string { return &v.Shard.Name }),
	},
	{
		name: "shard-namespace", group: shards, initial: "",
		doc:  "Kubernetes namespace of the shard",
		kind: text(identifier, func(v *Values) *string { return &v.Shard.Namespace }),
	},
	{
		name: "shard-pod", group: shards, initial: "",
		doc:  "name of this node's pod: the shard's, and a number behind",
		kind: text(identifier, func(v *Values) *string { return &v.Shard.Pod }),
	},
	{
		name: "shard-uid", group: shards, initial: "",
		doc:  "UID of this node's pod",
		kind: text(identifier, func(v *Values) *string { return &v.Shard.UID }),
	},
	{
		name: "shard-ip", group: shards, initial: "",
		doc:  "address of this node's pod, for the Service's endpoint",
		kind: text("an address", func(v *Values) *string { return &v.Shard.IP }),
	},
	{
		name: "shard-domain", group: shards, initial: "",
		doc:  "what follows a pod's name in its DNS name",
		kind: text("a DNS name", func(v *Values) *string { return &v.Shard.Domain }),
	},
	{
		name: "shard-peers", group: shards, initial: "",
		doc:  "pod=host:port,…: where the shard's nodes are; empty = by DNS name",
		kind: text("pod=host:port,…", func(v *Values) *string { return &v.Shard.Peers }),
	},
	{
		name: "shard-size", group: shards, initial: "1", live: true,
		doc:  "pods that the shard is to have",
		kind: integer(func(v *Values) *int { return &v.Shard.Size }, 1, 100),
	},
	{
		name: "shard-service", group: shards, initial: "",
		doc:  "name of the EndpointSlice that says where the primary is; empty = none",
		kind: text(identifier, func(v *Values) *string { return &v.Shard.Service }),
	},
	{
		name: "shard-owner", group: shards, initial: "",
		doc:  "apiVersion/kind/name/uid of the object with which the Lease is deleted; empty = none",
		kind: text("apiVersion/kind/name/uid", func(v *Values) *string { return &v.Shard.Owner }),
	},
	{
		name: "shard-kubeconfig", group: shards, initial: "",
		doc:  "file that says how the Kubernetes API is reached; empty = as a pod does",
		kind: text("a path", func(v *Values) *string { return &v.Shard.Kubeconfig }),
	},
	{
		name: "lease-duration", group: shards, initial: "6000",
		doc:  "milliseconds after which a Lease that was not renewed may be taken",
		note: "The same on all nodes of a shard, as are the three below. It is at least 1.25 times `lease-renew-deadline`: by so much may clocks differ in rate.",
		kind: milliseconds(func(v *Values) *time.Duration { return &v.Shard.Duration }, 1),
	},
	{
		name: "lease-renew-deadline", group: shards, initial: "4000",
		doc:  "milliseconds after its last renewal in which a primary takes writes",
		note: "Longer only while all who might take its place have promised not to. At least twice `lease-retry-period`.",
		kind: milliseconds(func(v *Values) *time.Duration { return &v.Shard.Deadline }, 1),
	},
	{
		name: "lease-retry-period", group: shards, initial: "1000",
		doc:  "milliseconds between two renewals, and between two looks at the Lease",
		kind: milliseconds(func(v *Values) *time.Duration { return &v.Shard.Retry }, 1),
	},
	{
		name: "unclean-failover-after", group: shards, initial: "0",
		doc:  "milliseconds without any reachable node that has all data, after which another may become primary; 0 = never",
		note: "What only the unreachable ones have is lost then. At least twice `lease-duration`.",
		kind: milliseconds(func(v *Values) *time.Duration { return &v.Shard.Unclean }, 0),
	},
}
