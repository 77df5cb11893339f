//go:build integration

package controllers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	kresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"zset.dev/operator/api/v1alpha1"
)

// createCluster makes a cluster as a user would.
func createCluster(t *testing.T, namespace, name string, change func(*v1alpha1.ZSetClusterSpec)) *v1alpha1.ZSetCluster {
	t.Helper()
	cluster := &v1alpha1.ZSetCluster{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	cluster.Spec.Replicas = ptr.To[int32](0)
	change(&cluster.Spec)
	if err := kube.Create(t.Context(), cluster); err != nil {
		t.Fatal(err)
	}
	return cluster
}

func asIs(*v1alpha1.ZSetClusterSpec) {}

// patchCluster changes a cluster's spec as `kubectl patch` would.
func patchCluster(t *testing.T, cluster *v1alpha1.ZSetCluster, patch string) {
	t.Helper()
	if err := kube.Patch(t.Context(), cluster, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		t.Fatal(err)
	}
}

// waitCondition waits until a condition is as wanted for the current spec, and returns the cluster.
func waitCondition(t *testing.T, cluster *v1alpha1.ZSetCluster, kind string, status metav1.ConditionStatus, reason string) *v1alpha1.ZSetCluster {
	t.Helper()
	now := &v1alpha1.ZSetCluster{}
	eventually(t, func() error {
		if err := kube.Get(t.Context(), client.ObjectKeyFromObject(cluster), now); err != nil {
			return err
		}
		c := meta.FindStatusCondition(now.Status.Conditions, kind)
		if c == nil || c.Status != status || c.Reason != reason || c.ObservedGeneration != now.Generation {
			return fmt.Errorf("condition %s is not %s with reason %s: %+v", kind, status, reason, now.Status.Conditions)
		}
		return nil
	})
	return now
}

func conditionMessage(c *v1alpha1.ZSetCluster, kind string) string {
	return meta.FindStatusCondition(c.Status.Conditions, kind).Message
}

// waitEvent waits for an event about the cluster whose note contains text.
func waitEvent(t *testing.T, cluster *v1alpha1.ZSetCluster, reason, text string) {
	t.Helper()
	eventually(t, func() error {
		var list eventsv1.EventList
		if err := kube.List(t.Context(), &list, client.InNamespace(cluster.Namespace)); err != nil {
			return err
		}
		var seen []string
		for _, e := range list.Items {
			if e.Regarding.UID == cluster.UID && e.Reason == reason && strings.Contains(e.Note, text) {
				return nil
			}
			seen = append(seen, e.Reason+": "+e.Note)
		}
		return fmt.Errorf("no event %s with %q among%s", reason, text, lines(seen))
	})
}

// nothingWritten lets the operator look several times and fails if it wrote anything after it had taken up what just happened.
func nothingWritten(t *testing.T, o *operator) {
	t.Helper()
	nothingWrittenBut(t, o, "")
}

// nothingWrittenBut does so for all but writes to paths that end in a word, and to events.
func nothingWrittenBut(t *testing.T, o *operator, word string) {
	t.Helper()
	before, talks := o.writes.all(), o.talks.value()
	eventually(t, func() error {
		if o.talks.value() < talks+5 {
			return fmt.Errorf("the operator looked %d times", o.talks.value()-talks)
		}
		return nil
	})
	after := slices.DeleteFunc(o.writes.all()[len(before):], func(w string) bool {
		return word != "" && (strings.HasSuffix(w, word) || strings.HasSuffix(w, "/events"))
	})
	if len(after) > 0 {
		t.Fatalf("an unchanged cluster was written to:%s", lines(after))
	}
}

// podTemplate has what the API server would fill in, in places that are owned as a whole.
const podTemplate = `
metadata: {labels: {team: games}, annotations: {example.org/a: b}}
spec:
  nodeSelector: {disk: fast}
  tolerations: [{key: dedicated, operator: Equal, value: cache, effect: NoSchedule}]
  securityContext: {fsGroup: 1000}
  affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: zone, operator: In, values: [a]}]}}]}}
  topologySpreadConstraints: [{topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, maxSkew: 1}]
  volumes:
  - {name: secrets, secret: {secretName: tls}}
  - {name: token, projected: {sources: [{serviceAccountToken: {path: token}}, {downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}]}}
  - {name: about, downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}
  initContainers: [{name: first, image: busybox, command: [echo]}]
  containers:
  - name: node
    env:
    - {name: HOST, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
    - {name: LIMIT, valueFrom: {resourceFieldRef: {resource: limits.memory}}}
    volumeMounts: [{name: secrets, mountPath: /tls, readOnly: true}]
  - name: exporter
    image: example.org/exporter:v1
    ports: [{containerPort: 9000, protocol: TCP}]
    livenessProbe: {httpGet: {port: 9000}}
    resources: {limits: {memory: 32Mi}}
`

func TestReadyAndUnchanged(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*v1alpha1.ZSetClusterSpec)
	}{
		{"defaults", asIs},
		{"no resources", func(s *v1alpha1.ZSetClusterSpec) {
			s.Resources = corev1.ResourceRequirements{Requests: corev1.ResourceList{}}
		}},
		{"quantities in other notations, own image", func(s *v1alpha1.ZSetClusterSpec) {
			s.Image, s.ImagePullPolicy = "zset.dev/node:other", corev1.PullAlways
			s.Resources = corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": kresource.MustParse("1000m"), "memory": kresource.MustParse("1024Mi")},
				Limits:   corev1.ResourceList{"cpu": kresource.MustParse("2000m"), "memory": kresource.MustParse("0.5e10")},
			}
		}},
		{"everything beside the operator's own pods", func(s *v1alpha1.ZSetClusterSpec) {
			s.PodTemplate = &v1alpha1.PodTemplateSpec{}
			if err := yaml.UnmarshalStrict([]byte(podTemplate), s.PodTemplate); err != nil {
				panic(err)
			}
		}},
		{"storage", func(s *v1alpha1.ZSetClusterSpec) {
			s.Storage = &v1alpha1.StorageSpec{Size: kresource.MustParse("1024Mi"), StorageClassName: ptr.To("fast"),
				Retention: v1alpha1.StorageRetention{WhenDeleted: v1alpha1.RetentionRetain}}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			namespace := newNamespace(t)
			k := newKubelet(t, namespace, "board")
			o := startOperator(t, namespace, k.address)
			cluster := createCluster(t, namespace, "board", test.change)
			waitCondition(t, cluster, "Ready", "False", "PodMissing")
			k.start("one")
			cluster = waitCondition(t, cluster, "Ready", "True", "Serving")
			cluster = waitCondition(t, cluster, "ConfigApplied", "True", "Applied")
			cluster = waitCondition(t, cluster, "Progressing", "False", "Settled")
			cluster = waitCondition(t, cluster, "Degraded", "False", "AsExpected")
			waitEvent(t, cluster, "Created", "StatefulSet board-s0")
			waitEvent(t, cluster, "Ready", "serves")
			nothingWritten(t, o)

			// A new operator finds everything as it is.
			o.stop()
			again := startOperator(t, namespace, k.address)
			nothingWritten(t, again)
			if list := again.writes.all(); len(list) > 0 {
				t.Fatalf("a restarted operator wrote:%s", lines(list))
			}
		})
	}
}

func TestStatusAndOwnedObjects(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	startOperator(t, namespace, k.address)
	cluster := createCluster(t, namespace, "board", asIs)
	k.start("one")
	cluster = waitCondition(t, cluster, "Ready", "True", "Serving")

	status := cluster.Status
	if status.ObservedGeneration != cluster.Generation || status.ReadyShards != "1/1" || status.Primary != "board-s0-0" ||
		status.Endpoint != "board."+namespace+".svc.cluster.local:6379" ||
		!equality.Semantic.DeepEqual(status.Shards, []v1alpha1.ShardStatus{{Name: "board-s0", Primary: "board-s0-0", Ready: true,
			Members: []v1alpha1.MemberStatus{{Pod: "board-s0-0", Role: v1alpha1.RolePrimary, InSync: true, UpToDate: true, Ready: true}}}}) {
		t.Errorf("status: %+v", status)
	}
	for _, owned := range []struct {
		name   string
		object client.Object
	}{
		{"board-node", &corev1.ServiceAccount{}},
		{"board-node", &rbacv1.Role{}},
		{"board-node", &rbacv1.RoleBinding{}},
		{"board-config", &corev1.ConfigMap{}},
		{"board-nodes", &corev1.Service{}},
		{"board", &corev1.Service{}},
		{"board-primary", &discoveryv1.EndpointSlice{}},
		{"board-ro", &corev1.Service{}},
		{"board-s0", &appsv1.StatefulSet{}},
		{"board-s0", &policyv1.PodDisruptionBudget{}},
	} {
		if err := k.get(owned.name, owned.object); err != nil {
			t.Error(err)
		} else if !metav1.IsControlledBy(owned.object, cluster) {
			t.Errorf("%T %s would not be deleted with its cluster", owned.object, owned.name)
		}
	}
}

func TestTuningGoesLive(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	startOperator(t, namespace, k.address)
	cluster := createCluster(t, namespace, "board", asIs)
	k.start("one")
	cluster = waitCondition(t, cluster, "ConfigApplied", "True", "Applied")
	pod := &corev1.Pod{}
	if err := k.get(k.podName(), pod); err != nil {
		t.Fatal(err)
	}
	if p := k.config("zset-skiplist-p"); p != "1/e" {
		t.Errorf("booted with p %s", p)
	}

	began := time.Now()
	patchCluster(t, cluster, `{"spec":{"engine":{"skipList":{"p":"0.250","maxLevel":20,"blockEntries":128},"listpack":{"maxEntries":4,"maxValueBytes":8},"maxMemory":"256Mi","evictionPolicy":"allkeys-lru"}}}`)
	cluster = waitCondition(t, cluster, "ConfigApplied", "True", "Applied")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("patch to ConfigApplied took %v, want at most 5 s", took)
	} else {
		t.Logf("patch to ConfigApplied: %v", took)
	}
	for name, want := range map[string]string{
		"zset-skiplist-p": "0.25", "zset-skiplist-max-level": "20", "zset-skiplist-block-entries": "128", "zset-max-listpack-entries": "4", "zset-max-listpack-value": "8", "maxmemory": "268435456",
		"maxmemory-policy": "allkeys-lru",
	} {
		if got := k.config(name); got != want {
			t.Errorf("the node has %s %s, want %s", name, got, want)
		}
	}
	waitEvent(t, cluster, "ConfigApplied", "confirmed zset-skiplist-p 0.25")

	var config corev1.ConfigMap
	if err := k.get("board-config", &config); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(config.Data["node.conf"], "zset-skiplist-p 0.25\n") {
		t.Errorf("a node that boots later would not have p 0.25:\n%s", config.Data["node.conf"])
	}
	after := &corev1.Pod{}
	if err := k.get(k.podName(), after); err != nil || after.UID != pod.UID {
		t.Errorf("the pod was replaced (%v)", err)
	}
}
