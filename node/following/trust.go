package following

import (
	"fmt"

	"zset.dev/operator/node/replica"
	"zset.dev/operator/node/replication"
)

// known is what a node knows of primaries before it gets anything of one.
type known struct {
	epoch    int64            // the greatest seen
	leader   string           // whose log the node has, by run id; empty when it has no other's
	position replica.Position // what it has of it
	forgive  bool             // whom to follow was said by somebody who knows what is lost
	holder   *Holder          // who it has to be; nil when nobody decides that but this node
}

// A RefusedError is for a primary that must not be followed.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "the primary is refused: " + e.Reason }

const wayOut = "REPLICAOF NO ONE, then REPLICAOF again, follows it all the same and gives up what this node has"

// judge decides whether a primary may be followed. ours says that it is a node of this kind, which primary tells of.
func (k known) judge(primary replication.Identity, ours bool) error {
	switch {
	case k.holder != nil:
		return k.holder.judge(primary, ours)
	case !ours || k.forgive:
		return nil
	case primary.Epoch < k.epoch:
		return &RefusedError{fmt.Sprintf("stale: it is of epoch %d, and this node has seen epoch %d; %s", primary.Epoch, k.epoch, wayOut)}
	case primary.Epoch == k.epoch && k.leader != "" && primary.RunID != k.leader && !primary.History.Has(k.position.ID, k.position.Offset):
		return &RefusedError{fmt.Sprintf("rewound: in epoch %d this node has followed run %s up to offset %d, and the primary, run %s, does not have that; it "+
			"restarted with less, or is another one; %s", k.epoch, k.leader, k.position.Offset-1, primary.RunID, wayOut)}
	}
	return nil
}

// judge decides whether a primary is the holder: then it is followed whatever it has, since what this node has beyond that nobody
// acknowledged. All others are refused, a process that was started in the holder's place among them: it may have nothing.
func (h *Holder) judge(primary replication.Identity, ours bool) error {
	switch {
	case !ours || primary.RunID != h.RunID:
		return &RefusedError{fmt.Sprintf("it is not the holder of the shard's record, run %s, or not primary yet", h.RunID)}
	case primary.Epoch < h.Epoch:
		return &RefusedError{fmt.Sprintf("it is not primary in epoch %d yet, but was in %d", h.Epoch, primary.Epoch)}
	}
	return nil
}

// judgeStamp decides whether the log may go on behind a stamp in it. written is the epoch of what is before. A primary's log
// begins with what earlier ones wrote, so its own epoch is not what stamps go by.
func judgeStamp(written int64, stamp replication.Identity) error {
	if stamp.Epoch < written {
		return &RefusedError{fmt.Sprintf("stale: its log went back from epoch %d to %d", written, stamp.Epoch)}
	}
	return nil
}
