package controllers

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/resource"
	"zset.dev/operator/controllers/tuning"
)

// oddNode misbehaves in ways a real node of this version cannot be made to.
type oddNode struct {
	set    error             // answer to CONFIG SET
	config map[string]string // answer to CONFIG GET
}

func (n oddNode) ConfigGet(context.Context, []string) (map[string]string, error) {
	return n.config, nil
}
func (n oddNode) ConfigSet(context.Context, tuning.List) error               { return n.set }
func (n oddNode) Shard(context.Context) (noderesp.Shard, error)              { return noderesp.Shard{}, nil }
func (n oddNode) Failover(context.Context, string, int, time.Duration) error { return n.set }
func (n oddNode) Close() error                                               { return nil }

// A node that will not take its configuration is reported, and not asked again at once.
func TestNodeThatDoesNotTakeItsConfiguration(t *testing.T) {
	for _, test := range []struct {
		name   string
		node   oddNode
		reason string // of Degraded and ConfigApplied
		words  string
	}{
		{"refuses", oddNode{set: &noderesp.Refusal{Reply: "ERR no"}}, "Rejected", "ERR no"},
		{"accepts and ignores", oddNode{config: map[string]string{"zset-skiplist-p": "0.25", "maxmemory": "0"}}, "Rejected", "it accepted zset-skiplist-p 1/e, but does not report it"},
		{"goes away", oddNode{set: syscall.ECONNRESET}, "NodeUnreachable", "connection reset by peer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &Reconciler{Dial: func(context.Context, string) (noderesp.Conn, error) { return test.node, nil }}
			f := planned(onePod(func(_ *shard, p *pod) { differs(p) }))
			if r.configureNode(t.Context(), f); len(f.done.configured) > 0 {
				t.Error("counted as configured")
			}
			f.step = plan(f.shards, f.want, testNow)
			if f.step.kind == configure {
				t.Error("it is asked again at once")
			}
			earlier := newStatus(v1alpha1.ZSetClusterStatus{}, 1, f, testNow.Add(-degradedGrace))
			status := newStatus(earlier, 1, f, testNow)
			for _, c := range status.Conditions {
				if c.Type != "Degraded" && c.Type != "ConfigApplied" {
					continue
				}
				if c.Reason != test.reason || !strings.Contains(c.Message, test.words) {
					t.Errorf("%s: %s: %s", c.Type, c.Reason, c.Message)
				}
			}
			if next := nextLook(status, f, testNow, time.Minute); next < leastBackoff {
				t.Errorf("looks again after %v", next)
			}
		})
	}
}

// A failed dial is a fact about the node; it is never an error of the reconcile.
func TestAskingASilentNode(t *testing.T) {
	r := &Reconciler{Dial: func(context.Context, string) (noderesp.Conn, error) { return nil, errors.New("what a network says") }}
	p := &pod{address: "10.0.0.1:6379"}
	r.askNode(t.Context(), p)
	if p.answered || p.silence != "no connection" {
		t.Errorf("%+v", p)
	}
}

// A hand-over that the primary refuses is remembered, and so is one whose answer was lost: it may have been taken up.
func TestAskingForAHandOver(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer error
		want   verdict
	}{
		{"taken up", nil, verdict{begun: true}},
		{"refused", &noderesp.Refusal{Reply: "ERR FAILOVER target replica is not online."}, verdict{failed: true}},
		{"no answer", syscall.ECONNRESET, verdict{begun: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &Reconciler{Now: func() time.Time { return testNow }, Dial: func(context.Context, string) (noderesp.Conn, error) { return oddNode{set: test.answer}, nil }}
			cluster := &v1alpha1.ZSetCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "games", Name: "board"}}
			f := planned(shardOf(2, func(s *shard) { s.preferred = "board-s0-1" }))
			if err := r.act(t.Context(), resource.Cluster{ZSetCluster: cluster}, f); err != nil {
				t.Fatal(err)
			}
			v := f.done.handover
			if v.begun != test.want.begun || v.failed != test.want.failed || v.attempt.from != "board-s0-0" || v.attempt.to != "board-s0-1" || v.attempt.epoch != 7 {
				t.Errorf("%+v", v)
			}
			kept := r.handovers.get(shardKey{client.ObjectKeyFromObject(cluster), "board-s0"})
			if kept != v.attempt || kept.underWay() != test.want.begun || kept.rests(testNow) != test.want.failed {
				t.Errorf("kept %+v", kept)
			}
			r.handovers.forget(client.ObjectKeyFromObject(cluster))
			if kept := r.handovers.get(shardKey{client.ObjectKeyFromObject(cluster), "board-s0"}); kept != (attempt{}) {
				t.Errorf("kept of a cluster that is no more: %+v", kept)
			}
		})
	}
}

// What the API server says when a pod is about to be deleted decides, not what was seen before.
func TestStillDue(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(s *shard, object *corev1.Pod, set *appsv1.StatefulSet)
		want   bool
	}{
		{"as it was seen", func(*shard, *corev1.Pod, *appsv1.StatefulSet) {}, true},
		{"another pod of the name", func(_ *shard, p *corev1.Pod, _ *appsv1.StatefulSet) { p.UID = "other" }, false},
		{"it ends already", func(_ *shard, p *corev1.Pod, _ *appsv1.StatefulSet) {
			p.DeletionTimestamp = &metav1.Time{Time: testNow}
		}, false},
		{"it is of the current template again", func(_ *shard, _ *corev1.Pod, set *appsv1.StatefulSet) { set.Status.UpdateRevision = "one" }, false},
		{"the template changed again", func(_ *shard, _ *corev1.Pod, set *appsv1.StatefulSet) { set.Generation++ }, false},
		{"it took over", func(s *shard, _ *corev1.Pod, _ *appsv1.StatefulSet) { s.lease.holder = process(1) }, false},
		{"the primary gave the Lease up", func(s *shard, _ *corev1.Pod, _ *appsv1.StatefulSet) { s.lease.holder = identity{} }, false},
		{"it was dead, and runs now", func(s *shard, _ *corev1.Pod, _ *appsv1.StatefulSet) { s.pods[1].dead = true }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := shardOf(2, func(s *shard) { s.outdate(1) })
			object := podObject(func(p *corev1.Pod) {
				p.Name, p.UID = "board-s0-1", "uid-1"
				p.Labels[appsv1.ControllerRevisionHashLabelKey] = "one"
			})
			set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Generation: 2}, Status: appsv1.StatefulSetStatus{ObservedGeneration: 2, UpdateRevision: "two"}}
			test.change(&s[0], object, set)
			if got := s[0].stillDue(&s[0].pods[1], object, set); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
