//go:build integration

package controllers

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestNodeThatDoesNotAnswer(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	startOperator(t, namespace, k.address)
	cluster := createCluster(t, namespace, "board", asIs)
	k.start("one")
	waitCondition(t, cluster, "Ready", "True", "Serving")

	k.kill() // while Kubernetes still takes the pod for ready
	waitCondition(t, cluster, "Ready", "False", "NodeUnreachable")
	waitCondition(t, cluster, "ConfigApplied", "False", "NodeUnreachable")
	cluster = waitCondition(t, cluster, "Degraded", "True", "NodeUnreachable")
	if message := conditionMessage(cluster, "Degraded"); !strings.Contains(message, "connection refused") || !strings.Contains(message, "port 6379") {
		t.Errorf("Degraded does not help: %s", message)
	}
	if cluster.Status.Primary != "" || cluster.Status.ReadyShards != "0/1" {
		t.Errorf("status claims a primary: %+v", cluster.Status)
	}

	// Meanwhile the tuning changes; the node gets it from its file when it is back.
	patchCluster(t, cluster, `{"spec":{"engine":{"listpack":{"maxEntries":7}}}}`)
	waitCondition(t, cluster, "ConfigApplied", "False", "NodeUnreachable")
	k.boot()
	waitCondition(t, cluster, "Ready", "True", "Serving")
	waitCondition(t, cluster, "ConfigApplied", "True", "Applied")
	if n := k.config("zset-max-listpack-entries"); n != "7" {
		t.Errorf("the node came back with %s entries", n)
	}
	waitEvent(t, cluster, "Recovered", "")
}

// A node that answers with an error is told apart from one that does not answer.
func TestNodeThatRefusesTheOperator(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	startOperator(t, namespace, k.address)
	cluster := createCluster(t, namespace, "board", asIs)
	k.settle("one")
	k.createPod("one")
	k.run("--requirepass", "secret")
	k.setPod(running(true))
	eventually(t, func() error {
		cluster = waitCondition(t, cluster, "Degraded", "True", "NodeUnreachable")
		if message := conditionMessage(cluster, "Degraded"); !strings.Contains(message, "NOAUTH") {
			return fmt.Errorf("Degraded lacks the node's words: %s", message)
		}
		return nil
	})
}

func TestPodThatIsStuck(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	startOperator(t, namespace, k.address)
	cluster := createCluster(t, namespace, "board", asIs)
	k.settle("one")
	k.createPod("one")
	waitCondition(t, cluster, "Ready", "False", "PodNotReady")
	waitCondition(t, cluster, "ConfigApplied", "False", "Pending")
	k.setPod(func(s *corev1.PodStatus) {
		s.ContainerStatuses = []corev1.ContainerStatus{{Name: "node", State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
	})
	cluster = waitCondition(t, cluster, "Degraded", "True", "PodStuck")
	waitEvent(t, cluster, "PodStuck", "kubectl describe pod board-s0-0")
}
