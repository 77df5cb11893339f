//go:build linux && reliability

package reliability

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/test/faults/page"
	"zset.dev/operator/test/faults/recorder"
)

var (
	kube client.Client // without a cache
	root string        // of the checkout
	long = os.Getenv("RELIABILITY_LONG") != ""
	seed uint64
)

// found is the table.
var found = page.Table{Heads: []string{"fault", "mode", "faults", "acknowledged", "lost", "unavailable ms, median", "max", "client errors", "notes"}}

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	recorder.Quiet()
	if err := connect(); err != nil {
		fmt.Fprintln(os.Stderr, "reliability:", err)
		os.Exit(1)
	}
	code := m.Run()
	fmt.Print(found.String())
	if path := os.Getenv("RELIABILITY_TABLE"); path != "" {
		if err := os.WriteFile(path, []byte(found.String()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "reliability:", err)
			code = 1
		}
	}
	if path := os.Getenv("RELIABILITY_PAGE"); path != "" {
		said := fmt.Sprintf("Written by `make e2e-faults`. %s, RELIABILITY_SEED=%d; %s; three nodes of the local Kubernetes on one machine.", page.Commit(), seed, page.Machine())
		if err := found.Write(path, "reliability", said); err != nil {
			fmt.Fprintln(os.Stderr, "reliability:", err)
			code = 1
		}
	}
	os.Exit(code)
}

func connect() (err error) {
	if seed, err = strconv.ParseUint(os.Getenv("RELIABILITY_SEED"), 10, 64); err != nil {
		seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	fmt.Printf("RELIABILITY_SEED=%d\n", seed)
	if root, err = filepath.Abs("../.."); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("no cluster: %w; run test/reliability/run.sh", err)
	}
	config.QPS, config.Burst, config.Timeout = 100, 200, 10*time.Second
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return err
	}
	if kube, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return kube.List(ctx, &v1alpha1.ZSetClusterList{})
}
