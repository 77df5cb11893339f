package resource

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"zset.dev/operator/api/v1alpha1"
)

// overridden is a cluster with a podTemplate, as users write it.
func overridden(t *testing.T, text string) Cluster {
	t.Helper()
	c := board()
	c.Spec.PodTemplate = &v1alpha1.PodTemplateSpec{}
	if err := yaml.UnmarshalStrict([]byte(text), c.Spec.PodTemplate); err != nil {
		t.Fatal(err)
	}
	return c
}

const everyOverride = `
metadata:
  labels: {team: games}
  annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: "false", example.org/scrape: "yes"}
spec:
  nodeSelector: {disk: fast}
  priorityClassName: high
  schedulerName: mine
  runtimeClassName: gvisor
  imagePullSecrets: [{name: registry}]
  tolerations: [{key: dedicated, operator: Equal, value: cache, effect: NoSchedule}]
  securityContext: {fsGroup: 1000, sysctls: [{name: net.core.somaxconn, value: "1024"}]}
  hostAliases: [{ip: 10.1.2.3, hostnames: [mirror]}]
  dnsConfig: {options: [{name: ndots, value: "2"}]}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a, b, c]}]}]
  topologySpreadConstraints:
  - {topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, maxSkew: 1}
  - {topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, maxSkew: 2}
  volumes: [{name: secrets, secret: {secretName: tls}}]
  initContainers: [{name: first, image: busybox, command: [echo]}]
  containers:
  - name: node
    env: [{name: GOMAXPROCS, value: "4"}, {name: HOST, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
    volumeMounts: [{name: secrets, mountPath: /tls, readOnly: true}]
  - name: exporter
    image: example.org/exporter:v1
    ports: [{containerPort: 9000, protocol: TCP}]
    resources: {limits: {memory: 32Mi}}
`

func TestStatefulSetOverridden(t *testing.T) {
	golden(t, "stateful_set_overridden", set(t, overridden(t, everyOverride), 0))
}

// What is merged, by what is the subject of each rule.
func TestOverrideMerges(t *testing.T) {
	template := set(t, overridden(t, everyOverride), 0).Spec.Template
	if template.Labels[LabelShard] != "0" || template.Labels["team"] != "games" {
		t.Errorf("labels %v", template.Labels)
	}
	pod := template.Spec
	if pod.Affinity.PodAntiAffinity == nil || pod.Affinity.NodeAffinity == nil {
		t.Error("nodeAffinity has replaced the operator's anti-affinity")
	}
	if *pod.SecurityContext.FSGroup != 1000 || !*pod.SecurityContext.RunAsNonRoot {
		t.Error("the security context is not merged")
	}
	zone := 0
	for _, s := range pod.TopologySpreadConstraints {
		if s.LabelSelector == nil || s.LabelSelector.MatchLabels[LabelCluster] != "board" {
			t.Errorf("constraint of %s is about other pods", *s.TopologyKey)
		}
		if *s.TopologyKey == corev1.LabelTopologyZone {
			zone++
		}
	}
	if zone == 0 {
		t.Error("no constraint of zones")
	}
	for _, c := range pod.Containers {
		if *c.Name == container && (len(c.Args) == 0 || *c.Image != "zset.dev/node:dev" || len(c.Env) != 6) {
			t.Errorf("node: image %s, args %v, %d variables", *c.Image, c.Args, len(c.Env))
		}
	}
}

// An empty podTemplate changes nothing, or adding one would replace pods for nothing.
func TestOverrideOfNothing(t *testing.T) {
	a, err := yaml.Marshal(set(t, board(), 0))
	if err != nil {
		t.Fatal(err)
	}
	b, err := yaml.Marshal(set(t, overridden(t, "{}"), 0))
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s\nbecame\n%s", a, b)
	}
}

func TestOverrideRefused(t *testing.T) {
	for spec, want := range map[string]string{
		`containers: [{name: node, image: mine}]`:                                            "are the operator's",
		`containers: [{name: node, args: [a]}]`:                                              "are the operator's",
		`containers: [{name: node, command: [a]}]`:                                           "are the operator's",
		`containers: [{name: node, ports: [{containerPort: 1}]}]`:                            "are the operator's",
		`containers: [{name: node, resources: {limits: {memory: 1Gi}}}]`:                     "are the operator's",
		`containers: [{name: node, readinessProbe: {periodSeconds: 9}}]`:                     "are the operator's",
		`containers: [{name: node, env: [{name: POD_UID, value: x}]}]`:                       "the variable POD_UID",
		`containers: [{name: node, volumeMounts: [{name: x, mountPath: /data}]}]`:            "the mount /data",
		`containers: [{name: node, volumeMounts: [{name: x, mountPath: /data/}]}]`:           "the mount /data/",
		`containers: [{name: node, volumeMounts: [{name: x, mountPath: /data/more}]}]`:       "the mount /data/more",
		`containers: [{name: node, volumeMounts: [{name: x, mountPath: /etc}]}]`:             "the mount /etc",
		`containers: [{name: node, volumeMounts: [{name: x, mountPath: /}]}]`:                "the mount /",
		`containers: [{name: node, volumeMounts: [{name: x, mountPath: /etc/../etc/zset}]}]`: "the mount /etc/../etc/zset",
		`volumes: [{name: data, emptyDir: {}}]`:                                              `"data" is the operator's`,
	} {
		_, err := StatefulSet(overridden(t, "spec: {"+spec+"}"), 0)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "spec.podTemplate.") {
			t.Errorf("%s: error %v does not say %q", spec, err, want)
		}
	}
	for _, spec := range []string{
		`containers: [{name: node, volumeMounts: [{name: x, mountPath: /database}]}]`,
		`containers: [{name: node, volumeMounts: [{name: x, mountPath: /etc/ssl}]}]`,
		`containers: [{name: other, image: x, args: [a], volumeMounts: [{name: data, mountPath: /data}]}]`,
	} {
		if _, err := StatefulSet(overridden(t, "spec: {"+spec+"}"), 0); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
