package tuning

import (
	"fmt"
	"strings"
)

// Ports of a node. They are fixed: Services, probes and node.conf agree on them.
const (
	PortRESP = 6379
	PortHTTP = 9379
)

// DataDir is where a node's volume is mounted.
const DataDir = "/data"

// ShutdownTimeoutSeconds is how long a stopping node takes at most to hand over to a replica and to answer what is under way.
const ShutdownTimeoutSeconds = 20

// NodeConf returns the text of node.conf: what every node of the operator has in common, then the tuning.
func NodeConf(tuned List) string {
	var b strings.Builder
	b.WriteString("# Written by the operator from the ZSetCluster; changes made here by hand are undone.\n")
	fixed := List{
		{"port", fmt.Sprint(PortRESP)},
		{"bind", "0.0.0.0 -::"}, // both families; a node without IPv6 goes on without it
		{"protected-mode", "no"},
		{"dir", DataDir},
		{"http-port", fmt.Sprint(PortHTTP)},
		{"shutdown-timeout", fmt.Sprint(ShutdownTimeoutSeconds)},
	}
	for _, d := range append(fixed, tuned...) {
		fmt.Fprintln(&b, d)
	}
	return b.String()
}
