// Package telemetry counts what the node does and tells it: INFO, Prometheus
// metrics, and the HTTP endpoints for probes and scrapes.
//
// Stats holds the counters; anyone may add to them. Facts is one reading of
// everything INFO and the metrics print, gathered by the server, so that what
// is printed is a pure function of it. The package knows no commands and no
// keys.
package telemetry
