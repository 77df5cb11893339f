//go:build linux && reliability

package reliability

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processes are those whose command line has all of these words.
func processes(words ...string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		has := true
		for _, word := range words {
			has = has && bytes.Contains(line, []byte(word))
		}
		if pid, err := strconv.Atoi(strings.Split(file, "/")[2]); err == nil && has && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// process is that of a pod's node, as this machine numbers it. The pod's UID, which is in its command line, is nobody else's.
func (c *cluster) process(pod string) int {
	c.t.Helper()
	pids := processes("--shard-uid", string(c.pod(pod).UID))
	if len(pids) != 1 {
		c.t.Fatalf("%d processes of %s", len(pids), pod)
	}
	return pids[0]
}

// signal sends a signal to a pod's node.
func (c *cluster) signal(pod string, s syscall.Signal) (pid int) {
	c.t.Helper()
	pid = c.process(pod)
	if err := syscall.Kill(pid, s); err != nil {
		c.t.Fatal(err)
	}
	return pid
}

// machine runs a verb of the local Kubernetes on the machine of a pod.
func machine(t testing.TB, verb, node string) {
	t.Helper()
	out, err := exec.Command(filepath.Join(root, "hack/kube/kube.sh"), "node", verb, strings.TrimPrefix(node, "knode")).CombinedOutput()
	if err != nil {
		t.Fatalf("kube.sh node %s %s: %v\n%s", verb, node, err, out)
	}
}

// cut lets a pod reach none of these addresses any more, nor they it, until join.
func (c *cluster) cut(pod string, addresses ...string) (join func()) {
	c.t.Helper()
	pid := c.process(pod)
	set := strings.Join(addresses, ", ")
	rules := fmt.Sprintf(`table ip cutoff {
	chain out { type filter hook output priority -200; ip daddr { %s } drop; }
	chain in { type filter hook input priority -200; ip saddr { %s } drop; }
}`, set, set)
	nft := func(input string, args ...string) {
		cmd := exec.Command("nsenter", append([]string{"--net=/proc/" + strconv.Itoa(pid) + "/ns/net", "nft"}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		if out, err := cmd.CombinedOutput(); err != nil {
			c.t.Errorf("nft %s in the network of %s: %v\n%s", strings.Join(args, " "), pod, err, out)
		}
	}
	nft(rules, "-f", "-")
	done := false
	join = func() {
		if !done {
			done = true
			nft("", "delete", "table", "ip", "cutoff")
		}
	}
	c.t.Cleanup(join)
	return join
}

// The address under which pods reach the API server. What it leads to is the machine's own, from which the clients come, too.
var apiAddresses = []string{"10.96.0.1"}

// others are the addresses of the other pods.
func (c *cluster) others(pod string) (addresses []string) {
	c.t.Helper()
	pods, err := c.pods(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	for _, p := range pods {
		if p.Name != pod {
			addresses = append(addresses, p.Status.PodIP)
		}
	}
	return addresses
}

// apiServer stops the API server, which answers nobody then, until the end of the test at most.
func (c *cluster) apiServer(stop bool) {
	c.t.Helper()
	pids := processes("kube-apiserver", "--etcd-servers")
	if len(pids) == 0 {
		c.t.Fatal("no process of the API server")
	}
	signal := syscall.SIGCONT
	if stop {
		signal = syscall.SIGSTOP
		c.t.Cleanup(func() { c.apiServer(false) })
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, signal); err != nil {
			c.t.Fatal(err)
		}
	}
}

// operator sets how many replicas the operator has.
func operator(t testing.TB, replicas int) {
	t.Helper()
	kubectl(t, "", "-n", "zset-system", "scale", "deployment/zset-operator", fmt.Sprintf("--replicas=%d", replicas))
	kubectl(t, "", "-n", "zset-system", "rollout", "status", "deployment/zset-operator", "--timeout=90s")
}

// rest waits while something is broken.
func (c *cluster) rest(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.t.Context().Done():
	}
}
