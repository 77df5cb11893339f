//go:build integration

package controllers

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/tuning"
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
		oneShard  = "this version serves one shard"
		memory    = `maxMemory must be a percentage of resources.limits.memory from "1%" to "100%", or an amount of at least 1Mi such as "2Gi"`
		needs     = `engine.maxMemory as a percentage needs resources.limits.memory`
		noRequest = "resources.requests must not exceed resources.limits"
		noRoom    = "does not fit into resources.limits.memory: beside its data a node needs"
		preferred = "failover.preferredPrimary must be the name of one of the cluster's pods: <name>-s0-<0 to replicas>"

		needsStorage    = "durability.persistence.mode AppendOnly needs storage"
		needsAppendOnly = "durability.persistence.fsync needs storage and mode AppendOnly"
		ownContainer    = `of the container "node" only env, envFrom, volumeMounts`
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
		{`{replicas: 9}`, ""},
		{`{replicas: 10}`, "should be less than or equal to 9"},
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
		{`{engine: {maxMemory: "1Gi"}}`, noRoom},
		{`{engine: {maxMemory: "1Gi"}, resources: {limits: {memory: 1073741824}}}`, noRoom},
		{`{engine: {maxMemory: "512Mi"}, resources: {limits: {memory: 1073741824}}}`, ""},
		{`{resources: {limits: {memory: 32Mi}}}`, noRoom},
		{`{engine: {maxMemory: "50%"}, resources: {limits: {memory: 32Mi}}}`, noRoom},
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
		{`{storage: {size: 1Gi, storageClassName: "", retention: {whenDeleted: Retain, whenScaled: Delete}}}`, ""},
		{`{storage: {}}`, "spec.storage.size: Required value"},
		{`{storage: {size: 0}}`, "storage.size must be greater than zero"},
		{`{storage: {size: 1Gi, retention: {whenDeleted: Keep}}}`, `supported values: "Delete", "Retain"`},

		{`{durability: {minSyncReplicas: 1}}`, ""},
		{`{replicas: 2, durability: {minSyncReplicas: 2}}`, ""},
		{`{durability: {minSyncReplicas: 2}}`, "durability.minSyncReplicas must not exceed replicas"},
		{`{replicas: 0, durability: {minSyncReplicas: 1}}`, "durability.minSyncReplicas must not exceed replicas"},
		{`{durability: {minSyncReplicas: -1}}`, "should be greater than or equal to 0"},
		{`{durability: {persistence: {mode: None}}}`, ""},
		{`{durability: {persistence: {}}}`, ""},
		{`{durability: {persistence: {mode: AppendOnly}}}`, needsStorage},
		{`{durability: {persistence: {fsync: Always}}}`, needsAppendOnly},
		{`{storage: {size: 1Gi}, durability: {persistence: {mode: AppendOnly}}}`, ""},
		{`{storage: {size: 1Gi}, durability: {persistence: {mode: AppendOnly, fsync: Never}}}`, ""},
		{`{storage: {size: 1Gi}, durability: {persistence: {fsync: Always}}}`, ""},
		{`{storage: {size: 1Gi}, durability: {persistence: {mode: None}}}`, ""},
		{`{storage: {size: 1Gi}, durability: {persistence: {mode: None, fsync: Always}}}`, needsAppendOnly},
		{`{storage: {size: 1Gi}, durability: {persistence: {mode: Snapshot}}}`, `supported values: "None", "AppendOnly"`},
		{`{storage: {size: 1Gi}, durability: {persistence: {fsync: Sometimes}}}`, `supported values: "Always", "EverySecond", "Never"`},

		{`{failover: {leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2, uncleanAfterSeconds: 30}}`, ""},
		{`{failover: {leaseDurationSeconds: 5, renewDeadlineSeconds: 4}}`, ""},
		{`{failover: {leaseDurationSeconds: 4, renewDeadlineSeconds: 4}}`, "failover.leaseDurationSeconds must be at least 1.25 times renewDeadlineSeconds"},
		{`{failover: {leaseDurationSeconds: 6, renewDeadlineSeconds: 5}}`, "failover.leaseDurationSeconds must be at least 1.25 times renewDeadlineSeconds"},
		{`{failover: {retryPeriodSeconds: 2}}`, ""},
		{`{failover: {retryPeriodSeconds: 3}}`, "failover.renewDeadlineSeconds must be at least twice retryPeriodSeconds"},
		{`{failover: {retryPeriodSeconds: 0}}`, "should be greater than or equal to 1"},
		{`{failover: {leaseDurationSeconds: 2147483647}}`, "should be less than or equal to 3600"},
		{`{failover: {uncleanAfterSeconds: 12}}`, ""},
		{`{failover: {uncleanAfterSeconds: 11}}`, "failover.uncleanAfterSeconds must be 0 (never) or at least twice leaseDurationSeconds"},
		{`{failover: {uncleanAfterSeconds: -1}}`, "should be greater than or equal to 0"},
		{`{failover: {preferredPrimary: board-s0-0}}`, ""},
		{`{failover: {preferredPrimary: board-s0-1}}`, ""},
		{`{failover: {preferredPrimary: board-s0-2}}`, preferred},
		{`{failover: {preferredPrimary: board-s1-0}}`, preferred},
		{`{failover: {preferredPrimary: board-s0-}}`, preferred},
		{`{failover: {preferredPrimary: board-s0-00}}`, preferred},
		{`{failover: {preferredPrimary: boards}}`, preferred},
		{`{failover: {preferredPrimary: other-s0-0}}`, preferred},

		{`{podTemplate: {}}`, ""},
		{`{podTemplate: {metadata: {labels: {team: games}, annotations: {example.org/a: b}}}}`, ""},
		{`{podTemplate: {metadata: {labels: {cache.zset.dev/role: primary}}}}`, "podTemplate.metadata.labels must leave the operator's labels alone"},
		{`{podTemplate: {metadata: {labels: {app.kubernetes.io/name: mine}}}}`, "podTemplate.metadata.labels must leave the operator's labels alone"},
		{`{podTemplate: {metadata: {annotations: {cache.zset.dev/paused: "true"}}}}`, "podTemplate.metadata.annotations must leave cache.zset.dev/* to the operator"},
		{`{podTemplate: {spec: {nodeSelector: {disk: fast}, priorityClassName: high, tolerations: [{key: a, operator: Exists}]}}}`, ""},
		{`{podTemplate: {spec: {tolerations: {key: a}}}}`, "must be of type array"},
		{`{podTemplate: {spec: {topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: DoNotSchedule, maxSkew: 1}]}}}`, ""},
		{`{podTemplate: {spec: {topologySpreadConstraints: [{topologyKey: zone}]}}}`, "maxSkew: Required value"},
		{`{podTemplate: {spec: {containers: [{name: node, env: [{name: A, value: b}], volumeMounts: [{name: x, mountPath: /x}]}], volumes: [{name: x, emptyDir: {}}]}}}`, ""},
		{`{podTemplate: {spec: {containers: [{name: exporter, image: e, command: [run], ports: [{containerPort: 1}], resources: {limits: {memory: 1Mi}}}]}}}`, ""},
		{`{podTemplate: {spec: {containers: [{image: e}]}}}`, "name: Required value"},
		{`{podTemplate: {spec: {containers: [{name: node, command: [run]}]}}}`, ownContainer},
		{`{podTemplate: {spec: {containers: [{name: node, args: [run]}]}}}`, ownContainer},
		{`{podTemplate: {spec: {containers: [{name: node, image: mine}]}}}`, ownContainer},
		{`{podTemplate: {spec: {containers: [{name: node, ports: [{containerPort: 1}]}]}}}`, ownContainer},
		{`{podTemplate: {spec: {containers: [{name: node, livenessProbe: {periodSeconds: 1}}]}}}`, ownContainer},
		{`{podTemplate: {spec: {containers: [{name: node, lifecycle: {}}]}}}`, ownContainer},
		{`{podTemplate: {spec: {containers: [{name: node, resources: {limits: {memory: 1Gi}}}]}}}`, `resources of the container "node" belong into spec.resources`},
		{`{podTemplate: {spec: {initContainers: [{name: node, image: e}]}}}`, "podTemplate.spec.initContainers"},
		{`{podTemplate: {spec: {volumes: [{name: data, emptyDir: {}}]}}}`, `"config" and "data" are the operator's`},
	} {
		t.Run(test.spec, func(t *testing.T) {
			object := parseCluster(t, namespace, "board", test.spec)
			expect(t, kube.Create(t.Context(), object, client.DryRunAll), test.refusal)
		})
	}
}

// The API server divides memory as the operator does, to the byte.
func TestCRDMemory(t *testing.T) {
	namespace := newNamespace(t)
	for _, limit := range []string{"64Mi", "100Mi", "128Mi", "511Mi", "512Mi", "1Gi", "2Gi", "3Gi", "100Gi", "1000000001"} {
		for _, rest := range []string{"", ", storage: {size: 1Gi}", ", storage: {size: 1Gi}, durability: {persistence: {mode: None}}"} {
			var c v1alpha1.ZSetCluster
			spec := fmt.Sprintf("{resources: {limits: {memory: %q}}, engine: {maxMemory: \"100%%\"}%s}", limit, rest)
			text := parseCluster(t, namespace, "board", spec)
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(text.Object, &c); err != nil {
				t.Fatal(err)
			}
			memory, err := tuning.MemoryOf(&c.Spec)
			if err != nil {
				expect(t, kube.Create(t.Context(), text, client.DryRunAll), "does not fit into resources.limits.memory")
				continue
			}
			for more, refusal := range map[int64]string{0: "", 1: "does not fit into resources.limits.memory"} {
				spec := strings.ReplaceAll(spec, "100%", fmt.Sprint(memory.Data+more))
				t.Run(spec, func(t *testing.T) {
					expect(t, kube.Create(t.Context(), parseCluster(t, namespace, "board", spec), client.DryRunAll), refusal)
				})
			}
		}
	}
}

// A field that does not exist, or is the operator's, is refused by clients that validate strictly, as kubectl does.
func TestCRDUnknownField(t *testing.T) {
	namespace := newNamespace(t)
	for spec, field := range map[string]string{
		`{replica: 1}`: "spec.replica",
		`{podTemplate: {spec: {toleration: []}}}`:                              "spec.podTemplate.spec.toleration",
		`{podTemplate: {spec: {serviceAccountName: mine}}}`:                    "spec.podTemplate.spec.serviceAccountName",
		`{podTemplate: {spec: {containers: [{name: a, image: b, evn: []}]}}}`:  "spec.podTemplate.spec.containers[0].evn",
		`{podTemplate: {spec: {affinity: {podAntiAffinity: {required: []}}}}}`: "spec.podTemplate.spec.affinity.podAntiAffinity.required",
		`{podTemplate: {spec: {volumes: [{name: a, configMap: {nam: b}}]}}}`:   "spec.podTemplate.spec.volumes[0].configMap.nam",
		`{podTemplate: {metadata: {finalizers: [a]}}}`:                         "spec.podTemplate.metadata.finalizers",
	} {
		err := kube.Create(t.Context(), parseCluster(t, namespace, "board", spec), client.DryRunAll, client.FieldValidation("Strict"))
		expect(t, err, fmt.Sprintf("unknown field %q", field))
	}
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
	const want = `durability:
  minSyncReplicas: 0
engine:
  evictionPolicy: noeviction
  listpack:
    maxEntries: 128
    maxValueBytes: 64
  skipList:
    blockEntries: 64
    maxLevel: 32
    p: 1/e
failover:
  leaseDurationSeconds: 6
  renewDeadlineSeconds: 4
  retryPeriodSeconds: 1
  uncleanAfterSeconds: 0
mode: Replicated
replicas: 1
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
		{"storage grown", `{storage: {size: 1Gi}}`, `{storage: {size: 2Gi}}`, ""},
		{"storage shrunk", `{storage: {size: 1Gi}}`, `{storage: {size: 1023Mi}}`, "storage.size cannot shrink"},
		{"storage written otherwise", `{storage: {size: 1Gi}}`, `{storage: {size: 1024Mi}}`, ""},
		{"class changed", `{storage: {size: 1Gi, storageClassName: a}}`, `{storage: {size: 1Gi, storageClassName: b}}`, "storage.storageClassName cannot be changed"},
		{"class removed", `{storage: {size: 1Gi, storageClassName: a}}`, `{storage: {size: 1Gi}}`, "storage.storageClassName cannot be changed"},
		{"retention", `{storage: {size: 1Gi}}`, `{storage: {size: 1Gi, retention: {whenDeleted: Retain}}}`, ""},
		{"replicas away below the preferred", `{failover: {preferredPrimary: replicas-away-below-the-preferred-s0-1}}`, `{replicas: 0, failover: {preferredPrimary: replicas-away-below-the-preferred-s0-1}}`, "failover.preferredPrimary must be"},
		{"persistence off and on", `{storage: {size: 1Gi}, durability: {persistence: {mode: None}}}`, `{storage: {size: 1Gi}, durability: {persistence: {mode: AppendOnly}}}`, ""},
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
	for _, sample := range []string{"async", "durable", "leaderboard", "minimal", "zones"} {
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
