//go:build integration

package controllers

import (
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// parseCluster reads a cluster's spec as a user writes it.
func parseCluster(t *testing.T, namespace, name, spec string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	text := "apiVersion: cache.zset.dev/v1alpha1\nkind: ZSetCluster\nspec: " + spec
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

func expect(t *testing.T, err error, message string) {
	t.Helper()
	switch {
	case message == "" && err != nil:
		t.Errorf("refused: %v", err)
	case message != "" && err == nil:
		t.Errorf("accepted, want it refused with %q", message)
	case message != "" && !strings.Contains(err.Error(), message):
		t.Errorf("refused with\n  %v\nwant\n  %s", err, message)
	}
}

// What the API server accepts and refuses when a cluster is created; "" means accepted.
func TestCRDCreate(t *testing.T) {
	const (
		p         = `p must be "1/e" or a decimal with 0 < p <= 0.75, such as "0.25"`
		oneShard  = "this version serves one shard without replicas"
		memory    = `maxMemory must be a percentage of resources.limits.memory from "1%" to "100%", or an amount of at least 1Mi such as "2Gi"`
		needs     = `engine.maxMemory as a percentage needs resources.limits.memory`
		noRequest = "resources.requests must not exceed resources.limits"
	)
	namespace := newNamespace(t)
	for _, test := range []struct{ spec, refusal string }{
		{`{}`, ""},

		{`{mode: Replicated}`, ""},
		{`{mode: Cluster}`, "mode must be Replicated: " + oneShard},
		{`{mode: Sentinel}`, `supported values: "Replicated", "Cluster"`},
		{`{shards: 1}`, ""},
		{`{shards: 3}`, "shards must be 1: " + oneShard},
		{`{shards: 0}`, "should be greater than or equal to 1"},
		{`{replicas: 0}`, ""},
		{`{replicas: 1}`, "replicas must be 0: " + oneShard},
		{`{replicas: -1}`, "should be greater than or equal to 0"},

		{`{image: "example.org/node:v1", imagePullPolicy: Never}`, ""},
		{`{image: ""}`, "should be at least 1 chars long"},
		{`{image: "a b"}`, "image must not contain white space"},
		{`{imagePullPolicy: Sometimes}`, `supported values: "Always", "IfNotPresent", "Never"`},

		{`{engine: {skipList: {p: "1/e"}}}`, ""},
		{`{engine: {skipList: {p: "0.25"}}}`, ""},
		{`{engine: {skipList: {p: "0.75"}}}`, ""},
		{`{engine: {skipList: {p: "0.750000000"}}}`, ""},
		{`{engine: {skipList: {p: "0.000000001"}}}`, ""},
		{`{engine: {skipList: {p: "0.750000001"}}}`, p},
		{`{engine: {skipList: {p: "0.75000000000000001"}}}`, "may not be more than 16"}, // a double could not tell it from 0.75
		{`{engine: {skipList: {p: "0.0"}}}`, p},
		{`{engine: {skipList: {p: "0"}}}`, p},
		{`{engine: {skipList: {p: "1"}}}`, p},
		{`{engine: {skipList: {p: "-0.5"}}}`, p},
		{`{engine: {skipList: {p: ".5"}}}`, p},
		{`{engine: {skipList: {p: "0.5 "}}}`, p},
		{`{engine: {skipList: {p: "5e-1"}}}`, p},
		{`{engine: {skipList: {p: "NaN"}}}`, p},
		{`{engine: {skipList: {p: "1/E"}}}`, p},
		{`{engine: {skipList: {p: ""}}}`, p},
		{`{engine: {skipList: {p: 0.25}}}`, "must be of type string"},
		{`{engine: {skipList: {maxLevel: 1}}}`, ""},
		{`{engine: {skipList: {maxLevel: 64}}}`, ""},
		{`{engine: {skipList: {maxLevel: 0}}}`, "should be greater than or equal to 1"},
		{`{engine: {skipList: {maxLevel: 65}}}`, "should be less than or equal to 64"},
		{`{engine: {skipList: {blockEntries: 4}}}`, ""},
		{`{engine: {skipList: {blockEntries: 240}}}`, ""},
		{`{engine: {skipList: {blockEntries: 3}}}`, "should be greater than or equal to 4"},
		{`{engine: {skipList: {blockEntries: 241}}}`, "should be less than or equal to 240"},

		{`{engine: {listpack: {maxEntries: 0, maxValueBytes: 0}}}`, ""},
		{`{engine: {listpack: {maxEntries: 65535, maxValueBytes: 65535}}}`, ""},
		{`{engine: {listpack: {maxEntries: -1}}}`, "should be greater than or equal to 0"},
		{`{engine: {listpack: {maxEntries: 65536}}}`, "should be less than or equal to 65535"},
		{`{engine: {listpack: {maxValueBytes: -1}}}`, "should be greater than or equal to 0"},

		{`{engine: {maxMemory: "75%"}}`, ""},
		{`{engine: {maxMemory: "1%"}}`, ""},
		{`{engine: {maxMemory: "100%"}}`, ""},
		{`{engine: {maxMemory: "256Mi"}}`, ""},
		{`{engine: {maxMemory: "0%"}}`, memory},
		{`{engine: {maxMemory: "101%"}}`, memory},
		{`{engine: {maxMemory: "7.5%"}}`, memory},
		{`{engine: {maxMemory: "75"}}`, memory},
		{`{engine: {maxMemory: "much"}}`, memory},
		{`{engine: {maxMemory: "-1Gi"}}`, memory},
		{`{engine: {maxMemory: "1Gi"}}`, "engine.maxMemory must not exceed resources.limits.memory"},
		{`{engine: {maxMemory: "1Gi"}, resources: {limits: {memory: 1073741824}}}`, ""},
		{`{engine: {maxMemory: "75%"}, resources: {}}`, needs},
		{`{engine: {maxMemory: "75%"}, resources: {limits: {cpu: 1}}}`, needs},
		{`{engine: {maxMemory: "3Gi"}, resources: {}}`, ""},
		{`{engine: {evictionPolicy: noeviction}}`, ""},
		{`{engine: {evictionPolicy: allkeys-lru}}`, ""},
		{`{engine: {evictionPolicy: volatile-ttl}}`, ""},
		{`{engine: {evictionPolicy: allkeys-ttl}}`, `Unsupported value: "allkeys-ttl"`},

		{`{resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: 1, memory: 1024Mi}}}`, ""},
		{`{resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}}`, noRequest},
		{`{resources: {requests: {cpu: 1001m}, limits: {cpu: 1}}}`, noRequest},
		{`{resources: {claims: [{name: gpu}]}}`, "resources.claims is not supported"},

		{`{storage: {size: 1Gi}}`, ""},
		{`{storage: {size: 1Gi, storageClassName: "", retentionPolicy: Retain}}`, ""},
		{`{storage: {}}`, "spec.storage.size: Required value"},
		{`{storage: {size: 0}}`, "storage.size must be greater than zero"},
		{`{storage: {size: 1Gi, retentionPolicy: Keep}}`, `supported values: "Delete", "Retain"`},
	} {
		t.Run(test.spec, func(t *testing.T) {
			object := parseCluster(t, namespace, "board", test.spec)
			expect(t, kube.Create(t.Context(), object, client.DryRunAll), test.refusal)
		})
	}
}

// A field that does not exist in this version is refused by clients that validate strictly, as kubectl does.
func TestCRDUnknownField(t *testing.T) {
	object := parseCluster(t, newNamespace(t), "board", `{failover: {leaseDurationSeconds: 6}}`)
	err := kube.Create(t.Context(), object, client.DryRunAll, client.FieldValidation("Strict"))
	expect(t, err, `unknown field "spec.failover"`)
}

func TestCRDName(t *testing.T) {
	const refusal = "metadata.name must be at most 40 characters"
	namespace := newNamespace(t)
	for name, refusal := range map[string]string{
		"a": "", "board-2": "", strings.Repeat("x", 40): "",
		strings.Repeat("x", 41): refusal, "2board": refusal, "board.two": refusal,
	} {
		expect(t, kube.Create(t.Context(), parseCluster(t, namespace, name, "{}"), client.DryRunAll), refusal)
	}
}

// Defaults are visible in the stored object.
func TestCRDDefaults(t *testing.T) {
	object := parseCluster(t, newNamespace(t), "board", "{}")
	delete(object.Object, "spec") // as good as {}
	if err := kube.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	got, err := yaml.Marshal(object.Object["spec"])
	if err != nil {
		t.Fatal(err)
	}
	const want = `engine:
  evictionPolicy: noeviction
  listpack:
    maxEntries: 128
    maxValueBytes: 64
  skipList:
    blockEntries: 64
    maxLevel: 32
    p: 1/e
mode: Replicated
replicas: 0
resources:
  limits:
    memory: 512Mi
  requests:
    cpu: 100m
    memory: 512Mi
shards: 1
`
	if string(got) != want {
		t.Errorf("stored:\n%swant:\n%s", got, want)
	}
}

// What may change after creation, and what may not.
func TestCRDUpdate(t *testing.T) {
	namespace := newNamespace(t)
	for _, test := range []struct{ name, before, after, refusal string }{
		{"tuning", `{}`, `{engine: {skipList: {p: "0.5"}}}`, ""},
		{"resources", `{}`, `{resources: {limits: {memory: 1Gi}}}`, ""},
		{"mode", `{}`, `{mode: Cluster}`, "mode must be Replicated"},
		{"storage added", `{}`, `{storage: {size: 1Gi}}`, "storage cannot be added or removed after creation"},
		{"storage removed", `{storage: {size: 1Gi}}`, `{}`, "storage cannot be added or removed after creation"},
		{"storage grown", `{storage: {size: 1Gi}}`, `{storage: {size: 2Gi}}`, "storage.size cannot be changed by this version"},
		{"storage shrunk", `{storage: {size: 1Gi}}`, `{storage: {size: 1Mi}}`, "storage.size cannot be changed by this version"},
		{"storage written otherwise", `{storage: {size: 1Gi}}`, `{storage: {size: 1024Mi}}`, ""},
		{"class changed", `{storage: {size: 1Gi, storageClassName: a}}`, `{storage: {size: 1Gi, storageClassName: b}}`, "storage.storageClassName cannot be changed"},
		{"class removed", `{storage: {size: 1Gi, storageClassName: a}}`, `{storage: {size: 1Gi}}`, "storage.storageClassName cannot be changed"},
		{"retention", `{storage: {size: 1Gi}}`, `{storage: {size: 1Gi, retentionPolicy: Retain}}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := strings.ReplaceAll(test.name, " ", "-")
			before := parseCluster(t, namespace, name, test.before)
			if err := kube.Create(t.Context(), before); err != nil {
				t.Fatal(err)
			}
			after := parseCluster(t, namespace, name, test.after)
			after.SetResourceVersion(before.GetResourceVersion())
			expect(t, kube.Update(t.Context(), after, client.DryRunAll), test.refusal)
		})
	}
}

// The samples are accepted as they are.
func TestCRDSamples(t *testing.T) {
	for _, sample := range []string{"minimal", "leaderboard"} {
		text, err := os.ReadFile("../config/samples/" + sample + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(text, &object.Object); err != nil {
			t.Fatal(err)
		}
		object.SetNamespace(newNamespace(t))
		expect(t, kube.Create(t.Context(), object, client.DryRunAll, client.FieldValidation("Strict")), "")
	}
}
