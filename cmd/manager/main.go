// Command manager is the operator: it makes sorted-set caches out of ZSetCluster resources.
//
// This file is flags and wiring only; what it does is in package controllers.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"zset.dev/operator/controllers"
	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/resource"
)

// version is set when a release is built.
var version = "dev"

// leaseName is the Lease by which replicas of the operator agree on one that works.
const leaseName = "zset-operator"

func main() {
	options, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil && options.version {
		fmt.Println("zset-operator", version)
		return
	}
	if err == nil {
		err = run(options)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "zset-operator:", err)
		os.Exit(1)
	}
}

// addressType is the first family of the cluster's Services, by the address of the API server's that every pod is told. Outside
// of a pod it is IPv4.
func addressType(apiServer string) discoveryv1.AddressType {
	if address, err := netip.ParseAddr(apiServer); err == nil && address.Is6() && !address.Is4In6() {
		return discoveryv1.AddressTypeIPv6
	}
	return discoveryv1.AddressTypeIPv4
}

// run works until the process is told to stop.
func run(o options) error {
	ctrl.SetLogger(o.logger(os.Stderr))
	log := ctrl.Log.WithName("setup")

	scheme, err := controllers.NewScheme()
	if err != nil {
		return fmt.Errorf("build the scheme: %w", err)
	}
	kube, err := config.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server (set --kubeconfig or KUBECONFIG, or run in a pod): %w", err)
	}
	mgr, err := ctrl.NewManager(kube, ctrl.Options{
		Scheme:                  scheme,
		Cache:                   controllers.CacheOptions(o.watchNamespaces...),
		Metrics:                 metricsserver.Options{BindAddress: o.metricsAddress},
		HealthProbeBindAddress:  o.probeAddress,
		LeaderElection:          o.leaderElect,
		LeaderElectionID:        leaseName,
		LeaderElectionNamespace: o.leaseNamespace,
		LeaseDuration:           &o.leaseDuration,
		RenewDeadline:           &o.renewDeadline,
		RetryPeriod:             &o.retryPeriod,
		// The process ends right after the manager, so its successor need not wait for the Lease to run out.
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	reconciler := &controllers.Reconciler{
		Client:          mgr.GetClient(),
		APIReader:       mgr.GetAPIReader(),
		Recorder:        mgr.GetEventRecorder(controllers.FieldOwner),
		Metrics:         controllers.NewMetrics(metrics.Registry),
		Options:         resource.Options{NodeImage: o.nodeImage, ClusterDomain: o.clusterDomain, AddressType: addressType(os.Getenv("KUBERNETES_SERVICE_HOST"))},
		Dial:            noderesp.DialRESP,
		Now:             time.Now,
		ObserveInterval: o.observeInterval,
	}
	if err := reconciler.SetupWithManager(mgr, o.concurrent); err != nil {
		return fmt.Errorf("set up the controller: %w", err)
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping)); err != nil {
		return fmt.Errorf("set up probes: %w", err)
	}
	log.Info("starting", "version", version, "nodeImage", o.nodeImage, "watchNamespaces", o.watchNamespaces)
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	return nil
}
