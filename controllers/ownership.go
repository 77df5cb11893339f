package controllers

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zset.dev/operator/api/v1alpha1"
)

// ownership is whose an existing object is, seen from a cluster that wants one of that name.
type ownership int

const (
	ours        ownership = iota // controlled by this cluster
	leftOver                     // of an earlier cluster of this name: the garbage collector is about to delete it
	someoneElse                  // never to be touched
)

// whose decides by the controller reference, which holds the UID of the one cluster that made the object.
func whose(cluster *v1alpha1.ZSetCluster, live metav1.Object) ownership {
	ref := metav1.GetControllerOf(live)
	switch {
	case ref == nil:
		return someoneElse
	case ref.UID == cluster.UID:
		return ours
	case ref.APIVersion == v1alpha1.GroupVersion.String() && ref.Kind == v1alpha1.Kind && ref.Name == cluster.Name:
		return leftOver
	}
	return someoneElse
}

// nameTaken explains an object that stands where one of the cluster's should be.
func nameTaken(d desired) *problem {
	return &problem{
		reason: reasonNameTaken,
		message: fmt.Sprintf("%s exists and does not belong to this cluster; it is left alone. "+
			"Delete or rename it, or create the cluster under another name.", d),
	}
}
