package controllers

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"zset.dev/operator/api/v1alpha1"
)

// Metrics are gauges per cluster. They are safe for concurrent use; a cluster's are gone once it is.
type Metrics struct {
	ready         *prometheus.GaugeVec
	degraded      *prometheus.GaugeVec
	configApplied *prometheus.GaugeVec
	configSince   *prometheus.GaugeVec
}

// NewMetrics makes the gauges and registers them.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{"namespace", "cluster"})
	}
	m := &Metrics{
		ready:         gauge("zset_cluster_ready", "1 while every shard has a primary that serves, else 0."),
		degraded:      gauge("zset_cluster_degraded", "1 while something is wrong that does not pass by waiting, else 0."),
		configApplied: gauge("zset_cluster_config_applied", "1 while every running node has confirmed the tuning of the spec, else 0."),
		configSince: gauge("zset_cluster_config_applied_transition_timestamp_seconds",
			"Unix time at which zset_cluster_config_applied took its value; time() minus this is its age."),
	}
	for _, g := range m.gauges() {
		registry.MustRegister(g)
	}
	return m
}

func (m *Metrics) gauges() []*prometheus.GaugeVec {
	return []*prometheus.GaugeVec{m.ready, m.degraded, m.configApplied, m.configSince}
}

// set follows the status.
func (m *Metrics) set(cluster *v1alpha1.ZSetCluster, status v1alpha1.ZSetClusterStatus) {
	for gauge, kind := range map[*prometheus.GaugeVec]string{
		m.ready: v1alpha1.ConditionReady, m.degraded: v1alpha1.ConditionDegraded, m.configApplied: v1alpha1.ConditionConfigApplied,
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
}

// forget removes a deleted cluster's gauges.
func (m *Metrics) forget(cluster types.NamespacedName) {
	for _, g := range m.gauges() {
		g.DeleteLabelValues(cluster.Namespace, cluster.Name)
	}
}
