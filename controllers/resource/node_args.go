package resource

import (
	"fmt"
	"time"

	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"zset.dev/operator/api/v1alpha1"
)

// Variables by which a pod learns who it is. Arguments refer to them as $(NAME).
const (
	envPod       = "POD_NAME"
	envNamespace = "POD_NAMESPACE"
	envUID       = "POD_UID"
	envIP        = "POD_IP"
)

// args are the node's arguments: its file, then what is one pod's own or can only change with the process. Addresses by
// which others reach it are names: an address is the next pod's tomorrow.
func args(c Cluster, shard int32) []string {
	args := []string{configDir + "/" + nodeConfFile}
	flag := func(directive, value string) { args = append(args, "--"+directive, value) }
	flag("shard", c.LeaseName(shard))
	flag("shard-namespace", ref(envNamespace))
	flag("shard-pod", ref(envPod))
	flag("shard-uid", ref(envUID))
	flag("shard-ip", ref(envIP))
	flag("shard-domain", c.PodDomain())
	flag("shard-service", c.PrimarySliceName())
	flag("shard-owner", fmt.Sprintf("%s/%s/%s/%s", v1alpha1.GroupVersion, v1alpha1.Kind, c.Name, c.UID))
	f := c.Spec.Failover
	flag("lease-duration", milliseconds(f.LeaseDurationSeconds))
	flag("lease-renew-deadline", milliseconds(f.RenewDeadlineSeconds))
	flag("lease-retry-period", milliseconds(f.RetryPeriodSeconds))
	flag("unclean-failover-after", milliseconds(f.UncleanAfterSeconds))
	flag("replica-announce-ip", ref(envPod)+"."+c.PodDomain())
	return args
}

func ref(variable string) string { return "$(" + variable + ")" }

func milliseconds(seconds int32) string {
	return fmt.Sprint((time.Duration(seconds) * time.Second).Milliseconds())
}

// podField is a variable with a field of the pod. The version is what the API server would fill in, see volumeClaim.
func podField(name, path string) *coreac.EnvVarApplyConfiguration {
	return coreac.EnvVar().WithName(name).WithValueFrom(coreac.EnvVarSource().
		WithFieldRef(coreac.ObjectFieldSelector().WithAPIVersion("v1").WithFieldPath(path)))
}
