//go:build linux && reliability

package reliability

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/api/v1alpha1"
)

const (
	name  = "board"
	lease = name + "-s0"
)

// cluster is a ZSetCluster under test.
type cluster struct {
	t    *testing.T
	ns   string
	size int
}

// newCluster makes one of that many pods, and waits until all of them are in sync.
func newCluster(t *testing.T, size int, spec string) *cluster {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "faults-"}}
	if err := kube.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, ns: ns.Name, size: size}
	t.Cleanup(func() {
		if t.Failed() {
			c.describe()
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := kube.Delete(ctx, ns); err != nil {
			t.Errorf("removing namespace %s: %v", ns.Name, err)
		}
	})
	c.apply(spec)
	c.healthy(2 * time.Minute)
	return c
}

func (c *cluster) apply(spec string) {
	c.t.Helper()
	kubectl(c.t, "apiVersion: cache.zset.dev/v1alpha1\nkind: ZSetCluster\nmetadata: {name: "+name+", namespace: "+c.ns+"}\nspec: "+spec+"\n", "apply", "-f", "-")
}

// describe logs what a person would look at first.
func (c *cluster) describe() {
	for _, args := range [][]string{
		{"get", "zsetclusters,statefulsets,pods,leases,endpointslices", "-o", "wide"}, {"get", "zsetclusters", "-o", "yaml"},
		{"get", "leases", "-o", "yaml"}, {"get", "events", "--sort-by=.lastTimestamp"}, {"logs", "-l", "cache.zset.dev/cluster=" + name, "--prefix", "--tail=60"},
	} {
		out, err := exec.Command("kubectl", append([]string{"-n", c.ns}, args...)...).CombinedOutput()
		c.t.Logf("kubectl %s (%v):\n%s", strings.Join(args, " "), err, out)
	}
}

// kubectl runs kubectl with an input.
func kubectl(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "kubectl", args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *cluster) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: c.ns, Name: name}
}

// pods are those of the cluster, by name.
func (c *cluster) pods(ctx context.Context) (map[string]*corev1.Pod, error) {
	var list corev1.PodList
	if err := kube.List(ctx, &list, client.InNamespace(c.ns), client.MatchingLabels{"cache.zset.dev/cluster": name}); err != nil {
		return nil, err
	}
	pods := map[string]*corev1.Pod{}
	for i := range list.Items {
		pods[list.Items[i].Name] = &list.Items[i]
	}
	return pods, nil
}

// record is the shard's Lease: its holder's and its electors' pods, and the epoch.
func (c *cluster) record(ctx context.Context) (holder string, electors []string, epoch int32, err error) {
	var l coordinationv1.Lease
	if err := kube.Get(ctx, c.key(lease), &l); err != nil {
		return "", nil, 0, err
	}
	pod := func(id string) string { p, _, _ := strings.Cut(id, "/"); return p }
	for id := range strings.SplitSeq(l.Annotations["cache.zset.dev/electors"], ",") {
		electors = append(electors, pod(id))
	}
	return pod(ptr.Deref(l.Spec.HolderIdentity, "")), electors, ptr.Deref(l.Spec.LeaseTransitions, 0), nil
}

// primary is the pod that holds the record.
func (c *cluster) primary() string {
	c.t.Helper()
	holder, _, _, err := c.record(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return holder
}

// replica is a pod that does not.
func (c *cluster) replica() string {
	c.t.Helper()
	pods, err := c.pods(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	for pod := range pods {
		if pod != c.primary() {
			return pod
		}
	}
	c.t.Fatal("there is no replica")
	return ""
}

func (c *cluster) pod(name string) *corev1.Pod {
	c.t.Helper()
	var p corev1.Pod
	if err := kube.Get(c.t.Context(), c.key(name), &p); err != nil {
		c.t.Fatal(err)
	}
	return &p
}

// eventually polls until done is true; the test fails after the time with the last reason.
func (c *cluster) eventually(within time.Duration, what string, done func(ctx context.Context) (ok bool, reason string)) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), within)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for reason := ""; ; {
		var ok bool
		if ok, reason = done(ctx); ok {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			c.t.Fatalf("%s: not within %s: %s", what, within, reason)
		}
	}
}

// healthy waits until all pods there are to be are ready, electors, and of the newest template, and the cluster says it is Ready.
func (c *cluster) healthy(within time.Duration) {
	c.t.Helper()
	c.eventually(within, "all members in sync", func(ctx context.Context) (bool, string) {
		pods, err := c.pods(ctx)
		if err != nil {
			return false, err.Error()
		}
		holder, electors, _, err := c.record(ctx)
		if err != nil {
			return false, err.Error()
		}
		if len(pods) != c.size || len(electors) != c.size || holder == "" {
			return false, fmt.Sprintf("%d pods, holder %q, electors %v", len(pods), holder, electors)
		}
		for _, pod := range pods {
			if !ready(pod) || pod.DeletionTimestamp != nil {
				return false, pod.Name + " is not ready"
			}
		}
		var set appsv1.StatefulSet
		if err := kube.Get(ctx, c.key(lease), &set); err != nil {
			return false, err.Error()
		}
		for _, pod := range pods {
			if pod.Labels[appsv1.StatefulSetRevisionLabel] != set.Status.UpdateRevision {
				return false, pod.Name + " is of an older template"
			}
		}
		var z v1alpha1.ZSetCluster
		if err := kube.Get(ctx, c.key(name), &z); err != nil {
			return false, err.Error()
		}
		cond := meta.FindStatusCondition(z.Status.Conditions, v1alpha1.ConditionReady)
		if cond == nil || cond.Status != metav1.ConditionTrue || cond.ObservedGeneration != z.Generation {
			return false, fmt.Sprintf("Ready is %+v", cond)
		}
		return true, ""
	})
}

func ready(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// address is that of a Service.
func (c *cluster) address(service string) string {
	c.t.Helper()
	var s corev1.Service
	if err := kube.Get(c.t.Context(), c.key(service), &s); err != nil {
		c.t.Fatal(err)
	}
	return s.Spec.ClusterIP + ":6379"
}
