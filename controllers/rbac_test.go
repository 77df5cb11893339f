//go:build integration

package controllers

import (
	"context"
	"fmt"
	"os"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// operatorUser is whom every operator of these tests acts as: one who may do what config/rbac/role.yaml says and no more.
const operatorUser = "system:serviceaccount:zset-system:zset-operator"

// allowOperator installs the operator's ClusterRole as it is deployed.
func allowOperator(ctx context.Context) error {
	text, err := os.ReadFile("../config/rbac/role.yaml")
	if err != nil {
		return err
	}
	role := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(text, role); err != nil {
		return err
	}
	if err := kube.Create(ctx, role); err != nil {
		return err
	}
	return kube.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: operatorUser}},
	})
}

// What a node may do, and what it may not.
func TestNodesMayDo(t *testing.T) {
	namespace := newNamespace(t)
	k := newKubelet(t, namespace, "board")
	startOperator(t, namespace, k.address)
	createCluster(t, namespace, "board", asIs)
	k.statefulSet() // comes last

	for _, test := range []struct {
		verb, group, resource, name string
		may                         bool
	}{
		{"create", "coordination.k8s.io", "leases", "", true},
		{"get", "coordination.k8s.io", "leases", "board-s0", true},
		{"update", "coordination.k8s.io", "leases", "board-s0", true},
		{"delete", "coordination.k8s.io", "leases", "board-s0", false},
		{"update", "coordination.k8s.io", "leases", "other-s0", false},
		{"list", "coordination.k8s.io", "leases", "", false},
		{"get", "", "pods", "board-s0-0", true},
		{"patch", "", "pods", "board-s0-9", true},
		{"patch", "", "pods", "other-s0-0", false},
		{"list", "", "pods", "", false},
		{"delete", "", "pods", "board-s0-0", false},
		{"get", "discovery.k8s.io", "endpointslices", "board-primary", true},
		{"patch", "discovery.k8s.io", "endpointslices", "board-primary", true},
		{"patch", "discovery.k8s.io", "endpointslices", "other-primary", false},
		{"create", "discovery.k8s.io", "endpointslices", "", false},
		{"get", "", "secrets", "", false},
	} {
		eventually(t, func() error { // the authorizer learns of a Role by a watch
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: "system:serviceaccount:" + namespace + ":board-node",
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: namespace, Verb: test.verb, Group: test.group, Resource: test.resource, Name: test.name,
				},
			}}
			if err := kube.Create(t.Context(), review); err != nil {
				return err
			}
			if review.Status.Allowed != test.may {
				return fmt.Errorf("%s %s %q: %v", test.verb, test.resource, test.name, review.Status.Allowed)
			}
			return nil
		})
	}
}
