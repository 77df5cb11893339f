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
			values[family.GetName()+" "+strings.Join(labels, " ")] = metric.Gauge.GetValue() + metric.Counter.GetValue() // it is one of them
		}
	}
	return values
}

func TestMetricsFollowAndForget(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry)
	board := &v1alpha1.ZSetCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "games", Name: "board"}}
	show := func(f *facts) { m.set(board, newStatus(v1alpha1.ZSetClusterStatus{}, 1, f, testNow), f) }
	expect := func(want map[string]float64) {
		t.Helper()
		got := exposed(t, registry)
		for name, value := range want {
			if is, ok := got[name]; ok != (value >= 0) || ok && is != value {
				t.Errorf("%s is %v (%v), want %v", name, is, ok, value)
			}
		}
	}
	f := planned(shardOf(2, func(s *shard) { s.pods[1].said.Offset = 4000 }))
	f.done.handover, f.done.judged = verdict{failed: true}, []verdict{{done: true}, {done: true}}
	show(f)
	expect(map[string]float64{
		"zset_cluster_ready board games":                                       1,
		"zset_cluster_degraded board games":                                    0,
		"zset_cluster_in_sync board games":                                     1,
		"zset_cluster_config_applied board games":                              1,
		"zset_cluster_config_applied_transition_timestamp_seconds board games": float64(testNow.Unix()),
		"zset_shard_epoch board games board-s0":                                7,
		"zset_shard_successors board games board-s0":                           1,
		"zset_member_lag_bytes board games board-s0-1 board-s0":                1000,
		"zset_handovers_total board games done":                                2,
		"zset_handovers_total board games failed":                              1,
	})
	show(planned(shardOf(2, func(s *shard) { silent(&s.pods[1]) })))
	expect(map[string]float64{
		"zset_cluster_in_sync board games":                      0,
		"zset_member_lag_bytes board games board-s0-1 board-s0": -1, // unknown
		"zset_member_lag_bytes board games board-s0-0 board-s0": 0,
	})
	show(planned(shardOf(1, func(s *shard) { s.fails(0) })))
	expect(map[string]float64{"zset_cluster_ready board games": 0, "zset_cluster_degraded board games": 1})
	m.forget(types.NamespacedName{Namespace: "games", Name: "board"})
	if left := exposed(t, registry); len(left) > 0 {
		t.Errorf("left of a deleted cluster: %v", left)
	}
}
