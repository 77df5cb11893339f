//go:build integration

package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"zset.dev/operator/node/lease"
)

var apiServer *rest.Config // of a real kube-apiserver and etcd, from the folder KUBEBUILDER_ASSETS names

func TestMain(m *testing.M) {
	os.Exit(func() int {
		env := &envtest.Environment{}
		defer env.Stop()
		var err error
		if apiServer, err = env.Start(); err != nil {
			fmt.Fprintln(os.Stderr, "start kube-apiserver and etcd:", err)
			return 1
		}
		return m.Run()
	}())
}

// admin may do everything.
func admin(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	config := rest.CopyConfig(apiServer)
	config.QPS = -1
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newStore(t *testing.T, name string, wrap func(http.RoundTripper) http.RoundTripper) *Store {
	t.Helper()
	config := rest.CopyConfig(apiServer)
	if wrap != nil {
		config.Wrap(wrap)
	}
	c, err := NewClient(config, "default", 10*time.Second, "test")
	if err != nil {
		t.Fatal(err)
	}
	return &Store{Client: c, Name: name, Duration: 6 * time.Second, Labels: map[string]string{"shard": "0"}, Now: time.Now}
}

func TestCompareAndSwap(t *testing.T) {
	ctx := t.Context()
	s := newStore(t, "swap", nil)
	if r, err := s.Read(ctx); err != nil || !r.Absent() {
		t.Fatalf("before there is one: %+v, %v", r, err)
	}
	mine := lease.Record{Epoch: 4, Holder: a, Electors: []lease.Identity{a, b}}
	v1, err := s.Write(ctx, mine)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(ctx, mine); !errors.Is(err, lease.ErrRefused) {
		t.Fatalf("creating it again: %v", err)
	}
	mine.Version = v1
	v2, err := s.Write(ctx, mine)
	if err != nil || v2 == v1 {
		t.Fatalf("renewing made version %s of %s: %v", v2, v1, err)
	}
	if _, err := s.Write(ctx, mine); !errors.Is(err, lease.ErrRefused) {
		t.Fatalf("writing an old version: %v", err)
	}
	mine.Version = v2
	if got, err := s.Read(ctx); err != nil || !equal(got, mine) {
		t.Fatalf("%+v, %v", got, err)
	}
	given := lease.Record{Version: v2, Epoch: 4, Heir: "b", Electors: []lease.Identity{b}}
	if given.Version, err = s.Write(ctx, given); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Read(ctx); err != nil || !equal(got, given) {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := admin(t).CoordinationV1().Leases("default").Delete(ctx, s.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(ctx, given); !errors.Is(err, lease.ErrRefused) {
		t.Fatalf("writing what was deleted: %v", err)
	}
	given.Version, given.Epoch = "", math.MaxInt32+1
	if _, err := s.Write(ctx, given); err == nil || errors.Is(err, lease.ErrRefused) {
		t.Fatalf("an epoch beyond what a Lease can hold: %v", err)
	}
}

// lossy answers nothing to what it lets through, or lets nothing through.
type lossy struct {
	next http.RoundTripper
	drop func(*http.Request) (sent, answered bool)
}

func (l lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, answered := l.drop(r)
	if !sent {
		return nil, errors.New("the network is down")
	}
	answer, err := l.next.RoundTrip(r)
	if err == nil && !answered {
		answer.Body.Close()
		return nil, errors.New("the answer was lost")
	}
	return answer, err
}

func TestAnAnswerThatWasLostIsNoRefusal(t *testing.T) {
	ctx := t.Context()
	lose := false
	s := newStore(t, "lossy", func(next http.RoundTripper) http.RoundTripper {
		return lossy{next, func(r *http.Request) (bool, bool) { return true, !lose || r.Method == http.MethodGet }}
	})
	lose = true
	if _, err := s.Write(ctx, lease.Record{Epoch: 1, Holder: a}); err == nil || errors.Is(err, lease.ErrRefused) {
		t.Fatalf("%v", err)
	}
	if r, err := s.Read(ctx); err != nil || r.Holder != a {
		t.Fatalf("it was written all the same, and read is %+v, %v", r, err)
	}
}

// TestElections lets three elections in one process fight for one Lease of a real API server: there is one holder in the end,
// its epoch went up with each change, and what one holder gives up the next takes at once.
func TestElections(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	timing := lease.Timing{Duration: time.Second, Deadline: 600 * time.Millisecond, Retry: 200 * time.Millisecond}
	origin := time.Now()
	type node struct {
		sync.Mutex
		*lease.Election
		facts lease.Facts
	}
	var nodes []*node
	for _, pod := range []string{"a", "b", "c"} {
		id := lease.Identity{Pod: pod, UID: "u" + pod, Run: "1"}
		nodes = append(nodes, &node{Election: lease.New(id, timing, 0, 0), facts: lease.Facts{Whole: true, Position: lease.Position{Epoch: 1, Offset: 1}}})
	}
	var running sync.WaitGroup
	for _, n := range nodes {
		s := newStore(t, "fight", nil)
		running.Go(func() {
			for ctx.Err() == nil {
				n.Lock()
				start := time.Since(origin)
				d := n.Step(start, n.facts)
				n.Unlock()
				switch {
				case d.Write != nil:
					version, err := s.Write(ctx, *d.Write)
					n.Lock()
					switch now := time.Since(origin); {
					case err == nil:
						n.Wrote(now, version)
					case errors.Is(err, lease.ErrRefused):
						n.Refused(now)
					default:
						n.Lost(now)
					}
					n.Unlock()
				case d.Read:
					r, err := s.Read(ctx)
					n.Lock()
					if err == nil {
						n.Observed(start, time.Since(origin), r)
					} else {
						n.ReadFailed()
					}
					n.Unlock()
				default:
					time.Sleep(10 * time.Millisecond)
				}
			}
		})
	}
	holder := func(not *node) (found *node) {
		t.Helper()
		for found == nil && ctx.Err() == nil {
			for _, n := range nodes {
				n.Lock()
				if n != not && time.Since(origin) < n.Until() {
					found = n
				}
				n.Unlock()
			}
			time.Sleep(5 * time.Millisecond)
		}
		if found == nil {
			t.Fatal("nobody holds the record")
		}
		return found
	}
	first := holder(nil)
	first.Lock()
	epoch := first.Epoch()
	// The others follow it, and become electors; then it gives the record up.
	for _, n := range nodes {
		if n != first {
			first.facts.InSync = append(first.facts.InSync, n.Identity())
		}
	}
	first.facts.Close = first.facts.InSync
	first.Unlock()
	for listed := 0; listed < 2 && ctx.Err() == nil; {
		first.Lock()
		listed = len(first.Record().Electors) - 1
		first.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
	first.Lock()
	first.facts.HandOver = &lease.HandOver{Leaving: true}
	first.Unlock()
	second := holder(first)
	second.Lock()
	if second.Epoch() <= epoch {
		t.Errorf("epoch %d after %d", second.Epoch(), epoch)
	}
	second.Unlock()
	cancel()
	running.Wait()
}
