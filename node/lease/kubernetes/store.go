package kubernetes

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"zset.dev/operator/node/lease"
)

// A Store reads and writes one Lease. Its methods may be called from any goroutine.
type Store struct {
	Client   *Client
	Name     string
	Duration time.Duration     // noted in the Lease
	Labels   map[string]string // of a Lease that is created
	Owners   []metav1.OwnerReference
	Now      func() time.Time // for what people read
}

// Read is the record as it is, none with an empty version when there is no Lease. It asks for the newest state, not for
// some server's cache of it.
func (s *Store) Read(ctx context.Context) (lease.Record, error) {
	found, err := s.Client.lease(ctx, s.Name)
	if apierrors.IsNotFound(err) {
		return lease.Record{}, nil
	}
	if err != nil {
		return lease.Record{}, fmt.Errorf("lease: cannot read %s: %w", s.Name, err)
	}
	return decode(found), nil
}

// Write makes the record r, if it still has r's version, or creates it when that is empty, and returns its new version.
// After an error that is not lease.ErrRefused it may have been written, or may still be.
func (s *Store) Write(ctx context.Context, r lease.Record) (version string, err error) {
	if r.Epoch > math.MaxInt32 {
		return "", fmt.Errorf("lease: epoch %d does not fit into a Lease", r.Epoch)
	}
	var written *coordinationv1.Lease
	if r.Absent() {
		written, err = s.Client.createLease(ctx, s.encode(r))
	} else {
		written, err = s.Client.updateLease(ctx, s.encode(r))
	}
	switch {
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err):
		return "", fmt.Errorf("%w: %w", lease.ErrRefused, err)
	case err != nil:
		return "", fmt.Errorf("lease: cannot write %s: %w", s.Name, err)
	}
	return versionOf(written), nil
}

// encode is the Lease of a record.
func (s *Store) encode(r lease.Record) *coordinationv1.Lease {
	now := metav1.NewMicroTime(s.Now())
	uid, resourceVersion, _ := strings.Cut(r.Version, "/")
	l := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{
			Name: s.Name, UID: types.UID(uid), ResourceVersion: resourceVersion, Labels: s.Labels, OwnerReferences: s.Owners,
			Annotations: map[string]string{electorsAnnotation: joinIdentities(r.Electors)},
		},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity:       ptr.To(r.Holder.String()),
			LeaseDurationSeconds: ptr.To(int32(max(1, s.Duration/time.Second))),
			LeaseTransitions:     ptr.To(int32(r.Epoch)),
			RenewTime:            &now,
		},
	}
	if r.Heir != "" {
		l.Annotations[heirAnnotation] = r.Heir
	}
	return l
}
