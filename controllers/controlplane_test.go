//go:build integration

package controllers

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/resource"
)

// One real kube-apiserver and etcd for all tests of this package, from the folder KUBEBUILDER_ASSETS names, and one
// build of the real node. There are no kubelets and no controllers: tests play them.
var (
	apiServer  *rest.Config
	kube       client.Client // of the tests themselves; not counted
	nodeBinary string
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		ctrl.SetLogger(logr.Discard())
		folder, err := os.MkdirTemp("", "zset-controllers-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		nodeBinary = filepath.Join(folder, "node")
		build := exec.Command("go", "build", "-o", nodeBinary, "zset.dev/operator/cmd/node")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "build the node:", err)
			return 1
		}
		env := &envtest.Environment{CRDDirectoryPaths: []string{"../config/crd"}, ErrorIfCRDPathMissing: true}
		defer func() { // also after a failed start, which may leave one of the two running
			if err := env.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, "stop kube-apiserver and etcd:", err)
			}
		}()
		if apiServer, err = env.Start(); err != nil {
			fmt.Fprintln(os.Stderr, "start kube-apiserver and etcd:", err)
			return 1
		}
		apiServer.QPS, apiServer.Burst = 1000, 1000
		scheme, err := NewScheme()
		if err != nil {
			panic(err)
		}
		if kube, err = client.New(apiServer, client.Options{Scheme: scheme}); err != nil {
			panic(err)
		}
		if err := allowOperator(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "give the operator its role:", err)
			return 1
		}
		return m.Run()
	}())
}

// newNamespace makes a namespace for one test.
func newNamespace(t *testing.T) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := kube.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}

// operator is one running operator, wired as cmd/manager wires it.
type operator struct {
	writes writes
	talks  counter // conversations it began with nodes
	stop   func()
}

// startOperator serves one namespace until the test ends or stop is called. node gives the address its only node listens
// on: there is no pod network.
func startOperator(t *testing.T, namespace string, node func() string) *operator {
	t.Helper()
	return startOperatorOf(t, namespace, 200*time.Millisecond, func(string) string { return node() })
}

// startOperatorOf serves nodes, whose addresses follow from those of their pods. It looks every interval when no watch tells it to.
func startOperatorOf(t *testing.T, namespace string, interval time.Duration, address func(string) string) *operator {
	t.Helper()
	o := &operator{}
	wired := rest.CopyConfig(apiServer)
	wired.Impersonate.UserName = operatorUser
	wired.Wrap(o.writes.wrap)
	scheme, err := NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(wired, ctrl.Options{
		Scheme:  scheme,
		Cache:   CacheOptions(namespace),
		Metrics: metricsserver.Options{BindAddress: "0"},
		// Several operators run in this process, one after another.
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	if err != nil {
		t.Fatal(err)
	}
	reconciler := &Reconciler{
		Client:    mgr.GetClient(),
		APIReader: mgr.GetAPIReader(),
		Recorder:  mgr.GetEventRecorder(FieldOwner),
		Metrics:   NewMetrics(prometheus.NewRegistry()),
		Options:   resource.Options{NodeImage: "zset.dev/node:test", ClusterDomain: "cluster.local"},
		Dial: func(ctx context.Context, address string) (noderesp.Conn, error) {
			o.talks.add()
			return noderesp.DialRESP(ctx, address)
		},
		Now:             time.Now,
		ObserveInterval: interval,
		NodeAddress:     address,
	}
	if err := reconciler.SetupWithManager(mgr, 2); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	o.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error("operator ended:", err)
		}
	})
	t.Cleanup(o.stop)
	return o
}

// writes lists what was written to the API server, as the requests that went over the wire.
type writes struct {
	mu   sync.Mutex
	list []string // guarded by mu
}

func (w *writes) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet {
			w.mu.Lock()
			w.list = append(w.list, r.Method+" "+r.URL.Path)
			w.mu.Unlock()
		}
		return next.RoundTrip(r)
	})
}

// all returns what was written so far.
func (w *writes) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.list...)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type counter struct {
	mu sync.Mutex
	n  int // guarded by mu
}

func (c *counter) add() { c.mu.Lock(); c.n++; c.mu.Unlock() }

func (c *counter) value() int { c.mu.Lock(); defer c.mu.Unlock(); return c.n }

// eventually waits until check has nothing to object to any more.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("still after 20 s: %v", err)
		case <-tick.C:
		}
	}
}

// lines is for messages of several lines.
func lines(list []string) string { return "\n  " + strings.Join(list, "\n  ") }
