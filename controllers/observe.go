package controllers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/resource"
	"zset.dev/operator/controllers/tuning"
)

// observe looks at the StatefulSets and pods of a cluster and asks each running node for its configuration.
func (r *Reconciler) observe(ctx context.Context, c resource.Cluster, done applied) ([]shard, error) {
	var pods corev1.PodList
	err := r.Client.List(ctx, &pods, client.InNamespace(c.Namespace), client.MatchingLabels{resource.LabelCluster: c.Name})
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	slices.SortFunc(pods.Items, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })

	shards := make([]shard, max(c.Spec.Shards, 0)) // a spec that was not validated may hold anything
	for i := range shards {
		name := c.ShardName(int32(i))
		shards[i] = shard{name: name, settling: true}
		var set appsv1.StatefulSet
		err := r.Client.Get(ctx, types.NamespacedName{Namespace: c.Namespace, Name: name}, &set)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read StatefulSet %s: %w", name, err)
		}
		if whose(c.ZSetCluster, &set) != ours {
			continue
		}
		shards[i].settling = done.touched("StatefulSet "+name) || set.Status.ObservedGeneration < set.Generation
		for _, p := range pods.Items {
			if metav1.IsControlledBy(&p, &set) {
				shards[i].pods = append(shards[i].pods, r.askNode(ctx, podFacts(&p, set.Status.UpdateRevision, r.Now())))
			}
		}
	}
	return shards, nil
}

// podFacts is what the pod object itself says.
func podFacts(p *corev1.Pod, updateRevision string, now time.Time) pod {
	facts := pod{
		name:        p.Name,
		uid:         p.UID,
		outdated:    p.Labels[appsv1.ControllerRevisionHashLabelKey] != updateRevision,
		terminating: p.DeletionTimestamp != nil,
		stuck:       stuck(p, now),
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			facts.ready = c.Status == corev1.ConditionTrue
		}
	}
	if p.Status.PodIP != "" && p.Status.Phase == corev1.PodRunning && !facts.terminating {
		facts.address = net.JoinHostPort(p.Status.PodIP, strconv.Itoa(tuning.PortRESP))
	}
	return facts
}

// waitingStuck are the reasons of a waiting container that do not pass by waiting.
var waitingStuck = []string{
	"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName",
	"CreateContainerConfigError", "CreateContainerError", "RunContainerError",
}

// unschedulableGrace is for what resolves by itself, such as a volume that is just being made.
const unschedulableGrace = 10 * time.Second

// stuck returns why a pod will not become ready without help, and what to look at; empty when it may.
func stuck(p *corev1.Pod, now time.Time) string {
	for _, c := range p.Status.ContainerStatuses {
		if w := c.State.Waiting; w != nil && slices.Contains(waitingStuck, w.Reason) {
			look := "kubectl describe pod " + p.Name
			if w.Reason == "CrashLoopBackOff" {
				look = "kubectl logs --previous " + p.Name
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

// askNode adds what the pod's node says. Only a running one is asked; that it does not answer is a fact, not an error.
func (r *Reconciler) askNode(ctx context.Context, p pod) pod {
	if p.address == "" {
		return p
	}
	err := r.converse(ctx, p.address, func(ctx context.Context, node noderesp.Conn) (err error) {
		p.config, err = node.ConfigGet(ctx, tuning.Managed)
		return err
	})
	p.answered = err == nil
	if err != nil {
		p.silence = noderesp.Explain(err)
	}
	return p
}

// converse dials a node, has f talk to it, and hangs up.
func (r *Reconciler) converse(ctx context.Context, address string, f func(context.Context, noderesp.Conn) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*noderesp.Timeout)
	defer cancel()
	if r.NodeAddress != nil {
		address = r.NodeAddress(address)
	}
	node, err := r.Dial(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, node.Close()) }()
	return f(ctx, node)
}
