package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/api/v1alpha1"
)

// FieldOwner is the operator's name in the managed fields of what it applies.
const FieldOwner = "zset-operator"

// applied is what the apply phase did.
type applied struct {
	created, updated []string // "Kind name"
	leaving          string   // an object that must first be gone, if any
	refused          *problem // of volumes that cannot grow; the rest was applied
}

// touched tells whether an object was created or updated in this reconcile, so that what the cache says of it is old.
func (a applied) touched(d string) bool {
	return slices.Contains(a.created, d) || slices.Contains(a.updated, d)
}

// apply makes the desired objects exist. It looks at all of them before it writes any: if one name is taken by someone
// else, or an object is on its way out, nothing is written. What already is as desired is not written either.
func (r *Reconciler) apply(ctx context.Context, cluster *v1alpha1.ZSetCluster, objects []desired) (applied, *problem, error) {
	live := make([]client.Object, len(objects))
	for i, d := range objects {
		object, err := r.find(ctx, types.NamespacedName{Namespace: cluster.Namespace, Name: d.name}, d)
		if err != nil {
			return applied{}, nil, err
		}
		if object == nil {
			continue
		}
		switch whose(cluster, object) {
		case someoneElse:
			return applied{}, nameTaken(d), nil
		case leftOver:
			return applied{leaving: d.String()}, nil, nil
		}
		if object.GetDeletionTimestamp() != nil {
			return applied{leaving: d.String()}, nil, nil
		}
		live[i] = object
	}

	var done applied
	for i, d := range objects {
		if live[i] == nil {
			// Not forced: if someone took the name since we looked, this is a conflict and not a take-over.
			if err := r.Client.Apply(ctx, d.config, client.FieldOwner(FieldOwner)); err != nil {
				problem, err := applyProblem(d, err)
				return done, problem, err
			}
			done.created = append(done.created, d.String())
			continue
		}
		owned, err := d.owned(live[i], FieldOwner)
		if err != nil {
			return done, nil, fmt.Errorf("read the managed fields of %s: %w", d, err)
		}
		if set, ok := live[i].(*appsv1.StatefulSet); ok {
			refused, err := r.growVolumes(ctx, cluster, set)
			if err != nil {
				return done, nil, err
			}
			if refused != nil { // everything else of the spec still counts
				done.refused = refused
				keepVolumes(d.config, owned)
			}
		}
		if field := mustBeMadeAnew(live[i], d.config); field != "" {
			done.leaving = d.String()
			return done, nil, r.makeAnew(ctx, live[i], d, field)
		}
		if equality.Semantic.DeepEqual(d.config, owned) {
			continue
		}
		d.bind(live[i].GetUID())
		if err := r.Client.Apply(ctx, d.config, client.FieldOwner(FieldOwner), client.ForceOwnership); err != nil {
			problem, err := applyProblem(d, err)
			return done, problem, err
		}
		// What the API server fills in, in places that are owned as a whole, looks like a difference but is none.
		if version, err := versionOf(d.config); err != nil {
			return done, nil, fmt.Errorf("read the answer to the apply of %s: %w", d, err)
		} else if version != live[i].GetResourceVersion() {
			done.updated = append(done.updated, d.String())
		}
	}
	return done, nil, nil
}

// versionOf returns the resource version of an apply configuration that the API server's answer was read into.
func versionOf(config runtime.ApplyConfiguration) (string, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return "", err
	}
	var object metav1.PartialObjectMetadata
	err = json.Unmarshal(text, &object)
	return object.ResourceVersion, err
}

// find returns the live object, or nil when there is none. The cache holds the operator's own objects only, so before an
// object is taken for missing the API server is asked.
func (r *Reconciler) find(ctx context.Context, key types.NamespacedName, d desired) (client.Object, error) {
	for _, reader := range []client.Reader{r.Client, r.APIReader} {
		object := d.empty()
		err := reader.Get(ctx, key, object)
		if err == nil {
			return object, nil
		}
		if !apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("read %s: %w", d, err)
		}
	}
	return nil, nil
}

// applyProblem tells an answer that only a person can change from one that passes by trying again.
func applyProblem(d desired, err error) (*problem, error) {
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return &problem{reasonApplyRejected, "the namespace is being deleted"}, nil
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsBadRequest(err),
		apierrors.IsInternalError(err): // an admission webhook that is down
		return &problem{
			reason: reasonApplyRejected,
			message: fmt.Sprintf("the API server rejected %s: %v. Change the spec, or the quota, policy, webhook or "+
				"permission that the message names.", d, err),
		}, nil
	}
	return nil, fmt.Errorf("apply %s: %w", d, err)
}
