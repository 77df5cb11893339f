package controllers

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	discoveryac "k8s.io/client-go/applyconfigurations/discovery/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// mustBeMadeAnew says which field of a live object is not as desired and cannot be changed; empty when none is. Such an
// object is deleted and created again at a later look:
//
//   - a StatefulSet without its pods, which go on and are taken up again by the new one;
//   - a Service that has a selector and must have none: Kubernetes would leave the EndpointSlices it made for the selector,
//     and so the addresses in them, for ever;
//   - an EndpointSlice of another family of addresses.
func mustBeMadeAnew(live client.Object, config runtime.ApplyConfiguration) string {
	switch want := config.(type) {
	case *appsac.StatefulSetApplyConfiguration:
		return immutable(live.(*appsv1.StatefulSet), want)
	case *coreac.ServiceApplyConfiguration:
		if want.Spec.Selector == nil && len(live.(*corev1.Service).Spec.Selector) > 0 {
			return "spec.selector"
		}
	case *discoveryac.EndpointSliceApplyConfiguration:
		if live.(*discoveryv1.EndpointSlice).AddressType != *want.AddressType {
			return "addressType"
		}
	}
	return ""
}

// immutable says which of the fields that Kubernetes never changes differs.
func immutable(live *appsv1.StatefulSet, want *appsac.StatefulSetApplyConfiguration) string {
	switch {
	case live.Spec.ServiceName != *want.Spec.ServiceName:
		return "spec.serviceName"
	case live.Spec.PodManagementPolicy != *want.Spec.PodManagementPolicy:
		return "spec.podManagementPolicy"
	case len(live.Spec.VolumeClaimTemplates) != len(want.Spec.VolumeClaimTemplates):
		return "spec.volumeClaimTemplates"
	}
	for i, claim := range want.Spec.VolumeClaimTemplates {
		have := live.Spec.VolumeClaimTemplates[i]
		size := have.Spec.Resources.Requests[corev1.ResourceStorage]
		if have.Name != *claim.Name || size.Cmp((*claim.Spec.Resources.Requests)[corev1.ResourceStorage]) != 0 ||
			claim.Spec.StorageClassName != nil && ptr.Deref(have.Spec.StorageClassName, "") != *claim.Spec.StorageClassName {
			return "spec.volumeClaimTemplates"
		}
	}
	return ""
}

// makeAnew deletes exactly the object that was seen. Pods of a StatefulSet stay.
func (r *Reconciler) makeAnew(ctx context.Context, live client.Object, d desired, field string) error {
	options := []client.DeleteOption{client.Preconditions{UID: ptr.To(live.GetUID())}}
	if _, ok := live.(*appsv1.StatefulSet); ok {
		options = append(options, client.PropagationPolicy(metav1.DeletePropagationOrphan))
	}
	err := r.Client.Delete(ctx, live, options...)
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete %s, whose %s cannot be changed, to make it anew: %w", d, field, err)
	}
	return nil
}
