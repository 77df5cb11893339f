package following

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"zset.dev/operator/node/replication"
)

// A Handover is what FAILOVER asks for: a primary stops writes, waits until a replica has everything, and follows that one, which
// it tells to be the primary.
type Handover struct {
	To      *Target       // nil is the first replica that has everything
	Force   bool          // when the time is over, hand over to the target though it lacks something; it needs both
	Timeout time.Duration // 0 is none
}

// Stage of a hand-over, as INFO calls it.
type HandoverStage int32

const (
	NoHandover HandoverStage = iota
	WaitingForSync
	HandingOver
)

func (s HandoverStage) String() string {
	return [...]string{"no-failover", "waiting-for-sync", "failover-in-progress"}[s]
}

// handover is the one under way.
type handover struct {
	mu     sync.Mutex
	stage  HandoverStage           // guarded by mu
	cancel context.CancelCauseFunc // guarded by mu; nil when there is none
}

func (h *handover) now() HandoverStage {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stage
}

func (h *handover) underWay() bool { return h.now() != NoHandover }

func (h *handover) set(s HandoverStage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stage = s
}

// Reply is an error in the words of the protocol, without their code.
type Reply string

func (r Reply) Error() string { return string(r) }

const errUnderWay = Reply("FAILOVER already in progress.")

var (
	errAborted = errors.New("manually aborted")
	errLate    = errors.New("timeout exceeded before the replica had everything")
)

// handoverLook is how often who waits looks whether the target has everything.
const handoverLook = 5 * time.Millisecond

// Begin begins a hand-over, which goes on by itself. The errors are those of the protocol, without their code.
func (f *Following) Begin(h Handover) error {
	if f.handover.underWay() {
		return errUnderWay // which holds changing
	}
	f.changing.Lock()
	defer f.changing.Unlock()
	followers := f.options.State.Followers()
	switch {
	case f.handover.underWay():
		return errUnderWay
	case f.options.State.Role() == replication.Replica:
		return Reply("FAILOVER is not valid when server is a replica.")
	case len(followers) == 0:
		return Reply("FAILOVER requires connected replicas.")
	case h.Force && (h.To == nil || h.Timeout == 0):
		return Reply("FAILOVER with force option requires both a timeout and target HOST and IP to be specified.")
	}
	if h.To != nil {
		there := find(followers, *h.To)
		if there == nil {
			return Reply("FAILOVER target HOST and PORT is not a replica.")
		}
		if there.Stage != replication.Online {
			return Reply("FAILOVER target replica is not online.")
		}
	}
	ctx, cancel := context.WithCancelCause(f.ctx)
	f.handover.mu.Lock()
	f.handover.stage, f.handover.cancel = WaitingForSync, cancel
	f.handover.mu.Unlock()
	f.options.Log.Info("failover: stopping writes and waiting until a replica has everything")
	f.running.Go(func() {
		defer cancel(nil)
		err := f.handOver(ctx, h)
		f.handover.mu.Lock()
		f.handover.stage, f.handover.cancel = NoHandover, nil
		f.handover.mu.Unlock()
		f.options.Writes.Resume()
		if err != nil {
			f.options.Log.Warn("failover given up, this node stays the primary", "error", err)
		}
	})
	return nil
}

// Abort ends a hand-over that is under way, and reports whether there was one.
func (f *Following) Abort() bool {
	f.handover.mu.Lock()
	defer f.handover.mu.Unlock()
	if f.handover.cancel == nil {
		return false
	}
	f.handover.cancel(errAborted)
	return true
}

// handOver hands over, or leaves everything as it was.
func (f *Following) handOver(ctx context.Context, h Handover) error {
	f.options.Writes.Pause()
	target, err := f.awaitSync(ctx, h)
	if err != nil {
		return err
	}
	f.handover.set(HandingOver)
	f.options.Log.Info("failover: handing over", "to", target.Address())
	answered := make(chan error, 1)
	f.changing.Lock()
	defer f.changing.Unlock()
	f.begin(target, false, answered, nil)
	select {
	case err = <-answered:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err == nil {
		f.options.Log.Info("failover: handed over", "to", target.Address())
		return nil
	}
	f.leave()
	select {
	case late := <-answered: // while it was being left
		if late == nil {
			f.begin(target, false, nil, nil)
			return nil
		}
	default:
	}
	// In the epoch it was in: if the target became primary after all it is in a later one.
	f.lead(f.options.State.Epoch())
	return err
}

// awaitSync waits until a replica, or the one named, has everything there is.
func (f *Following) awaitSync(ctx context.Context, h Handover) (Target, error) {
	state := f.options.State
	var late <-chan time.Time
	if h.Timeout > 0 {
		timer := time.NewTimer(h.Timeout)
		defer timer.Stop()
		late = timer.C
	}
	tick := time.NewTicker(handoverLook)
	defer tick.Stop()
	for {
		state.AskConfirmations()
		end := state.Offset()
		for _, follower := range state.Followers() {
			at := Target{follower.Host, follower.Port}
			if follower.Stage == replication.Online && follower.Offset >= end && (h.To == nil || at.same(*h.To)) {
				return at, nil
			}
		}
		select {
		case <-tick.C:
		case <-late:
			if h.Force {
				return *h.To, nil
			}
			return Target{}, errLate
		case <-ctx.Done():
			return Target{}, context.Cause(ctx)
		}
	}
}

func find(followers []replication.FollowerInfo, t Target) *replication.FollowerInfo {
	for i, f := range followers {
		if t.same(Target{f.Host, f.Port}) {
			return &followers[i]
		}
	}
	return nil
}

func (t Target) same(other Target) bool {
	return t.Port == other.Port && strings.EqualFold(t.Host, other.Host)
}
