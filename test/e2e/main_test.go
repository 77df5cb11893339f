//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"zset.dev/operator/api/v1alpha1"
)

// kube is the client of the cluster under test, read and written directly, without a cache.
var kube client.Client

// respcliImage is the image that client pods run.
var respcliImage = os.Getenv("RESPCLI_IMAGE")

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	if err := connect(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	code := m.Run()
	measured.print(os.Stdout)
	// Test runners hide what a passing package prints; the file is for `make e2e` to show.
	if path := os.Getenv("E2E_MEASURED"); path != "" {
		file, err := os.Create(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			os.Exit(1)
		}
		measured.print(file)
		file.Close()
	}
	os.Exit(code)
}

func connect() error {
	if respcliImage == "" {
		return fmt.Errorf("RESPCLI_IMAGE is not set: run the tests by `make e2e`")
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("no cluster: %w; run the tests by `make e2e`, or set KUBECONFIG", err)
	}
	config.QPS, config.Burst = 100, 200
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return err
	}
	kube, err = client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := kube.List(ctx, &v1alpha1.ZSetClusterList{}); err != nil {
		return fmt.Errorf("the cluster does not serve ZSetClusters: %w; deploy the operator with `make deploy`", err)
	}
	return nil
}

// measurements collects durations by name, to be printed once after all tests.
type measurements struct {
	mu    sync.Mutex // guards the fields below
	names []string
	seen  map[string][]time.Duration
}

var measured = measurements{seen: map[string][]time.Duration{}}

func (m *measurements) add(name string, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.seen[name]; !ok {
		m.names = append(m.names, name)
	}
	m.seen[name] = append(m.seen[name], d)
}

func (m *measurements) print(out io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "measured, in seconds\tn\tmin\tmedian\tmax")
	for _, name := range m.names {
		d := slices.Sorted(slices.Values(m.seen[name]))
		fmt.Fprintf(table, "%s\t%d\t%.2f\t%.2f\t%.2f\n", name, len(d), d[0].Seconds(), d[len(d)/2].Seconds(), d[len(d)-1].Seconds())
	}
	table.Flush()
}
