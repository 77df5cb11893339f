package resource

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/tuning"
)

// override merges what users add to the pods onto the template, as a strategic merge patch. selector is that of the
// shard's pods, for what needs one and has none.
func override(base *coreac.PodTemplateSpecApplyConfiguration, over *v1alpha1.PodTemplateSpec, selector map[string]string) (*coreac.PodTemplateSpecApplyConfiguration, error) {
	if over == nil {
		return base, nil
	}
	if err := checkOverride(over); err != nil {
		return nil, err
	}
	over = over.DeepCopy()
	complete(over, selector)
	baseJSON, err := json.Marshal(base)
	if err != nil {
		return nil, fmt.Errorf("encode the pod template: %w", err)
	}
	overJSON, err := json.Marshal(over)
	if err != nil {
		return nil, fmt.Errorf("encode spec.podTemplate: %w", err)
	}
	merged, err := strategicpatch.StrategicMergePatch(baseJSON, overJSON, corev1.PodTemplateSpec{})
	if err != nil {
		return nil, fmt.Errorf("merge spec.podTemplate: %w", err)
	}
	result := &coreac.PodTemplateSpecApplyConfiguration{}
	if err := json.Unmarshal(merged, result); err != nil {
		return nil, fmt.Errorf("merge spec.podTemplate: %w", err)
	}
	return result, nil
}

// checkOverride refuses what the API server's rules do not see: mounts and variables the node depends on, and, of specs
// stored under other rules, the rest.
func checkOverride(over *v1alpha1.PodTemplateSpec) error {
	own := map[string]bool{envPod: true, envNamespace: true, envUID: true, envIP: true}
	for _, c := range over.Spec.Containers {
		if c.Name != container {
			continue
		}
		if c.Image != "" || c.Command != nil || c.Args != nil || c.Ports != nil || c.LivenessProbe != nil || c.ReadinessProbe != nil ||
			c.StartupProbe != nil || c.Lifecycle != nil || c.Resources.Limits != nil || c.Resources.Requests != nil {
			return fmt.Errorf("spec.podTemplate.spec.containers: image, command, args, ports, probes, lifecycle and resources of the container %q are the operator's", container)
		}
		for _, e := range c.Env {
			if own[e.Name] {
				return fmt.Errorf("spec.podTemplate.spec.containers: the variable %s of the container %q is the operator's", e.Name, container)
			}
		}
		for _, m := range c.VolumeMounts {
			for _, dir := range []string{configDir, tuning.DataDir} {
				if at := path.Clean(m.MountPath); at == dir || strings.HasPrefix(at, dir+"/") || strings.HasPrefix(dir+"/", strings.TrimSuffix(at, "/")+"/") {
					return fmt.Errorf("spec.podTemplate.spec.containers: the mount %s of the container %q would hide the operator's %s; take another path", m.MountPath, container, dir)
				}
			}
		}
	}
	for _, v := range over.Spec.Volumes {
		if v.Name == configVolume || v.Name == dataVolume {
			return fmt.Errorf("spec.podTemplate.spec.volumes: %q is the operator's; take another name", v.Name)
		}
	}
	return nil
}

// complete fills in what would otherwise be missing, or be filled in by the API server in lists and structs that are owned
// as a whole: the operator would find these changed each time it looks.
func complete(over *v1alpha1.PodTemplateSpec, selector map[string]string) {
	for i := range over.Spec.TopologySpreadConstraints {
		if s := &over.Spec.TopologySpreadConstraints[i]; s.LabelSelector == nil {
			s.LabelSelector = &metav1.LabelSelector{MatchLabels: selector}
		}
	}
	for _, containers := range [][]corev1.Container{over.Spec.InitContainers, over.Spec.Containers} {
		for _, c := range containers {
			for _, e := range c.Env {
				if e.ValueFrom != nil {
					completeField(e.ValueFrom.FieldRef)
				}
			}
		}
	}
	for _, v := range over.Spec.Volumes {
		if v.DownwardAPI != nil {
			completeItems(v.DownwardAPI.Items)
		}
		if v.Projected == nil {
			continue
		}
		for _, source := range v.Projected.Sources {
			if source.DownwardAPI != nil {
				completeItems(source.DownwardAPI.Items)
			}
			if token := source.ServiceAccountToken; token != nil && token.ExpirationSeconds == nil {
				token.ExpirationSeconds = ptr.To[int64](60 * 60)
			}
		}
	}
}

func completeItems(items []corev1.DownwardAPIVolumeFile) {
	for _, item := range items {
		completeField(item.FieldRef)
	}
}

func completeField(f *corev1.ObjectFieldSelector) {
	if f != nil && f.APIVersion == "" {
		f.APIVersion = "v1"
	}
}
