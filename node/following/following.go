package following

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"zset.dev/operator/node/replica"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/replog"
)

// Following is whom a node follows. Its methods may be called from any goroutine that holds no partition.
type Following struct {
	options Options
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	changing sync.Mutex              // held by who changes whom the node follows, until the one before is left
	current  atomic.Pointer[pursuit] // nil for a primary; stored with changing held

	diverged atomic.Bool // the data is not what the log says: the whole of it is needed

	mu       sync.Mutex
	followed replication.Identity // whose log it is; guarded by mu
	forgiven int64                // epochs up to it do not count against followed; guarded by mu

	handover handover
}

// New makes one for a primary.
func New(o Options) *Following {
	f := &Following{options: o}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return f
}

// Close ends following, and waits for it. The node stays what it is.
func (f *Following) Close() {
	f.cancel()
	f.running.Wait()
}

// ErrHandover is for a change of role while another is under way.
var ErrHandover = errors.New("following: a failover is in progress")

// Follow makes the node a replica of target, or of another than before. It does not wait for the link. It reports false if that
// is whom it follows already.
func (f *Following) Follow(target Target) (changed bool, err error) {
	if f.handover.underWay() {
		return false, ErrHandover // which holds changing
	}
	f.changing.Lock()
	defer f.changing.Unlock()
	if f.handover.underWay() {
		return false, ErrHandover
	}
	if p := f.current.Load(); p != nil && p.target == target {
		return false, nil
	}
	// Who is a primary and is told to follow gives up what it has.
	f.begin(target, f.options.State.Role() == replication.Primary, nil, nil)
	return true, nil
}

// FollowHolder makes the node a replica of the holder of its shard's record. Unlike Follow it gives up what the holder does not have: the
// record decides who is primary, not what nodes have seen. It reports false if that is whom the node follows already.
func (f *Following) FollowHolder(h Holder) (changed bool) {
	f.changing.Lock()
	defer f.changing.Unlock()
	if p := f.current.Load(); p != nil {
		if was := p.holder.Load(); was != nil && was.Target == h.Target && was.RunID == h.RunID {
			p.holder.Store(&h) // perhaps in a later epoch
			return false
		}
	}
	f.begin(h.Target, false, nil, &h)
	return true
}

// Stand makes the node a standby: it is no primary, and follows nobody. It reports false if it is that already.
func (f *Following) Stand() (changed bool) {
	f.changing.Lock()
	defer f.changing.Unlock()
	state := f.options.State
	if f.current.Load() == nil && state.Role() == replication.Replica {
		return false
	}
	f.leave()
	state.SetLinked(false)
	state.Follow()
	f.options.Changed(replication.Replica, Target{})
	f.options.Log.Info("this node is a standby, which follows nobody", "epoch", state.Epoch(), "offset", state.Offset()-1)
	return true
}

// Resume follows target from boot on. Unlike Follow it gives nothing up: what the disk says of epochs counts.
func (f *Following) Resume(target Target) {
	f.changing.Lock()
	defer f.changing.Unlock()
	f.begin(target, false, nil, nil)
}

// begin leaves whom the node follows, if anybody, and follows target, which is to be the holder if there is one; changing is held.
func (f *Following) begin(target Target, forgive bool, handover chan error, holder *Holder) {
	f.leave()
	log := f.options.Log.With("primary", target.Address())
	f.options.State.SetLinked(false)
	if f.options.State.Role() != replication.Replica {
		f.options.State.Follow()
	}
	f.options.Changed(replication.Replica, target)
	ctx, cancel := context.WithCancel(f.ctx)
	p := &pursuit{f: f, target: target, forgive: forgive, log: log, cancel: cancel, done: make(chan struct{}), handover: handover, down: f.options.Now()}
	p.holder.Store(holder)
	f.current.Store(p)
	log.Info("following a primary")
	f.running.Go(func() { p.run(ctx) })
}

// leave ends following, and waits for that; changing is held.
func (f *Following) leave() {
	if p := f.current.Load(); p != nil {
		p.cancel()
		<-p.done
		f.current.Store(nil)
	}
}

// Promote makes the node a primary, in that epoch or, if it is 0, in the one after the last it has seen. It reports false if the node was
// one, which then goes on in that epoch.
func (f *Following) Promote(epoch int64) (changed bool, err error) {
	if f.handover.underWay() {
		return false, ErrHandover // which holds changing
	}
	f.changing.Lock()
	defer f.changing.Unlock()
	if f.handover.underWay() {
		return false, ErrHandover
	}
	return f.promote(epoch), nil
}

// Hand is Promote for a primary that hands over to this node, which follows it in that history.
func (f *Following) Hand(history string) error {
	f.changing.Lock()
	defer f.changing.Unlock()
	switch {
	case f.options.State.Role() != replication.Replica:
		return Reply("PSYNC FAILOVER can't be sent to a master.")
	case f.options.State.History().ID != history:
		return Reply("PSYNC FAILOVER replid must match my replid.")
	}
	f.promote(0)
	return nil
}

func (f *Following) promote(epoch int64) (changed bool) {
	state := f.options.State
	if state.Role() == replication.Primary {
		if epoch > 0 {
			state.SawEpoch(epoch)
			state.Promote()
		}
		return false
	}
	f.leave()
	if !state.Whole() {
		// What is there is no state of the primary's that anybody else had.
		state.Adopt(replog.History{ID: replication.NewID()}, replication.FirstOffset, 0)
	}
	f.diverged.Store(false)
	if epoch == 0 {
		epoch = state.Epoch() + 1
	}
	f.lead(epoch)
	return true
}

// lead makes the node a primary in that epoch; nobody is followed any more.
func (f *Following) lead(epoch int64) {
	state := f.options.State
	state.SawEpoch(epoch)
	state.SetLeader(nil)
	f.accepted(replication.Identity{}, false)
	state.Promote()
	f.options.Changed(replication.Primary, Target{})
	f.options.Log.Info("this node is a primary now", "epoch", state.Epoch(), "history", state.History().ID, "offset", state.Offset()-1)
}

// known is what an attempt starts from.
func (f *Following) known(holder *Holder) known {
	_, history, log, offset := f.options.State.At()
	f.mu.Lock()
	defer f.mu.Unlock()
	k := known{epoch: f.options.State.Epoch(), leader: f.followed.RunID, holder: holder}
	if k.epoch <= f.forgiven {
		k.epoch = f.followed.Epoch
	}
	if log != nil && f.options.State.Whole() && !f.diverged.Load() {
		k.position = replica.Position{ID: history.ID, Offset: offset}
	}
	return k
}

// accepted notes whose log the node has. With forgive it may be of an earlier epoch than the node has seen.
func (f *Following) accepted(id replication.Identity, forgive bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.followed = id
	if forgive {
		f.forgiven = f.options.State.Epoch()
	}
}
