//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// A patch of the engine's tuning reaches the running node: CONFIG GET shows it, the next write follows it, and the pod
// is the same process as before.
func TestTuningChangesLive(t *testing.T) {
	ns := namespace(t)
	applyReady(t, ns, manifest("{replicas: 0, engine: {skipList: {p: '0.25'}}}"))
	c := startRESPClient(t, ns)
	before := mustNodePod(t, ns)
	c.expect(t, "1) zset-skiplist-p\n2) 0.25", "CONFIG", "GET", "zset-skiplist-p")
	c.expect(t, "(integer) 3", "ZADD", "small", "1", "a", "2", "b", "3", "c")
	c.expect(t, "listpack", "OBJECT", "ENCODING", "small")
	c.expect(t, "(integer) 1", "ZADD", "long", "1", "a-member-of-30-bytes-exactly..")
	c.expect(t, "listpack", "OBJECT", "ENCODING", "long")

	for _, change := range []struct{ patch, directive, value string }{
		{`{"spec":{"engine":{"skipList":{"p":"1/e"}}}}`, "zset-skiplist-p", "1/e"},
		{`{"spec":{"engine":{"skipList":{"p":"0.5","maxLevel":16}}}}`, "zset-skiplist-max-level", "16"},
		{`{"spec":{"engine":{"skipList":{"blockEntries":128}}}}`, "zset-skiplist-block-entries", "128"},
		{`{"spec":{"engine":{"listpack":{"maxEntries":3}}}}`, "zset-max-listpack-entries", "3"},
		{`{"spec":{"engine":{"listpack":{"maxValueBytes":20}}}}`, "zset-max-listpack-value", "20"},
	} {
		start := time.Now()
		mustKubectl(t, "", "patch", "zsetcluster", "-n", ns, "board", "--type=merge", "-p", change.patch)
		waitCondition(t, ns, "ConfigApplied", 5*time.Second)
		measured.add("patch -> applied", time.Since(start))
		c.expect(t, "1) "+change.directive+"\n2) "+change.value, "CONFIG", "GET", change.directive)
	}

	// The next write, not the patch, converts a set.
	c.expect(t, "listpack", "OBJECT", "ENCODING", "small")
	c.expect(t, "(integer) 1", "ZADD", "small", "4", "d")
	c.expect(t, "skiplist", "OBJECT", "ENCODING", "small")
	c.expect(t, "(integer) 1", "ZADD", "long", "2", "another-member-of-30-bytes....")
	c.expect(t, "skiplist", "OBJECT", "ENCODING", "long")
	c.expect(t, "1) a\n2) b\n3) c\n4) d", "ZRANGE", "small", "0", "-1")

	assertSameProcess(t, before, mustNodePod(t, ns))
}

// A node that boots has the tuning from its configuration, with no operator there to send it.
func TestTuningIsThereAtBoot(t *testing.T) {
	ns := namespace(t)
	applyReady(t, ns, manifest("{replicas: 0, engine: {skipList: {p: '0.5'}}}"))
	c := startRESPClient(t, ns)
	mustKubectl(t, "", "patch", "zsetcluster", "-n", ns, "board", "--type=merge", "-p", `{"spec":{"engine":{"skipList":{"p":"0.3"},"listpack":{"maxEntries":7}}}}`)
	waitCondition(t, ns, "ConfigApplied", 5*time.Second)
	before := mustNodePod(t, ns)

	withoutOperator(t, func() {
		mustKubectl(t, "", "delete", "pod", "-n", ns, before.Name)
		eventually(t, 60*time.Second, "the new pod", func(ctx context.Context) (bool, string) {
			pod, err := nodePod(ctx, ns)
			if err != nil {
				return false, err.Error()
			}
			return pod.UID != before.UID && podReady(pod), string(pod.Status.Phase)
		})
		got := c.script(t, "CONFIG GET zset-skiplist-p", "CONFIG GET zset-max-listpack-entries")
		want := "1) zset-skiplist-p\n2) 0.3\n1) zset-max-listpack-entries\n2) 7"
		if got != want {
			t.Errorf("the new node is configured as\n%s\nwant\n%s", got, want)
		}
	})
}

// A value set behind the operator's back is put right: the resource decides.
func TestDriftIsCorrected(t *testing.T) {
	ns := namespace(t)
	applyReady(t, ns, manifest("{engine: {listpack: {maxEntries: 10}}}"))
	c := startRESPClient(t, ns)
	c.expect(t, "OK", "CONFIG", "SET", "zset-max-listpack-entries", "99")
	// The operator looks at every cluster each half minute, also when nothing happens to it.
	eventually(t, 45*time.Second, "the directive is back", func(context.Context) (bool, string) {
		got := c.do(t, "CONFIG", "GET", "zset-max-listpack-entries")
		return strings.HasSuffix(got, "\n2) 10"), got
	})
}

func assertSameProcess(t *testing.T, before, after *corev1.Pod) {
	t.Helper()
	if before.UID != after.UID {
		t.Errorf("pod %s was replaced: uid %s, then %s", before.Name, before.UID, after.UID)
	}
	for _, s := range after.Status.ContainerStatuses {
		if s.RestartCount != 0 {
			t.Errorf("container %s of %s restarted %d times", s.Name, after.Name, s.RestartCount)
		}
	}
}
