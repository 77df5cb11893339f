package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
)

// options are the operator's flags.
type options struct {
	version bool

	nodeImage       string
	clusterDomain   string
	watchNamespaces []string
	concurrent      int
	observeInterval time.Duration

	metricsAddress, probeAddress string

	leaderElect                               bool
	leaseNamespace                            string
	leaseDuration, renewDeadline, retryPeriod time.Duration

	logLevel  slog.Level
	logFormat string
}

// parse reads the command line; usage and what is wrong with it go to output.
func parse(args []string, output io.Writer) (options, error) {
	var o options
	var namespaces string
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	flags.SetOutput(output)
	flags.Usage = func() {
		fmt.Fprintln(output, "The operator for sorted-set caches. Usage: manager [flags]\n\nFlags:")
		flags.PrintDefaults()
	}
	flags.BoolVar(&o.version, "version", false, "print the version and exit")

	flags.StringVar(&o.nodeImage, "node-image", os.Getenv("NODE_IMAGE"),
		"`image` of nodes whose resource names none (required; environment NODE_IMAGE)")
	flags.StringVar(&o.clusterDomain, "cluster-domain", "cluster.local", "DNS `domain` of the Kubernetes cluster")
	flags.StringVar(&namespaces, "watch-namespaces", "", "comma-separated `namespaces` to serve; empty: all")
	flags.IntVar(&o.concurrent, "max-concurrent-reconciles", 4, "`number` of clusters reconciled at once")
	flags.DurationVar(&o.observeInterval, "observe-interval", 30*time.Second,
		"`time` after which a cluster is looked at even though nothing happened to it; finds nodes changed by hand")

	flags.StringVar(&o.metricsAddress, "metrics-bind-address", ":8080", "`address` of /metrics; 0: off")
	flags.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081", "`address` of /healthz and /readyz; 0: off")

	flags.BoolVar(&o.leaderElect, "leader-elect", true, "work only while holding the Lease zset-operator, so that one of several replicas does")
	flags.StringVar(&o.leaseNamespace, "leader-election-namespace", "", "`namespace` of the Lease; empty: the operator's own")
	flags.DurationVar(&o.leaseDuration, "leader-election-lease-duration", 15*time.Second, "`time` other replicas wait after the last renewal")
	flags.DurationVar(&o.renewDeadline, "leader-election-renew-deadline", 10*time.Second, "`time` after which the leader gives up renewing and exits")
	flags.DurationVar(&o.retryPeriod, "leader-election-retry-period", 2*time.Second, "`time` between tries")

	flags.TextVar(&o.logLevel, "log-level", slog.LevelInfo, "least important `level` to log: debug, info, warn or error")
	flags.StringVar(&o.logFormat, "log-format", "text", "`format` of the log: text or json")
	config.RegisterFlags(flags) // --kubeconfig

	if err := flags.Parse(args); err != nil {
		return o, err
	}
	for _, namespace := range strings.Split(namespaces, ",") {
		if namespace = strings.TrimSpace(namespace); namespace != "" {
			o.watchNamespaces = append(o.watchNamespaces, namespace)
		}
	}
	return o, o.validate(flags.Args())
}

func (o options) validate(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q; see --help", rest[0])
	case o.version:
		return nil
	case o.nodeImage == "":
		return errors.New("--node-image (or the environment variable NODE_IMAGE) must be set")
	case o.concurrent < 1:
		return errors.New("--max-concurrent-reconciles must be at least 1")
	case o.observeInterval < time.Second:
		return errors.New("--observe-interval must be at least 1s")
	case o.logFormat != "text" && o.logFormat != "json":
		return fmt.Errorf("--log-format must be text or json; got %q", o.logFormat)
	case o.leaseDuration <= o.renewDeadline || o.renewDeadline <= o.retryPeriod || o.retryPeriod <= 0:
		return errors.New("leader election needs lease duration > renew deadline > retry period > 0")
	}
	return nil
}

// logger is what controller-runtime logs to.
func (o options) logger(output io.Writer) logr.Logger {
	handler := &slog.HandlerOptions{Level: o.logLevel}
	if o.logFormat == "json" {
		return logr.FromSlogHandler(slog.NewJSONHandler(output, handler))
	}
	return logr.FromSlogHandler(slog.NewTextHandler(output, handler))
}
