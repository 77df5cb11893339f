package controllers

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/noderesp"
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
func (n oddNode) ConfigSet(context.Context, tuning.List) error { return n.set }
func (n oddNode) Close() error                                 { return nil }

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
			if f.done = r.configureNode(t.Context(), f.step); f.done.configured != "" {
				t.Error("counted as configured")
			}
			status := newStatus(v1alpha1.ZSetClusterStatus{}, 1, f, testNow)
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
	p := r.askNode(t.Context(), pod{address: "10.0.0.1:6379"})
	if p.answered || p.silence != "no connection" {
		t.Errorf("%+v", p)
	}
}
