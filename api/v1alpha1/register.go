package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is the kind of a sorted-set cache.
const Kind = "ZSetCluster"

// GroupVersion is the group and version of this package's types.
var GroupVersion = schema.GroupVersion{Group: "cache.zset.dev", Version: "v1alpha1"}

var schemeBuilder = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &ZSetCluster{}, &ZSetClusterList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
})

// AddToScheme adds this package's types to a scheme.
var AddToScheme = schemeBuilder.AddToScheme
