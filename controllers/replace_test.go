//go:build integration

package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// A new image changes the template: the pod of the old one is deleted, once, and its successor spared.
func TestOutdatedPodIsReplaced(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	o := startOperator(t, namespace, k.address)
	cluster := createCluster(t, namespace, "board", asIs)
	k.start("one")
	waitCondition(t, cluster, "Progressing", "False", "Settled")
	old := &corev1.Pod{}
	if err := k.get(k.podName(), old); err != nil {
		t.Fatal(err)
	}

	// The template changes, but its controller has not said so yet: nothing may be deleted on a guess.
	patchCluster(t, cluster, `{"spec":{"image":"zset.dev/node:next"}}`)
	waitCondition(t, cluster, "Progressing", "True", "WaitingForPods")
	nothingWrittenBut(t, o, "/status")

	k.settle("two")
	k.podGone(old.UID)
	k.kill()
	waitCondition(t, cluster, "Ready", "False", "PodMissing")
	waitEvent(t, cluster, "PodOutdated", "deleted pod board-s0-0")
	waitEvent(t, cluster, "NotReady", "")

	k.createPod("two")
	k.boot()
	k.setPod(running(true))
	waitCondition(t, cluster, "Progressing", "False", "Settled")
	nothingWritten(t, o)
	pod := &corev1.Pod{}
	if err := k.get(k.podName(), pod); err != nil || pod.Spec.Containers[0].Image != "zset.dev/node:next" {
		t.Errorf("image %s (%v)", pod.Spec.Containers[0].Image, err)
	}
}
