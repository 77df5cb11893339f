//go:build integration && linux

package failover

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"zset.dev/operator/test/faults"
	"zset.dev/operator/test/faults/link"
	"zset.dev/operator/test/faults/recorder"
)

var (
	environment envtest.Environment // of a real kube-apiserver and etcd
	program     string              // the node
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		recorder.Quiet()
		dir, err := os.MkdirTemp("", "failover-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "node")
		if out, err := exec.Command("go", "build", "-o", program, "zset.dev/operator/cmd/node").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build the node: %v\n%s", err, out)
			return 1
		}
		defer environment.Stop()
		if _, err := environment.Start(); err != nil {
			fmt.Fprintln(os.Stderr, "start kube-apiserver and etcd:", err)
			return 1
		}
		return m.Run()
	}())
}

// member is a pod of the shard with its process.
type member struct {
	name, uid, ip string // the address is what the slice says; the process listens on the loopback
	address       string
	server        *faults.Server
	dir           string
}

// stage is a shard of three nodes in a namespace of its own.
type stage struct {
	*testing.T
	ctx        context.Context
	namespace  string
	admin      *kubernetes.Clientset
	api        *link.Proxy // between the nodes and the API server
	kubeconfig string
	args       []string
	members    []*member

	primary  atomic.Pointer[member] // whom the slice names
	watching sync.WaitGroup
}

// port is that of the nodes, each on an address of its own.
const port = "21410"

func newStage(t *testing.T, namespace string, args ...string) *stage {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	s := &stage{T: t, ctx: ctx, namespace: namespace, args: args}
	config := environment.Config
	var err error
	s.admin, err = kubernetes.NewForConfig(config)
	s.must(err)
	host, err := url.Parse(config.Host)
	s.must(err)
	if host.Host == "" {
		host = &url.URL{Host: config.Host}
	}
	s.api, err = link.NewProxy(host.Host)
	s.must(err)
	s.objects()
	s.credentials()
	for i, m := range s.members {
		m.address = fmt.Sprintf("127.0.0.%d:%s", 11+i, port)
		m.dir = t.TempDir()
	}
	for _, m := range s.members {
		s.start(m)
	}
	s.watching.Go(s.watch) // until ctx ends
	t.Cleanup(func() {
		for _, m := range s.members {
			m.server.Kill()
		}
		cancel()
		s.watching.Wait()
		s.api.Close()
	})
	return s
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// objects makes what the operator would, and the pods.
func (s *stage) objects() {
	s.Helper()
	ctx, c, in := s.ctx, s.admin, s.namespace
	_, err := c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: in}}, metav1.CreateOptions{})
	s.must(err)
	var names []string
	for i := range 3 {
		name := fmt.Sprint("board-s0-", i)
		pod, err := c.CoreV1().Pods(in).Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       corev1.PodSpec{NodeName: fmt.Sprint("machine-", i), Containers: []corev1.Container{{Name: "node", Image: "none"}}},
		}, metav1.CreateOptions{})
		s.must(err)
		s.members = append(s.members, &member{name: name, uid: string(pod.UID), ip: fmt.Sprint("10.99.0.", 11+i)})
		names = append(names, name)
	}
	_, err = c.DiscoveryV1().EndpointSlices(in).Create(ctx, &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: "board-primary", Labels: map[string]string{discoveryv1.LabelServiceName: "board"}},
		AddressType: discoveryv1.AddressTypeIPv4, Ports: []discoveryv1.EndpointPort{{Name: ptr.To("resp"), Port: ptr.To(int32(6379))}},
	}, metav1.CreateOptions{})
	s.must(err)
	rule := func(group, of string, names []string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{of}, ResourceNames: names, Verbs: verbs}
	}
	_, err = c.RbacV1().Roles(in).Create(ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "board-node"}, Rules: []rbacv1.PolicyRule{
		rule("coordination.k8s.io", "leases", nil, "create"),
		rule("coordination.k8s.io", "leases", []string{"board-s0"}, "get", "update"),
		rule("", "pods", names, "get", "patch"),
		rule("discovery.k8s.io", "endpointslices", []string{"board-primary"}, "get", "patch"),
	}}, metav1.CreateOptions{})
	s.must(err)
	_, err = c.RbacV1().RoleBindings(in).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "board-node"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "board-node"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: s.user()}},
	}, metav1.CreateOptions{})
	s.must(err)
}

func (s *stage) user() string { return "node-of-" + s.namespace }

// credentials writes the kubeconfig with which nodes reach the API server, by the proxy.
func (s *stage) credentials() {
	s.Helper()
	user, err := environment.AddUser(envtest.User{Name: s.user()}, nil)
	s.must(err)
	text, err := user.KubeConfig()
	s.must(err)
	config, err := clientcmd.Load(text)
	s.must(err)
	for _, cluster := range config.Clusters {
		cluster.Server = "https://" + s.api.Addr
	}
	s.kubeconfig = filepath.Join(s.TempDir(), "kubeconfig")
	s.must(clientcmd.WriteToFile(*config, s.kubeconfig))
}

// start starts a pod's process, the first or another.
func (s *stage) start(m *member) {
	s.Helper()
	var peers []string
	for _, p := range s.members {
		peers = append(peers, p.name+"="+p.address)
	}
	var err error
	m.server, err = faults.Start(faults.Program{Name: "node", Path: program}, faults.Config{Dir: m.dir, Addr: m.address, Args: append([]string{
		"--shard", "board-s0", "--shard-namespace", s.namespace, "--shard-pod", m.name, "--shard-uid", m.uid, "--shard-ip", m.ip,
		"--shard-peers", strings.Join(peers, ","), "--shard-size", "3", "--shard-service", "board-primary", "--shard-kubeconfig", s.kubeconfig,
	}, s.args...)})
	s.must(err)
	s.must(m.server.Ready(s.ctx))
	s.say(m, func(c *corev1.ContainerStatus) {
		c.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
	})
}

// kill kills a pod's process, and notes that in the pod as a kubelet does.
func (s *stage) kill(m *member) {
	s.Helper()
	m.server.Kill()
	s.ended(m)
}

// ended notes in a pod that its process is no more.
func (s *stage) ended(m *member) {
	s.Helper()
	s.say(m, func(c *corev1.ContainerStatus) {
		c.RestartCount++
		c.LastTerminationState = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.Now()}}
		c.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	})
}

// say changes what a pod says of its container.
func (s *stage) say(m *member, change func(*corev1.ContainerStatus)) {
	s.Helper()
	pod, err := s.admin.CoreV1().Pods(s.namespace).Get(s.ctx, m.name, metav1.GetOptions{})
	s.must(err)
	if len(pod.Status.ContainerStatuses) == 0 {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "node"}}
	}
	change(&pod.Status.ContainerStatuses[0])
	_, err = s.admin.CoreV1().Pods(s.namespace).UpdateStatus(s.ctx, pod, metav1.UpdateOptions{})
	s.must(err)
}

// watch keeps primary what the slice says, as a proxy of the Service does.
func (s *stage) watch() {
	for s.ctx.Err() == nil {
		w, err := s.admin.DiscoveryV1().EndpointSlices(s.namespace).Watch(s.ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		for event := range w.ResultChan() {
			slice, ok := event.Object.(*discoveryv1.EndpointSlice)
			if !ok || len(slice.Endpoints) == 0 {
				continue
			}
			for _, m := range s.members {
				if slice.Endpoints[0].Addresses[0] == m.ip {
					s.primary.Store(m)
				}
			}
		}
	}
}

// dial connects to whom the slice names.
func (s *stage) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	m := s.primary.Load()
	if m == nil {
		return nil, &net.OpError{Op: "dial", Err: fmt.Errorf("the Service has no endpoint")}
	}
	return new(net.Dialer).DialContext(ctx, "tcp", m.address)
}

// rest lets a fault last for a time.
func (s *stage) rest(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.ctx.Done():
	}
}

// succeeded waits until clients are sent to another than p.
func (s *stage) succeeded(p *member) {
	s.Helper()
	for s.primary.Load() == p {
		if s.rest(10 * time.Millisecond); s.ctx.Err() != nil {
			s.Fatalf("nobody takes the place of %s\n%s", p.name, p.server.Log())
		}
	}
}

// settled waits until one node takes writes, clients are sent to it, and the other two are in sync with it, and returns it.
func (s *stage) settled() *member {
	s.Helper()
	for {
		var serving []*member
		inSync := 0
		for _, m := range s.members {
			fenced, _ := m.server.Info(s.ctx, "shard", "shard_fenced") // one that does not answer is not settled
			role, _ := m.server.Info(s.ctx, "shard", "shard_role")
			synced, _ := m.server.Info(s.ctx, "shard", "shard_in_sync")
			switch {
			case role == "primary" && fenced == "0":
				serving = append(serving, m)
			case role == "replica" && synced == "1":
				inSync++
			}
		}
		if len(serving) == 1 && inSync == 2 && s.primary.Load() == serving[0] {
			return serving[0]
		}
		select {
		case <-s.ctx.Done():
			text := ""
			for _, m := range s.members {
				info, _ := m.server.Client().Info(context.Background(), "shard").Result()
				text += m.name + "\n" + info + m.server.Log() + "\n"
			}
			s.Fatalf("the shard does not settle: %v\n%s", s.ctx.Err(), text)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
