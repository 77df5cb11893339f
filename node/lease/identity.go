package lease

import (
	"fmt"
	"strings"
)

// An Identity is one process of one pod: a pod that is made again has another UID, a process that is started again another
// run.
type Identity struct{ Pod, UID, Run string }

// String is the identity as it stands in a record: pod/uid/run, and nothing for the zero value.
func (id Identity) String() string {
	if id == (Identity{}) {
		return ""
	}
	return id.Pod + "/" + id.UID + "/" + id.Run
}

// ParseIdentity reads what String wrote.
func ParseIdentity(text string) (Identity, error) {
	if text == "" {
		return Identity{}, nil
	}
	part := strings.Split(text, "/")
	if len(part) != 3 || part[0] == "" || part[1] == "" || part[2] == "" {
		return Identity{}, fmt.Errorf("lease: %q is not an identity: pod/uid/run is", text)
	}
	return Identity{Pod: part[0], UID: part[1], Run: part[2]}, nil
}

// A Position says how much of a shard's history a copy has: up to that offset, the last of it written by the primary of that
// epoch. A primary writes a mark of its epoch before anything else, so a copy counts for an epoch once it has all that
// was before. It is not the epoch of whom a node follows: a copy that is behind would seem to be more than it is.
type Position struct{ Epoch, Offset int64 }

// Before reports whether p is the lesser copy.
func (p Position) Before(o Position) bool {
	return p.Epoch < o.Epoch || p.Epoch == o.Epoch && p.Offset < o.Offset
}

// Empty reports whether there is no copy at all.
func (p Position) Empty() bool { return p == Position{} }
