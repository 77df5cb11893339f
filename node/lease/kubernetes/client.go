package kubernetes

import (
	"context"
	"fmt"
	"net"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// A Client asks the API server for what a node needs of one namespace, and for nothing else: so it knows the few types it
// needs, which are a tenth of what the generated clients bring along. Its methods may be called from any goroutine.
type Client struct {
	rest      *rest.RESTClient
	namespace string
}

// Reach says how an API server is reached: as a pod does, or by a kubeconfig file if one is named.
func Reach(kubeconfig string) (*rest.Config, error) {
	if kubeconfig == "" {
		return rest.InClusterConfig()
	}
	return clientcmd.BuildConfigFromFlags("", kubeconfig)
}

// NewClient makes a client for a namespace. within bounds each request, whatever its context says; agent is what the API server's
// logs call it.
func NewClient(config *rest.Config, namespace string, within time.Duration, agent string) (*Client, error) {
	known := runtime.NewScheme()
	known.AddKnownTypes(coordinationv1.SchemeGroupVersion, &coordinationv1.Lease{})
	for _, group := range []schema.GroupVersion{coordinationv1.SchemeGroupVersion, {Version: "v1"}} {
		metav1.AddToGroupVersion(known, group)
	}
	c := rest.CopyConfig(config)
	c.NegotiatedSerializer = serializer.NewCodecFactory(known).WithoutConversion()
	c.GroupVersion = &coordinationv1.SchemeGroupVersion
	c.APIPath = "/apis"
	c.ContentType = runtime.ContentTypeJSON
	c.UserAgent = agent
	c.QPS = -1 // a renewal must not wait for other requests; there are a few in a second
	c.Timeout = within
	c.Dial = (&net.Dialer{Timeout: within, KeepAlive: within}).DialContext
	// With HTTP/2 all requests share a connection, and when nothing comes over that any more they all fail until it is found
	// out, which takes longer than a lease. With HTTP/1 each request that fails takes its connection along.
	c.NextProtos = []string{"http/1.1"}
	client, err := rest.RESTClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("kubernetes: %w", err)
	}
	return &Client{rest: client, namespace: namespace}, nil
}

// resource is a kind of object, as a path names it.
type resource struct{ path, name string }

var (
	leases         = resource{"/apis/coordination.k8s.io/v1", "leases"}
	pods           = resource{"/api/v1", "pods"}
	endpointSlices = resource{"/apis/discovery.k8s.io/v1", "endpointslices"}
)

func (c *Client) request(verb *rest.Request, of resource) *rest.Request {
	return verb.AbsPath(of.path, "namespaces", c.namespace, of.name)
}

// lease reads one.
func (c *Client) lease(ctx context.Context, name string) (*coordinationv1.Lease, error) {
	l := &coordinationv1.Lease{}
	return l, c.request(c.rest.Get(), leases).Suffix(name).Do(ctx).Into(l)
}

// createLease makes one.
func (c *Client) createLease(ctx context.Context, l *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	written := &coordinationv1.Lease{}
	return written, c.request(c.rest.Post(), leases).Body(l).Do(ctx).Into(written)
}

// updateLease replaces one.
func (c *Client) updateLease(ctx context.Context, l *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	written := &coordinationv1.Lease{}
	return written, c.request(c.rest.Put(), leases).Suffix(l.Name).Body(l).Do(ctx).Into(written)
}

// get reads an object as JSON.
func (c *Client) get(ctx context.Context, of resource, name string) ([]byte, error) {
	return c.request(c.rest.Get(), of).Suffix(name).Do(ctx).Raw()
}

// patch changes an object, and returns what it is then.
func (c *Client) patch(ctx context.Context, of resource, name string, how types.PatchType, change []byte, params map[string]string) ([]byte, error) {
	r := c.request(c.rest.Patch(how), of).Suffix(name).Body(change)
	for key, value := range params {
		r = r.Param(key, value)
	}
	return r.Do(ctx).Raw()
}
