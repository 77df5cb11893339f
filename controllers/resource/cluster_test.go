package resource

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/tuning"
)

var update = flag.Bool("update", false, "write testdata anew")

// board is a cluster as the API server stores `spec: {}`.
func board() Cluster {
	return Cluster{
		ZSetCluster: &v1alpha1.ZSetCluster{
			ObjectMeta: metav1.ObjectMeta{Namespace: "games", Name: "board", UID: "0000-1111"},
			Spec: v1alpha1.ZSetClusterSpec{
				Shards:   1,
				Failover: v1alpha1.FailoverSpec{LeaseDurationSeconds: 6, RenewDeadlineSeconds: 4, RetryPeriodSeconds: 1},
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": kresource.MustParse("100m"), "memory": kresource.MustParse("512Mi")},
					Limits:   corev1.ResourceList{"memory": kresource.MustParse("512Mi")},
				},
			},
		},
		Options: Options{NodeImage: "zset.dev/node:dev", ClusterDomain: "cluster.local"},
		Tuning:  tuning.List{{Name: "zset-skiplist-p", Value: "1/e"}},
	}
}

// golden compares an object with testdata/NAME.yaml, which a reviewer can read.
func golden(t *testing.T, name string, object any) {
	t.Helper()
	got, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".yaml")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (run with -update if this is meant):\n%s", file, diff)
	}
}

func TestNames(t *testing.T) {
	c := board()
	for got, want := range map[string]string{
		c.ServiceAccountName():  "board-node",
		c.ConfigMapName():       "board-config",
		c.HeadlessServiceName(): "board-nodes",
		c.ClientServiceName():   "board",
		c.ReadServiceName():     "board-ro",
		c.PrimarySliceName():    "board-primary",
		c.LeaseName(0):          "board-s0",
		c.PodName(0, 1):         "board-s0-1",
		c.PodDomain():           "board-nodes.games.svc.cluster.local",
		c.ShardName(0):          "board-s0",
		c.Endpoint():            "board.games.svc.cluster.local:6379",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Every name that is made of a cluster's fits: label values and Service names have at most 63 characters, and Kubernetes
// puts a hash of up to 11 behind a StatefulSet's name in a label of its pods.
func TestLongestNameFits(t *testing.T) {
	c := board()
	c.Name = "x123456789012345678901234567890123456789" // 40, as the CRD allows
	for _, name := range []string{c.ConfigMapName(), c.HeadlessServiceName(), c.ShardName(999) + "-99999", c.ShardName(999) + "-0123456789"} {
		if len(name) > 63 {
			t.Errorf("%s has %d characters", name, len(name))
		}
	}
}
