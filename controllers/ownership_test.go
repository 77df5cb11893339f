package controllers

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"zset.dev/operator/api/v1alpha1"
)

func TestWhose(t *testing.T) {
	cluster := func(name string, uid types.UID) *v1alpha1.ZSetCluster {
		return &v1alpha1.ZSetCluster{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid}}
	}
	owned := func(c *v1alpha1.ZSetCluster) []metav1.OwnerReference {
		return []metav1.OwnerReference{*metav1.NewControllerRef(c, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))}
	}
	notController := owned(cluster("board", "2"))
	notController[0].Controller = ptr.To(false)
	for _, test := range []struct {
		name   string
		owners []metav1.OwnerReference
		want   ownership
	}{
		{"nobody's", nil, someoneElse},
		{"this cluster's", owned(cluster("board", "2")), ours},
		{"an earlier cluster's of this name", owned(cluster("board", "1")), leftOver},
		{"another cluster's", owned(cluster("other", "3")), someoneElse},
		{"of another kind of the same name", []metav1.OwnerReference{*metav1.NewControllerRef(cluster("board", "1"), appsv1.SchemeGroupVersion.WithKind("Deployment"))}, someoneElse},
		{"owned but not controlled", notController, someoneElse},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "board", OwnerReferences: test.owners}}
			if got := whose(cluster("board", "2"), live); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}
