// Command volume-provisioner gives claims of the local cluster their volumes.
//
// It runs on the host, beside the nodes' folders. When the scheduler has chosen
// a node for a claim of our StorageClass (WaitForFirstConsumer), it makes
// ROOT/NODE/pv/NAME and a `local` PersistentVolume pinned to that node; when a
// volume is released and its policy is Delete, it removes both. The capacity is
// not enforced.
//
// It lives in the module of Kubernetes itself, whose client-go is compiled
// anyway, so it costs two seconds to build.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func main() {
	var p provisioner
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	flag.StringVar(&p.root, "root", "", "folder of the nodes' folders on the host")
	flag.StringVar(&p.inNode, "in-node", "/var/lib/pv", "where a node sees its own pv folder")
	flag.StringVar(&p.name, "name", "zset.dev/local", "provisioner named in the StorageClass")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := p.run(ctx, *kubeconfig); err != nil {
		klog.ErrorS(err, "volume-provisioner")
		os.Exit(1)
	}
}

// run looks at every claim and volume whenever one of them changes, until ctx
// ends. One pass over all is simpler than a queue and takes no time at this size.
func (p *provisioner) run(ctx context.Context, kubeconfig string) error {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	cfg.QPS, cfg.Burst = 100, 200
	if p.client, err = kubernetes.NewForConfig(cfg); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(p.client, 30*time.Second)
	claims := factory.Core().V1().PersistentVolumeClaims()
	volumes := factory.Core().V1().PersistentVolumes()
	classes := factory.Storage().V1().StorageClasses()
	p.claims, p.volumes, p.classes = claims.Lister(), volumes.Lister(), classes.Lister()

	changed := make(chan struct{}, 1)
	poke := func() {
		select {
		case changed <- struct{}{}:
		default: // a pass is due already
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { poke() },
		UpdateFunc: func(any, any) { poke() },
		DeleteFunc: func(any) { poke() },
	}
	for _, informer := range []cache.SharedIndexInformer{claims.Informer(), volumes.Informer(), classes.Informer()} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())

	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
		if !p.pass(ctx) {
			time.AfterFunc(time.Second, poke)
		}
	}
}
