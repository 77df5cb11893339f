//go:build integration

package controllers

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/controllers/noderesp"
)

// kubelet plays what envtest lacks, for one shard of one cluster: the StatefulSet controller, which makes a pod object,
// and the kubelet, which runs a real node process from the real ConfigMap. Used by one test's goroutine; address may be
// read by the operator's.
type kubelet struct {
	t                  *testing.T
	namespace, cluster string
	port               int // the node listens here, each time it runs
	process            *exec.Cmd
	output             bytes.Buffer
}

func newKubelet(t *testing.T, namespace, cluster string) *kubelet {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	k := &kubelet{t: t, namespace: namespace, cluster: cluster, port: port}
	t.Cleanup(k.kill)
	return k
}

func (k *kubelet) address() string { return fmt.Sprintf("127.0.0.1:%d", k.port) }

func (k *kubelet) podName() string { return k.cluster + "-s0-0" }

// statefulSet waits for the shard's StatefulSet.
func (k *kubelet) statefulSet() *appsv1.StatefulSet {
	k.t.Helper()
	set := &appsv1.StatefulSet{}
	eventually(k.t, func() error { return k.get(k.cluster+"-s0", set) })
	return set
}

func (k *kubelet) get(name string, object client.Object) error {
	return kube.Get(k.t.Context(), types.NamespacedName{Namespace: k.namespace, Name: name}, object)
}

// settle plays the StatefulSet controller taking up the current template under a revision's name.
func (k *kubelet) settle(revision string) {
	k.t.Helper()
	set := k.statefulSet()
	set.Status.ObservedGeneration = set.Generation
	set.Status.UpdateRevision = revision
	set.Status.Replicas = 1
	if err := kube.Status().Update(k.t.Context(), set); err != nil {
		k.t.Fatal(err)
	}
}

// createPod makes the pod of the StatefulSet's template; it is not scheduled yet.
func (k *kubelet) createPod(revision string) {
	k.t.Helper()
	set := k.statefulSet()
	pod := &corev1.Pod{ObjectMeta: set.Spec.Template.ObjectMeta, Spec: set.Spec.Template.Spec}
	pod.Namespace, pod.Name = k.namespace, k.podName()
	pod.Labels[appsv1.ControllerRevisionHashLabelKey] = revision
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
	for _, claim := range set.Spec.VolumeClaimTemplates {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: claim.Name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name + "-" + pod.Name}}})
	}
	if err := kube.Create(k.t.Context(), pod); err != nil {
		k.t.Fatal(err)
	}
}

// setPod changes the pod's status.
func (k *kubelet) setPod(change func(*corev1.PodStatus)) {
	k.t.Helper()
	eventually(k.t, func() error {
		pod := &corev1.Pod{}
		if err := k.get(k.podName(), pod); err != nil {
			return err
		}
		change(&pod.Status)
		return kube.Status().Update(k.t.Context(), pod)
	})
}

func running(ready bool) func(*corev1.PodStatus) {
	return func(s *corev1.PodStatus) {
		s.Phase, s.PodIP, s.PodIPs = corev1.PodRunning, "127.0.0.1", []corev1.PodIP{{IP: "127.0.0.1"}}
		status := corev1.ConditionFalse
		if ready {
			status = corev1.ConditionTrue
		}
		s.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status}}
	}
}

// boot runs the node as the pod would, and waits until it answers.
func (k *kubelet) boot() {
	k.t.Helper()
	k.run()
	eventually(k.t, func() error {
		node, err := noderesp.DialRESP(k.t.Context(), k.address())
		if err != nil {
			return err
		}
		return node.Close()
	})
}

// run starts the node from the ConfigMap's node.conf, but on this machine's address and folders.
func (k *kubelet) run(flags ...string) {
	k.t.Helper()
	var config corev1.ConfigMap
	if err := k.get(k.cluster+"-config", &config); err != nil {
		k.t.Fatal(err)
	}
	folder := k.t.TempDir()
	file := filepath.Join(folder, "node.conf")
	if err := os.WriteFile(file, []byte(config.Data["node.conf"]), 0o600); err != nil {
		k.t.Fatal(err)
	}
	k.process = exec.Command(nodeBinary, append([]string{file,
		"--port", fmt.Sprint(k.port), "--bind", "127.0.0.1", "--dir", folder, "--http-port", "0"}, flags...)...)
	k.output.Reset()
	k.process.Stdout, k.process.Stderr = &k.output, &k.output
	k.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := k.process.Start(); err != nil {
		k.t.Fatal(err)
	}
}

// kill ends the node, as a power cut would.
func (k *kubelet) kill() {
	if k.process == nil {
		return
	}
	_ = k.process.Process.Kill()
	_ = k.process.Wait() // always "killed"
	if k.t.Failed() {
		k.t.Logf("node:\n%s", k.output.String())
	}
	k.process = nil
}

// start brings the shard from its StatefulSet to a ready pod whose node runs.
func (k *kubelet) start(revision string) {
	k.t.Helper()
	k.settle(revision)
	k.createPod(revision)
	k.boot()
	k.setPod(running(true))
}

// podGone waits until the pod is deleted.
func (k *kubelet) podGone(uid types.UID) {
	k.t.Helper()
	eventually(k.t, func() error {
		pod := &corev1.Pod{}
		err := k.get(k.podName(), pod)
		if apierrors.IsNotFound(err) || err == nil && pod.UID != uid {
			return nil
		}
		if err == nil && pod.DeletionTimestamp != nil {
			// No kubelet confirms that it has ended.
			return kube.Delete(k.t.Context(), pod, client.GracePeriodSeconds(0))
		}
		return fmt.Errorf("pod %s is still there (%v)", k.podName(), err)
	})
}

// config asks the node itself.
func (k *kubelet) config(name string) string {
	k.t.Helper()
	node, err := noderesp.DialRESP(k.t.Context(), k.address())
	if err != nil {
		k.t.Fatal(err)
	}
	defer node.Close()
	values, err := node.ConfigGet(k.t.Context(), []string{name})
	if err != nil {
		k.t.Fatal(err)
	}
	return values[name]
}
