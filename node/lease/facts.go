package lease

import "time"

// Fate is what is known of a process that is not this one.
type Fate uint8

const (
	MayRun   Fate = iota // nothing is proven
	Gone                 // its pod's UID is no more
	Replaced             // its pod runs another process now
)

// Presence is what is known of a pod.
type Presence uint8

const (
	Missing Presence = iota // expected, and not there
	Idle                    // there, and no process of it ever started
	Running                 // a process of it may run
)

// A Peer is another process of the shard that was heard from.
type Peer struct {
	ID       Identity
	Heard    time.Duration // when it last said how it is
	Position Position      // of its copy
	Whole    bool          // its copy is not just being replaced by another
	Promised time.Duration // not before then it campaigns: counted, by Timing.Deadline, from when it was asked
}

// A HandOver says that this node is to give the record up.
type HandOver struct {
	Heir    string // the pod that is to have it; empty for any elector
	Leaving bool   // this process ends, and is no elector any more
}

// Facts is what a node knows of its shard and itself.
type Facts struct {
	Position Position // of its own copy
	Whole    bool     // its own copy is not just being replaced by another
	Peers    []Peer
	Close    []Identity          // who, beside itself, follows this node in its epoch and shall be an elector
	InSync   []Identity          // those of them that may be one now: with synchronous replicas, who has all that was acknowledged
	Fates    map[Identity]Fate   // MayRun of those that are not in it
	Pods     map[string]Presence // every expected and every existing pod of the shard but its own
	HandOver *HandOver           // nil when the record is to be kept
}

// heard is the process of a pod that was heard from within some time, if there was one.
func (f *Facts) heard(pod string, since time.Duration) (p Peer, ok bool) {
	for _, q := range f.Peers {
		if q.ID.Pod == pod && q.Heard >= since && f.Fates[q.ID] == MayRun {
			return q, true
		}
	}
	return p, false
}

// process is what was heard of one process.
func (f *Facts) process(id Identity) (p Peer, ok bool) {
	for _, q := range f.Peers {
		if q.ID == id {
			return q, true
		}
	}
	return p, false
}
