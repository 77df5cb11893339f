package controllers

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"zset.dev/operator/controllers/tuning"
)

// podFacts is what the pod object itself says. shard is the name of its StatefulSet; updateRevision is empty while that does not
// say which revision its pods should have.
func podFacts(p *corev1.Pod, shard, updateRevision string, now time.Time) pod {
	facts := pod{
		name:        p.Name,
		ordinal:     ordinal(p.Name, shard),
		uid:         p.UID,
		outdated:    updateRevision != "" && p.Labels[appsv1.ControllerRevisionHashLabelKey] != updateRevision,
		terminating: p.DeletionTimestamp != nil,
		machine:     p.Spec.NodeName,
		stuck:       stuck(p, now),
		dead:        dead(p),
	}
	since := p.CreationTimestamp.Time
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			facts.ready = c.Status == corev1.ConditionTrue
			if c.LastTransitionTime.After(since) {
				since = c.LastTransitionTime.Time
			}
		}
	}
	facts.late = !facts.ready && now.Sub(since) >= readyGrace
	// One that ends serves until it has handed over, so it is asked too.
	if p.Status.PodIP != "" && p.Status.Phase == corev1.PodRunning && !facts.dead {
		facts.address = net.JoinHostPort(p.Status.PodIP, strconv.Itoa(tuning.PortRESP))
	}
	return facts
}

// ordinal is the number at the end of the name of a StatefulSet's pod; -1 for another name, which a StatefulSet never gives.
func ordinal(name, set string) int {
	if digits, ok := strings.CutPrefix(name, set+"-"); ok {
		if n, err := strconv.Atoi(digits); err == nil {
			return n
		}
	}
	return -1
}

// waitingStuck are the reasons of a waiting container that do not pass by waiting.
var waitingStuck = []string{
	"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName",
	"CreateContainerConfigError", "CreateContainerError", "RunContainerError",
}

const (
	// unschedulableGrace is for what resolves by itself, such as a volume that is just being made.
	unschedulableGrace = 10 * time.Second
	// readyGrace is how long a pod may take to be ready before a person should know. A copy of much data takes longer: a node
	// that says it gets one is waited for.
	readyGrace = 3 * time.Minute
)

// stuck returns why a pod will not become ready without help, and what to look at; empty when it may.
func stuck(p *corev1.Pod, now time.Time) string {
	for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if w := c.State.Waiting; w != nil && slices.Contains(waitingStuck, w.Reason) {
			look := "kubectl describe pod " + p.Name
			if w.Reason == "CrashLoopBackOff" {
				look = "kubectl logs --previous " + p.Name + " -c " + c.Name
			}
			return fmt.Sprintf("pod %s: %s. See `%s`.", p.Name, w.Reason, look)
		}
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable &&
			now.Sub(c.LastTransitionTime.Time) >= unschedulableGrace {
			return fmt.Sprintf("pod %s cannot be scheduled: %s. Make room, or ask for less in spec.resources or spec.storage.",
				p.Name, strings.TrimSuffix(c.Message, "."))
		}
	}
	return ""
}

// dead tells whether Kubernetes says that no process of the node runs in the pod, so that nothing is in its memory.
func dead(p *corev1.Pod) bool {
	switch p.Status.Phase {
	case corev1.PodRunning:
	case corev1.PodFailed, corev1.PodSucceeded:
		return true
	default:
		if p.Spec.NodeName == "" {
			return true
		}
	}
	for _, c := range p.Status.ContainerStatuses {
		if c.Name == nodeContainer {
			return c.State.Running == nil && (c.State.Waiting != nil || c.State.Terminated != nil)
		}
	}
	return false
}

// nodeContainer is the pod's container that the node runs in.
const nodeContainer = "node"
