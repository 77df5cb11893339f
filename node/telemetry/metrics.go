package telemetry

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metric is one number of Facts as Prometheus sees it.
type metric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(*Facts) float64
}

func gauge(name, help string, read func(*Facts) float64) metric {
	return metric{prometheus.NewDesc("zset_"+name, help, nil, nil), prometheus.GaugeValue, read}
}

func counter(name, help string, read func(*Facts) float64) metric {
	return metric{prometheus.NewDesc("zset_"+name, help, nil, nil), prometheus.CounterValue, read}
}

var metrics = []metric{
	gauge("uptime_seconds", "Seconds since the node started.", func(f *Facts) float64 { return f.Uptime().Seconds() }),
	gauge("ready", "1 while the node accepts commands.", func(f *Facts) float64 {
		if f.Ready {
			return 1
		}
		return 0
	}),
	gauge("clients_connected", "Connected clients.", func(f *Facts) float64 { return float64(f.Connected) }),
	gauge("clients_limit", "Most clients that may be connected.", func(f *Facts) float64 { return float64(f.MaxClients) }),
	gauge("clients_query_bytes", "Memory of all query buffers.", func(f *Facts) float64 { return float64(f.QueryBytes) }),
	gauge("clients_reply_bytes", "Memory of all reply buffers.", func(f *Facts) float64 { return float64(f.ReplyBytes) }),
	gauge("memory_used_bytes", "Memory of keys, what they hold, and buffers: what maxmemory limits.", func(f *Facts) float64 { return float64(f.Used) }),
	gauge("memory_dataset_bytes", "Memory of keys and what they hold.", func(f *Facts) float64 { return float64(f.Dataset) }),
	gauge("memory_limit_bytes", "maxmemory; 0 is no limit.", func(f *Facts) float64 { return float64(f.Limit) }),
	gauge("keys", "Keys.", func(f *Facts) float64 { return float64(f.Keys) }),
	gauge("keys_expiring", "Keys with an expiry.", func(f *Facts) float64 { return float64(f.Expiring) }),
	counter("keys_expired_total", "Keys removed because their time had come.", func(f *Facts) float64 { return float64(f.Expired) }),
	counter("keys_evicted_total", "Keys removed to make room.", func(f *Facts) float64 { return float64(f.Evicted) }),
	counter("memory_exceeded_seconds_total", "Time during which more memory was used than maxmemory allows.", func(f *Facts) float64 { return f.TotalExceeded.Seconds() }),
	counter("connections_accepted_total", "Connections accepted.", func(f *Facts) float64 { return float64(f.Stats.ConnectionsAccepted.Load()) }),
	counter("connections_rejected_total", "Connections turned away.", func(f *Facts) float64 { return float64(f.Stats.ConnectionsRejected.Load()) }),
	counter("commands_processed_total", "Commands answered.", func(f *Facts) float64 { return float64(f.Stats.CommandsProcessed.Load()) }),
	counter("net_input_bytes_total", "Bytes received from clients.", func(f *Facts) float64 { return float64(f.Stats.BytesIn.Load()) }),
	counter("net_output_bytes_total", "Bytes sent to clients.", func(f *Facts) float64 { return float64(f.Stats.BytesOut.Load()) }),
	counter("keyspace_hits_total", "Reads that found their key.", func(f *Facts) float64 { return float64(f.Stats.Hits.Load()) }),
	counter("keyspace_misses_total", "Reads that did not find their key.", func(f *Facts) float64 { return float64(f.Stats.Misses.Load()) }),
	counter("auth_failures_total", "Wrong user names or passwords.", func(f *Facts) float64 { return float64(f.Stats.AuthFailures.Load()) }),
}

// tlsMetrics are there only with TLS: an expiry of 0 would raise an alarm.
var tlsMetrics = []metric{
	gauge("tls_certificate_expiry_timestamp_seconds", "When the certificate in use expires, Unix time.", func(f *Facts) float64 { return float64(f.TLS.Expires.Unix()) }),
	gauge("tls_reload_failed", "1 while the TLS files there are not in use, since they cannot be.", func(f *Facts) float64 {
		if f.TLS.ReloadFailure != "" {
			return 1
		}
		return 0
	}),
	counter("tls_reloads_total", "Times new TLS files or settings were taken.", func(f *Facts) float64 { return float64(f.TLS.Reloads) }),
	counter("tls_handshakes_failed_total", "TLS handshakes that failed.", func(f *Facts) float64 { return float64(f.Stats.HandshakesFailed.Load()) }),
}

var caExpiry = gauge("tls_authority_expiry_timestamp_seconds", "When the first authority of clients' certificates expires, Unix time.",
	func(f *Facts) float64 { return float64(f.TLS.CAExpires.Unix()) })

var (
	infoDesc     = prometheus.NewDesc("zset_info", "The node's version and run id.", []string{"version", "run_id"}, nil)
	callsDesc    = prometheus.NewDesc("zset_command_calls_total", "Commands run.", []string{"command"}, nil)
	secondsDesc  = prometheus.NewDesc("zset_command_seconds_total", "Time spent in commands.", []string{"command"}, nil)
	rejectedDesc = prometheus.NewDesc("zset_command_rejected_total", "Commands refused before they ran.", []string{"command"}, nil)
	failedDesc   = prometheus.NewDesc("zset_command_failed_total", "Commands that answered an error.", []string{"command"}, nil)
	errorsDesc   = prometheus.NewDesc("zset_errors_total", "Error replies, by their code.", []string{"code"}, nil)
	closedDesc   = prometheus.NewDesc("zset_connections_closed_total", "Connections the node closed, by why.", []string{"reason"}, nil)
)

// collector reads Facts once a scrape.
type collector struct{ facts func() Facts }

// NewRegistry makes a registry of this node's metrics alone, and those of its
// process. facts is called once for each scrape.
func NewRegistry(facts func() Facts) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collector{facts},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return r
}

// Describe is part of prometheus.Collector.
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, m := range slices.Concat(metrics, replicationMetrics, shardMetrics, tlsMetrics, []metric{caExpiry}) {
		out <- m.desc
	}
	for _, d := range []*prometheus.Desc{infoDesc, callsDesc, secondsDesc, rejectedDesc, failedDesc, errorsDesc, closedDesc} {
		out <- d
	}
}

// Collect is part of prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	f := c.facts()
	count := func(d *prometheus.Desc, n float64, label string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, n, label)
	}
	shown := slices.Concat(metrics, replicationMetrics, shardMetrics)
	if f.TLS != nil {
		shown = slices.Concat(shown, tlsMetrics)
		if f.TLS.CASerial != "" {
			shown = append(shown, caExpiry)
		}
	}
	for _, m := range shown {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.read(&f))
	}
	out <- prometheus.MustNewConstMetric(infoDesc, prometheus.GaugeValue, 1, f.Version, f.RunID)
	for _, s := range f.Stats.Commands() {
		calls, rejected := s.Calls.Load(), s.Rejected.Load()
		if calls == 0 && rejected == 0 {
			continue
		}
		count(callsDesc, float64(calls), s.Name)
		count(secondsDesc, float64(s.Nanos.Load())/1e9, s.Name)
		count(rejectedDesc, float64(rejected), s.Name)
		count(failedDesc, float64(s.Failed.Load()), s.Name)
	}
	for _, e := range f.Stats.Errors() {
		count(errorsDesc, float64(e.Count), e.Code)
	}
	count(closedDesc, float64(f.Stats.IdleClosed.Load()), "idle")
	count(closedDesc, float64(f.Stats.OutputLimitClosed.Load()), "output_limit")
	count(closedDesc, float64(f.Stats.QueryLimitClosed.Load()), "query_limit")
	count(closedDesc, float64(f.Stats.ClientsEvicted.Load()), "memory")
	count(closedDesc, float64(f.Stats.ProtocolErrors.Load()), "protocol_error")
}
