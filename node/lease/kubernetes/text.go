package kubernetes

import (
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"

	"zset.dev/operator/node/lease"
)

const (
	electorsAnnotation = "cache.zset.dev/electors"
	heirAnnotation     = "cache.zset.dev/heir"
)

// decode is the record of a Lease.
func decode(l *coordinationv1.Lease) lease.Record {
	r := lease.Record{
		Version: versionOf(l),
		Epoch:   int64(ptr.Deref(l.Spec.LeaseTransitions, 0)),
		Holder:  identity(ptr.Deref(l.Spec.HolderIdentity, "")),
		Heir:    l.Annotations[heirAnnotation],
	}
	for text := range strings.SplitSeq(l.Annotations[electorsAnnotation], ",") {
		if text = strings.TrimSpace(text); text != "" {
			r.Electors = append(r.Electors, identity(text))
		}
	}
	slices.SortFunc(r.Electors, func(a, b lease.Identity) int { return strings.Compare(a.String(), b.String()) })
	r.Electors = slices.Compact(r.Electors)
	return r
}

// versionOf is the Lease's UID and resource version. The API server makes a Lease anew that is updated after it was deleted,
// whatever resource version it is said to have, but not when it is said to have a UID.
func versionOf(l *coordinationv1.Lease) string { return string(l.UID) + "/" + l.ResourceVersion }

// identity is that of a text, also if it is none.
func identity(text string) lease.Identity {
	if id, err := lease.ParseIdentity(text); err == nil {
		return id
	}
	return lease.Identity{Pod: text}
}

func joinIdentities(ids []lease.Identity) string {
	text := make([]string, len(ids))
	for i, id := range ids {
		text[i] = id.String()
	}
	return strings.Join(text, ",")
}
