package controllers

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"zset.dev/operator/api/v1alpha1"
)

// Metrics are gauges per cluster, shard and pod, and counters of what happened. They are safe for concurrent use; a cluster's are
// gone once it is.
type Metrics struct {
	ready, degraded, inSync, configApplied, configSince *prometheus.GaugeVec

	epoch, successors *prometheus.GaugeVec // per shard
	lag               *prometheus.GaugeVec // per pod
	handovers         *prometheus.CounterVec
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	gauge := func(name, help string, more ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, append([]string{"namespace", "cluster"}, more...))
	}
	m := &Metrics{
		ready:         gauge("zset_cluster_ready", "1 while every shard has a primary that serves, else 0."),
		degraded:      gauge("zset_cluster_degraded", "1 while something is wrong that does not pass by waiting, else 0."),
		inSync:        gauge("zset_cluster_in_sync", "1 while a failover would find a successor in every shard, else 0."),
		configApplied: gauge("zset_cluster_config_applied", "1 while every running node has confirmed the tuning of the spec, else 0."),
		configSince: gauge("zset_cluster_config_applied_transition_timestamp_seconds",
			"Unix time at which zset_cluster_config_applied took its value; time() minus this is its age."),
		epoch:      gauge("zset_shard_epoch", "Epoch of the shard: how often its Lease has changed hands.", "shard"),
		successors: gauge("zset_shard_successors", "Replicas in sync, which a failover of the shard could find.", "shard"),
		lag:        gauge("zset_member_lag_bytes", "Bytes of the log that the primary had and the pod's node had not when last asked.", "shard", "pod"),
		handovers: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "zset_handovers_total",
			Help: "Hand-overs the operator asked for that ended, by result: done or failed."}, []string{"namespace", "cluster", "result"}),
	}
	for _, v := range m.vectors() {
		registry.MustRegister(v)
	}
	return m
}

// vector is a family of metrics by label.
type vector interface {
	prometheus.Collector
	DeletePartialMatch(prometheus.Labels) int
}

func (m *Metrics) vectors() []vector {
	return []vector{m.ready, m.degraded, m.inSync, m.configApplied, m.configSince, m.epoch, m.successors, m.lag, m.handovers}
}

// set follows the status and the facts.
func (m *Metrics) set(cluster *v1alpha1.ZSetCluster, status v1alpha1.ZSetClusterStatus, f *facts) {
	for gauge, kind := range map[*prometheus.GaugeVec]string{
		m.ready: v1alpha1.ConditionReady, m.degraded: v1alpha1.ConditionDegraded,
		m.inSync: v1alpha1.ConditionInSync, m.configApplied: v1alpha1.ConditionConfigApplied,
	} {
		value := 0.0
		if meta.IsStatusConditionTrue(status.Conditions, kind) {
			value = 1
		}
		gauge.WithLabelValues(cluster.Namespace, cluster.Name).Set(value)
	}
	if c := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionConfigApplied); c != nil {
		m.configSince.WithLabelValues(cluster.Namespace, cluster.Name).Set(float64(c.LastTransitionTime.Unix()))
	}
	m.lag.DeletePartialMatch(labelsOf(cluster.Namespace, cluster.Name)) // of pods that are no more, or are silent
	for i := range f.shards {
		s := &f.shards[i]
		m.epoch.WithLabelValues(cluster.Namespace, cluster.Name, s.name).Set(float64(status.Shards[i].Epoch))
		m.successors.WithLabelValues(cluster.Namespace, cluster.Name, s.name).Set(float64(s.successors()))
		for j := range s.pods {
			if bytes, ok := s.lag(&s.pods[j]); ok {
				m.lag.WithLabelValues(cluster.Namespace, cluster.Name, s.name, s.pods[j].name).Set(float64(bytes))
			}
		}
	}
	for _, v := range append(slices.Clone(f.done.judged), f.done.handover) {
		switch {
		case v.done:
			m.handovers.WithLabelValues(cluster.Namespace, cluster.Name, "done").Inc()
		case v.failed:
			m.handovers.WithLabelValues(cluster.Namespace, cluster.Name, "failed").Inc()
		}
	}
}

func labelsOf(namespace, cluster string) prometheus.Labels {
	return prometheus.Labels{"namespace": namespace, "cluster": cluster}
}

// forget removes a deleted cluster's metrics.
func (m *Metrics) forget(cluster types.NamespacedName) {
	for _, v := range m.vectors() {
		v.DeletePartialMatch(labelsOf(cluster.Namespace, cluster.Name))
	}
}
