package controllers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/tuning"
)

// act carries out the step.
func (r *Reconciler) act(ctx context.Context, namespace string, s step) (outcome, error) {
	switch s.kind {
	case configure:
		return r.configureNode(ctx, s), nil
	case replacePod:
		return r.deletePod(ctx, namespace, s.pod)
	}
	return outcome{}, nil
}

// configureNode sends what differs in one command and reads it back into the facts of the pod: only what the node then
// answers counts. Failures are facts too; the next look tries again.
func (r *Reconciler) configureNode(ctx context.Context, s step) outcome {
	p := s.pod
	err := r.converse(ctx, p.address, func(ctx context.Context, node noderesp.Conn) (err error) {
		if err := node.ConfigSet(ctx, s.set); err != nil {
			return err
		}
		p.config, err = node.ConfigGet(ctx, tuning.Managed)
		return err
	})
	if refusal := new(noderesp.Refusal); errors.As(err, &refusal) {
		p.refusal = refusal.Reply
		return outcome{}
	}
	if err != nil {
		p.answered, p.silence = false, noderesp.Explain(err)
		return outcome{}
	}
	if different := tuning.Diff(s.set, p.config); len(different) > 0 {
		p.refusal = fmt.Sprintf("it accepted %s, but does not report it afterwards", different)
		return outcome{}
	}
	return outcome{configured: p.name, set: s.set}
}

// deletePod deletes exactly the pod that was observed: a successor of the same name has another UID and is spared.
func (r *Reconciler) deletePod(ctx context.Context, namespace string, p *pod) (outcome, error) {
	object := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: p.name}}
	err := r.Client.Delete(ctx, object, client.Preconditions{UID: &p.uid})
	switch {
	case err == nil:
		return outcome{replaced: p.name}, nil
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return outcome{}, nil // gone already: what we saw was old
	}
	return outcome{}, fmt.Errorf("delete outdated pod %s: %w", p.name, err)
}
