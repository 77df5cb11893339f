package resource

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/tuning"
)

const (
	configVolume = "config"
	configDir    = "/etc/zset"
	dataVolume   = "data"

	// nobody is the user and group of the node's image.
	nobody = 65532

	// terminationGraceSeconds bounds the graceful stop a node begins at SIGTERM: the hand-over and the replies under way, for
	// which it takes up to its shutdown-timeout, then what it has to write to disk.
	terminationGraceSeconds = tuning.ShutdownTimeoutSeconds + 30

	// safeToEvict tells the cluster autoscaler that a pod with an emptyDir may go: the budget says when, and replicas have
	// the data. It is the same for any number of replicas, as the template must be.
	safeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict"
)

// StatefulSet builds the pods of a shard. Pods are replaced by the operator alone (OnDelete), so that it decides when
// and in which order. Nothing of the tuning, nor the number of replicas, is in the pod's template: a change of these must
// not replace pods.
//
// An error says what of spec.podTemplate cannot be merged.
func StatefulSet(c Cluster, shard int32) (*appsac.StatefulSetApplyConfiguration, error) {
	template, err := override(podTemplate(c, shard), c.Spec.PodTemplate, c.shardSelector(shard))
	if err != nil {
		return nil, err
	}
	spec := appsac.StatefulSetSpec().
		WithReplicas(c.Pods()).
		WithServiceName(c.HeadlessServiceName()).
		WithPodManagementPolicy(appsv1.ParallelPodManagement).
		WithUpdateStrategy(appsac.StatefulSetUpdateStrategy().WithType(appsv1.OnDeleteStatefulSetStrategyType)).
		WithSelector(metaac.LabelSelector().WithMatchLabels(c.shardSelector(shard))).
		WithTemplate(template)
	if s := c.Spec.Storage; s != nil {
		spec.WithVolumeClaimTemplates(volumeClaim(c, s)).
			WithPersistentVolumeClaimRetentionPolicy(retention(s.Retention))
	}
	return appsac.StatefulSet(c.ShardName(shard), c.Namespace).
		WithLabels(c.shardLabels(shard)).
		WithOwnerReferences(c.owner()).
		WithSpec(spec), nil
}

func podTemplate(c Cluster, shard int32) *coreac.PodTemplateSpecApplyConfiguration {
	security := coreac.PodSecurityContext().
		WithRunAsNonRoot(true).
		WithRunAsUser(nobody).
		WithRunAsGroup(nobody).
		WithFSGroup(nobody).
		WithFSGroupChangePolicy(corev1.FSGroupChangeOnRootMismatch).
		WithSeccompProfile(coreac.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault))

	pod := coreac.PodSpec().
		WithServiceAccountName(c.ServiceAccountName()).
		WithAutomountServiceAccountToken(true).
		WithEnableServiceLinks(false).
		WithTerminationGracePeriodSeconds(terminationGraceSeconds).
		WithSecurityContext(security).
		WithAffinity(apart(c, shard)).
		WithTopologySpreadConstraints(
			spread(c, shard, corev1.LabelTopologyZone),
			spread(c, shard, corev1.LabelHostname),
		).
		WithContainers(nodeContainer(c, shard)).
		WithVolumes(coreac.Volume().WithName(configVolume).
			WithConfigMap(coreac.ConfigMapVolumeSource().WithName(c.ConfigMapName())))
	if c.Spec.Storage == nil {
		pod.WithVolumes(coreac.Volume().WithName(dataVolume).WithEmptyDir(coreac.EmptyDirVolumeSource()))
	}
	return coreac.PodTemplateSpec().
		WithLabels(c.shardLabels(shard)).
		WithAnnotations(map[string]string{safeToEvict: "true"}).
		WithSpec(pod)
}

func nodeContainer(c Cluster, shard int32) *coreac.ContainerApplyConfiguration {
	node := coreac.Container().
		WithName(container).
		WithImage(c.image()).
		WithArgs(args(c, shard)...).
		WithEnv(
			podField(envPod, "metadata.name"),
			podField(envNamespace, "metadata.namespace"),
			podField(envUID, "metadata.uid"),
			podField(envIP, "status.podIP"),
		).
		WithPorts(
			containerPort(portRESP, tuning.PortRESP),
			containerPort(portHTTP, tuning.PortHTTP),
		).
		WithResources(resources(c.Spec.Resources)).
		// A node boots within a second; a minute covers a slow machine before the kubelet starts it anew.
		WithStartupProbe(httpProbe("/livez").WithPeriodSeconds(1).WithTimeoutSeconds(1).WithFailureThreshold(60)).
		WithLivenessProbe(httpProbe("/livez").WithPeriodSeconds(10).WithTimeoutSeconds(5).WithFailureThreshold(6)).
		WithReadinessProbe(httpProbe("/readyz").WithPeriodSeconds(2).WithTimeoutSeconds(2).WithFailureThreshold(3)).
		WithSecurityContext(coreac.SecurityContext().
			WithAllowPrivilegeEscalation(false).
			WithReadOnlyRootFilesystem(true).
			WithCapabilities(coreac.Capabilities().WithDrop("ALL"))).
		WithVolumeMounts(
			// The folder, not one file of it: a file mounted by subPath would never see a new version.
			coreac.VolumeMount().WithName(configVolume).WithMountPath(configDir).WithReadOnly(true),
			coreac.VolumeMount().WithName(dataVolume).WithMountPath(tuning.DataDir),
		)
	if c.Spec.ImagePullPolicy != "" {
		node.WithImagePullPolicy(c.Spec.ImagePullPolicy)
	}
	return node
}

func containerPort(name string, port int32) *coreac.ContainerPortApplyConfiguration {
	return coreac.ContainerPort().WithName(name).WithContainerPort(port).WithProtocol(corev1.ProtocolTCP)
}

func httpProbe(path string) *coreac.ProbeApplyConfiguration {
	return coreac.Probe().WithHTTPGet(coreac.HTTPGetAction().WithPath(path).WithPort(intstr.FromString(portHTTP)))
}

// resources passes on what the spec asks for; what it leaves out stays out, so that Kubernetes' own defaults apply.
func resources(r corev1.ResourceRequirements) *coreac.ResourceRequirementsApplyConfiguration {
	ac := coreac.ResourceRequirements()
	if len(r.Requests) > 0 {
		ac.WithRequests(r.Requests)
	}
	if len(r.Limits) > 0 {
		ac.WithLimits(r.Limits)
	}
	return ac
}

// volumeClaim builds the template of a pod's volume. The list of templates is owned as a whole, so what the API server
// would fill in is written out: else the operator would find its list changed each time it looks.
func volumeClaim(c Cluster, s *v1alpha1.StorageSpec) *coreac.PersistentVolumeClaimApplyConfiguration {
	spec := coreac.PersistentVolumeClaimSpec().
		WithAccessModes(corev1.ReadWriteOnce).
		WithVolumeMode(corev1.PersistentVolumeFilesystem).
		WithResources(coreac.VolumeResourceRequirements().
			WithRequests(corev1.ResourceList{corev1.ResourceStorage: s.Size}))
	if s.StorageClassName != nil {
		spec.WithStorageClassName(*s.StorageClassName)
	}
	claim := coreac.PersistentVolumeClaimApplyConfiguration{}
	return claim.WithName(dataVolume).
		WithLabels(c.selector()).
		WithSpec(spec).
		WithStatus(coreac.PersistentVolumeClaimStatus().WithPhase(corev1.ClaimPending))
}

func retention(r v1alpha1.StorageRetention) *appsac.StatefulSetPersistentVolumeClaimRetentionPolicyApplyConfiguration {
	policy := func(p v1alpha1.RetentionPolicy, otherwise v1alpha1.RetentionPolicy) appsv1.PersistentVolumeClaimRetentionPolicyType {
		return appsv1.PersistentVolumeClaimRetentionPolicyType(cmp.Or(p, otherwise))
	}
	return appsac.StatefulSetPersistentVolumeClaimRetentionPolicy().
		WithWhenDeleted(policy(r.WhenDeleted, v1alpha1.RetentionDelete)).
		WithWhenScaled(policy(r.WhenScaled, v1alpha1.RetentionRetain))
}
