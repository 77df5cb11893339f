package controllers

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// leavingTaints are what announces that a Kubernetes node is about to go away, or is to be emptied, and how to say so.
var leavingTaints = map[string]string{
	corev1.TaintNodeUnschedulable:                            "is cordoned",
	corev1.TaintNodeOutOfService:                             "is out of service",
	"ToBeDeletedByClusterAutoscaler":                         "is about to be removed by the cluster autoscaler",
	"karpenter.sh/disrupted":                                 "is about to be removed by Karpenter",
	"karpenter.sh/disruption":                                "is about to be removed by Karpenter",
	"node.cloudprovider.kubernetes.io/shutdown":              "is being shut down",
	"cloud.google.com/impending-node-termination":            "is about to be shut down",
	"aws-node-termination-handler/spot-itn":                  "is about to be taken back",
	"aws-node-termination-handler/asg-lifecycle-termination": "is about to be removed",
	"aws-node-termination-handler/scheduled-maintenance":     "is about to be maintained",
	"aws-node-termination-handler/rebalance-recommendation":  "is likely to be taken back",
}

// leaving says why a Kubernetes node is about to go away; empty when it is not.
func leaving(n *corev1.Node) string {
	switch {
	case n.DeletionTimestamp != nil:
		return "is being deleted"
	case n.Spec.Unschedulable:
		return leavingTaints[corev1.TaintNodeUnschedulable]
	}
	i := slices.IndexFunc(n.Spec.Taints, func(t corev1.Taint) bool { return leavingTaints[t.Key] != "" })
	if i < 0 {
		return ""
	}
	return leavingTaints[n.Spec.Taints[i].Key]
}

// machineLeaving looks at the Kubernetes node of a pod. One that is not there any more has left.
func (r *Reconciler) machineLeaving(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	var n corev1.Node
	err := r.Client.Get(ctx, types.NamespacedName{Name: name}, &n)
	if apierrors.IsNotFound(err) {
		return "is gone", nil
	}
	if err != nil {
		return "", fmt.Errorf("read Kubernetes node %s: %w", name, err)
	}
	return leaving(&n), nil
}
