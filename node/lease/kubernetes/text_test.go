package kubernetes

import (
	"slices"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zset.dev/operator/node/lease"
)

var (
	a = lease.Identity{Pod: "a", UID: "ua", Run: "1"}
	b = lease.Identity{Pod: "b", UID: "ub", Run: "1"}
)

func equal(x, y lease.Record) bool {
	return x.Version == y.Version && x.Epoch == y.Epoch && x.Holder == y.Holder && x.Heir == y.Heir && slices.Equal(x.Electors, y.Electors)
}

func TestRecordSurvivesItsLease(t *testing.T) {
	s := &Store{Name: "shard", Duration: 6 * time.Second, Now: time.Now}
	for _, r := range []lease.Record{
		{Version: "u/7", Epoch: 3, Holder: a, Electors: []lease.Identity{a, b}},
		{Version: "u/7", Epoch: 3, Heir: "b", Electors: []lease.Identity{b}},
		{Version: "u/7"},
	} {
		if got := decode(s.encode(r)); !equal(got, r) {
			t.Errorf("%+v became %+v", r, got)
		}
	}
}

func TestLeaseEditedByHand(t *testing.T) {
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		UID: "u", ResourceVersion: "7", Annotations: map[string]string{electorsAnnotation: " b/ub/1 ,nonsense,, b/ub/1,"},
	}, Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("me")}}
	want := lease.Record{Version: "u/7", Holder: lease.Identity{Pod: "me"}, Electors: []lease.Identity{b, {Pod: "nonsense"}}}
	if got := decode(l); !equal(got, want) {
		t.Errorf("%+v", got)
	}
}
