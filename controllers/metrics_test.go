package controllers

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"zset.dev/operator/api/v1alpha1"
)

// exposed returns the gauges as text, without their help.
func exposed(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.Metric {
			var labels []string
			for _, l := range metric.Label {
				labels = append(labels, l.GetValue())
			}
			values[family.GetName()+" "+strings.Join(labels, " ")] = metric.Gauge.GetValue()
		}
	}
	return values
}

func TestMetricsFollowAndForget(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry)
	board := &v1alpha1.ZSetCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "games", Name: "board"}}
	m.set(board, newStatus(v1alpha1.ZSetClusterStatus{}, 1, planned(onePod(func(*shard, *pod) {})), testNow))
	for name, want := range map[string]float64{
		"zset_cluster_ready board games":                                       1,
		"zset_cluster_degraded board games":                                    0,
		"zset_cluster_config_applied board games":                              1,
		"zset_cluster_config_applied_transition_timestamp_seconds board games": float64(testNow.Unix()),
	} {
		if got, ok := exposed(t, registry)[name]; !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	m.set(board, newStatus(v1alpha1.ZSetClusterStatus{}, 1, planned(onePod(func(_ *shard, p *pod) { silent(p) })), testNow))
	if got := exposed(t, registry)["zset_cluster_degraded board games"]; got != 1 {
		t.Errorf("degraded is %v", got)
	}
	m.forget(types.NamespacedName{Namespace: "games", Name: "board"})
	if left := exposed(t, registry); len(left) > 0 {
		t.Errorf("left of a deleted cluster: %v", left)
	}
}
