package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kresource "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/resource"
)

// reasonStorageRejected: volumes cannot become as large as the spec asks for.
const reasonStorageRejected = "StorageRejected"

// growVolumes asks for the wanted size for every claim that a StatefulSet made, those of pods that are away included: a
// StatefulSet gives its claims their size once. Nothing is asked for unless every class allows it. It does nothing unless
// the StatefulSet's own size is not the wanted one; that is changed last, when the claims have been asked to grow.
func (r *Reconciler) growVolumes(ctx context.Context, cluster *v1alpha1.ZSetCluster, set *appsv1.StatefulSet) (*problem, error) {
	if cluster.Spec.Storage == nil || !otherSize(set, cluster.Spec.Storage.Size) {
		return nil, nil
	}
	// Read from the API server: claims are looked at here only, so they are not worth a cache.
	var claims corev1.PersistentVolumeClaimList
	if err := r.APIReader.List(ctx, &claims, client.InNamespace(set.Namespace), client.MatchingLabels{resource.LabelCluster: cluster.Name}); err != nil {
		return nil, fmt.Errorf("list PersistentVolumeClaims: %w", err)
	}
	small := tooSmall(claims.Items, set, cluster.Spec.Storage.Size)
	for _, claim := range small {
		name := ptr.Deref(claim.Spec.StorageClassName, "")
		var class storagev1.StorageClass
		if err := r.APIReader.Get(ctx, types.NamespacedName{Name: name}, &class); client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("read StorageClass %s: %w", name, err)
		}
		if !ptr.Deref(class.AllowVolumeExpansion, false) {
			return cannotGrow(claim, name), nil
		}
	}
	for _, claim := range small {
		base := claim.DeepCopy()
		claim.Spec.Resources.Requests[corev1.ResourceStorage] = cluster.Spec.Storage.Size
		if err := r.Client.Patch(ctx, claim, client.MergeFrom(base), client.FieldOwner(FieldOwner)); err != nil {
			if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
				return &problem{reasonStorageRejected, fmt.Sprintf("the API server refused to grow PersistentVolumeClaim %s: %v. "+
					"Change the quota or policy that the message names. The cluster goes on with the volumes it has.", claim.Name, err)}, nil
			}
			return nil, fmt.Errorf("grow PersistentVolumeClaim %s: %w", claim.Name, err)
		}
	}
	return nil, nil
}

// otherSize tells whether a StatefulSet gives its claims another size.
func otherSize(set *appsv1.StatefulSet, size kresource.Quantity) bool {
	return slices.ContainsFunc(set.Spec.VolumeClaimTemplates, func(template corev1.PersistentVolumeClaim) bool {
		asked := template.Spec.Resources.Requests[corev1.ResourceStorage]
		return asked.Cmp(size) != 0
	})
}

// tooSmall returns the claims of a StatefulSet's pods that ask for less than size.
func tooSmall(claims []corev1.PersistentVolumeClaim, set *appsv1.StatefulSet, size kresource.Quantity) []*corev1.PersistentVolumeClaim {
	var small []*corev1.PersistentVolumeClaim
	for _, template := range set.Spec.VolumeClaimTemplates {
		for i := range claims {
			asked := claims[i].Spec.Resources.Requests[corev1.ResourceStorage]
			if strings.HasPrefix(claims[i].Name, template.Name+"-"+set.Name+"-") && claims[i].DeletionTimestamp == nil && asked.Cmp(size) < 0 {
				small = append(small, &claims[i])
			}
		}
	}
	return small
}

// keepVolumes leaves the templates of claims as they were applied before.
func keepVolumes(want, owned runtime.ApplyConfiguration) {
	want.(*appsac.StatefulSetApplyConfiguration).Spec.VolumeClaimTemplates = owned.(*appsac.StatefulSetApplyConfiguration).Spec.VolumeClaimTemplates
}

func cannotGrow(claim *corev1.PersistentVolumeClaim, class string) *problem {
	return &problem{reasonStorageRejected, fmt.Sprintf("storage.size cannot grow: StorageClass %q of PersistentVolumeClaim %s does not have "+
		"allowVolumeExpansion: true. Set that, if its provisioner can grow volumes, or make a new cluster of another class. "+
		"The cluster goes on with the volumes it has.", class, claim.Name)}
}
