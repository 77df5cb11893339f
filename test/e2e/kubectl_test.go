//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/api/v1alpha1"
)

// namespace makes a namespace for one test and removes it at the test's end.
func namespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "e2e-",
		// What the operator makes must pass the strictest of Kubernetes' pod security levels.
		Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	if err := kube.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if t.Failed() {
			describe(ctx, t, ns.Name)
		}
		if err := kube.Delete(ctx, ns); err != nil {
			t.Errorf("removing namespace %s: %v", ns.Name, err)
		}
	})
	return ns.Name
}

// describe logs what a person would look at first after a failure.
func describe(ctx context.Context, t *testing.T, ns string) {
	for _, args := range [][]string{
		{"get", "zsetclusters,statefulsets,pods,services,pvc", "-o", "wide"},
		{"get", "zsetclusters", "-o", "yaml"},
		{"get", "events", "--sort-by=.lastTimestamp"},
	} {
		out, err := exec.CommandContext(ctx, "kubectl", append([]string{"-n", ns}, args...)...).CombinedOutput()
		t.Logf("kubectl %s (err %v):\n%s", strings.Join(args, " "), err, out)
	}
}

// kubectl runs kubectl with stdin and returns what it printed, on both streams, and its error.
func kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "kubectl", args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return strings.TrimSpace(out.String()), err
}

func mustKubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, err := kubectl(t.Context(), stdin, args...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// manifest is a ZSetCluster named "board" with the given spec, in YAML flow style such as "{engine: {…}}".
func manifest(spec string) string {
	return "apiVersion: cache.zset.dev/v1alpha1\nkind: ZSetCluster\nmetadata: {name: board}\nspec: " + spec + "\n"
}

// eventually polls until done answers true; it fails the test after the timeout with the last reason given.
func eventually(t *testing.T, timeout time.Duration, what string, done func(context.Context) (ok bool, reason string)) {
	t.Helper()
	reason := "never looked"
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, timeout, true, func(ctx context.Context) (bool, error) {
		var ok bool
		ok, reason = done(ctx)
		return ok, nil
	})
	if err != nil {
		t.Fatalf("%s: not within %s: %s", what, timeout, reason)
	}
}

// get reads the ZSetCluster "board" of a namespace.
func get(t *testing.T, ns string) *v1alpha1.ZSetCluster {
	t.Helper()
	var c v1alpha1.ZSetCluster
	if err := kube.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "board"}, &c); err != nil {
		t.Fatal(err)
	}
	return &c
}

// waitCondition waits until a condition of "board" is true for the newest generation of its spec.
func waitCondition(t *testing.T, ns, condition string, timeout time.Duration) {
	t.Helper()
	eventually(t, timeout, condition+" of board", func(ctx context.Context) (bool, string) {
		var c v1alpha1.ZSetCluster
		if err := kube.Get(ctx, client.ObjectKey{Namespace: ns, Name: "board"}, &c); err != nil {
			return false, err.Error()
		}
		got := meta.FindStatusCondition(c.Status.Conditions, condition)
		switch {
		case got == nil:
			return false, "the condition is absent"
		case got.ObservedGeneration != c.Generation:
			return false, fmt.Sprintf("it speaks of generation %d, the spec is at %d", got.ObservedGeneration, c.Generation)
		}
		return got.Status == metav1.ConditionTrue, fmt.Sprintf("%s %s: %s", got.Status, got.Reason, got.Message)
	})
}

// applyReady applies a manifest and waits until the cluster is Ready and its tuning applied.
func applyReady(t *testing.T, ns, yaml string) {
	t.Helper()
	start := time.Now()
	mustKubectl(t, yaml, "apply", "-n", ns, "-f", "-")
	waitCondition(t, ns, "Ready", 90*time.Second)
	waitCondition(t, ns, "ConfigApplied", 10*time.Second)
	measured.add("apply -> Ready", time.Since(start))
}

// nodePod returns the one pod of "board".
func nodePod(ctx context.Context, ns string) (*corev1.Pod, error) {
	var pods corev1.PodList
	if err := kube.List(ctx, &pods, client.InNamespace(ns), client.MatchingLabels{"cache.zset.dev/cluster": "board"}); err != nil {
		return nil, err
	}
	if len(pods.Items) != 1 {
		return nil, fmt.Errorf("%d pods of board, want 1", len(pods.Items))
	}
	return &pods.Items[0], nil
}

func mustNodePod(t *testing.T, ns string) *corev1.Pod {
	t.Helper()
	pod, err := nodePod(t.Context(), ns)
	if err != nil {
		t.Fatal(err)
	}
	return pod
}
