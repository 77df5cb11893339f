package controllers

import (
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Annotations of a shard's Lease, which its nodes write and the operator only reads.
const electorsAnnotation = "cache.zset.dev/electors"

// identity is one process of one pod, as it stands in a Lease: pod/uid/run.
type identity struct {
	pod string
	uid types.UID
	run string
}

func (i identity) String() string { return i.pod + "/" + string(i.uid) + "/" + i.run }

// parseIdentity reads an identity. ok is false for a text that is none, which a person wrote; its pod is then that text.
func parseIdentity(text string) (i identity, ok bool) {
	part := strings.Split(text, "/")
	if len(part) != 3 || slices.Contains(part, "") {
		return identity{pod: text}, false
	}
	return identity{part[0], types.UID(part[1]), part[2]}, true
}

// record is what a shard's Lease says.
type record struct {
	exists   bool
	epoch    int64
	holder   identity // zero after the holder gave it up, and before there was one
	electors []identity
	edited   string // what in it no node wrote, if anything
}

// readLease is the record of a Lease of the named shard.
func readLease(l *coordinationv1.Lease, shard string) record {
	r := record{exists: true, epoch: int64(ptr.Deref(l.Spec.LeaseTransitions, 0))}
	read := func(text string) identity {
		i, ok := parseIdentity(text)
		if !ok || !strings.HasPrefix(i.pod, shard+"-") {
			r.edited = text
		}
		return i
	}
	if holder := ptr.Deref(l.Spec.HolderIdentity, ""); holder != "" {
		r.holder = read(holder)
	}
	for text := range strings.SplitSeq(l.Annotations[electorsAnnotation], ",") {
		if text = strings.TrimSpace(text); text != "" {
			r.electors = append(r.electors, read(text))
		}
	}
	return r
}

// vacant tells whether the record names nobody: no process there ever was has anything that was acknowledged.
func (r record) vacant() bool { return r.holder == identity{} && len(r.electors) == 0 }

// sameRecord tells whether two versions of a Lease differ in nothing but the time of their renewal, which the primary does every
// second and nobody needs to hear of.
func sameRecord(a, b *coordinationv1.Lease) bool {
	return ptr.Deref(a.Spec.HolderIdentity, "") == ptr.Deref(b.Spec.HolderIdentity, "") &&
		ptr.Deref(a.Spec.LeaseTransitions, 0) == ptr.Deref(b.Spec.LeaseTransitions, 0) &&
		a.Annotations[electorsAnnotation] == b.Annotations[electorsAnnotation] && a.UID == b.UID
}
