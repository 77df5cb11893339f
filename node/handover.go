package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"zset.dev/operator/node/command"
	"zset.dev/operator/node/following"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/shard"
)

// The times of a planned hand-over.
const (
	// handoverNear is how fast the heir confirms all there is before writes are stopped: so long, about, will they wait for that
	// part of it.
	handoverNear = 100 * time.Millisecond

	// handoverPause is how long writes are stopped at most until the heir has everything. Then they go on, and so does this node.
	handoverPause = time.Second

	// handoverTake is how long the heir may take to become primary once the record is given up for it.
	handoverTake = 3 * time.Second

	// handoverHold is how long writers are held on after the heir is the Service's endpoint: until each machine's proxy sends new connections
	// there.
	handoverHold = 300 * time.Millisecond

	handoverLook = 2 * time.Millisecond
)

// handover is the one under way.
type handover struct {
	mu     sync.Mutex
	stage  string                  // as INFO has it, empty for none; guarded by mu
	cancel context.CancelCauseFunc // guarded by mu; nil while it cannot be stopped, or there is none
}

func (h *handover) set(stage string, cancel context.CancelCauseFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stage, h.cancel = stage, cancel
}

// begin reports false when another is under way.
func (h *handover) begin(cancel context.CancelCauseFunc) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stage != "" {
		return false
	}
	h.stage, h.cancel = "waiting", cancel
	return true
}

func (h *handover) now() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return cmp.Or(h.stage, "none")
}

// abort reports false when there is nothing to stop.
func (h *handover) abort() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cancel == nil {
		return false
	}
	h.cancel(errors.New("manually aborted"))
	return true
}

const errHandingOver = following.Reply("FAILOVER already in progress.")

var (
	errNoHeir     = errors.New("no replica is in sync that could take over")
	errHeirGone   = errors.New("the replica follows this node no longer")
	errHeirBehind = errors.New("the replica did not have everything in time")
)

// heir is a replica that may take over, as this primary serves it.
type heir struct {
	pod, run string
}

// heirs are the replicas that may take over, the one that has most first; with to only that one.
func (s *Server) heirs(m *shard.Member, to *following.Target) (all []heir) {
	followers := s.env.Replication.Followers()
	slices.SortStableFunc(followers, func(a, b replication.FollowerInfo) int { return cmp.Compare(b.Offset, a.Offset) })
	for _, f := range followers {
		id, elector := m.Elector(f.RunID)
		if f.Stage == replication.Online && elector && (to == nil || s.isAt(id.Pod, f, *to)) {
			all = append(all, heir{id.Pod, id.Run})
		}
	}
	return all
}

// isAt reports whether a pod, which follows this node, is what somebody calls so.
func (s *Server) isAt(pod string, f replication.FollowerInfo, t following.Target) bool {
	address, err := s.config.Values().Shard.Address(pod, s.shardPort())
	return err == nil && address == t.Address() || t.Host == pod || f.Host == t.Host && f.Port == t.Port
}

// beginHandOver begins one, which goes on by itself. The errors are those of the protocol, without their code.
func (s *Server) beginHandOver(h following.Handover) error {
	m := s.member.Load()
	switch {
	case s.handing.now() != "none":
		return errHandingOver
	case m == nil || m.Status().Role != shard.Primary:
		return following.Reply("FAILOVER is not valid when server is a replica.")
	case h.Force:
		return following.Reply("FAILOVER FORCE is not possible in a shard: only a replica that has everything can take over.")
	case len(s.heirs(m, nil)) == 0:
		return following.Reply("FAILOVER requires connected replicas.")
	case h.To != nil && len(s.heirs(m, h.To)) == 0:
		return following.Reply("FAILOVER target HOST and PORT is not a replica in sync.")
	}
	if h.Timeout == 0 {
		h.Timeout = s.config.Values().ShutdownTimeout
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	if !s.handing.begin(cancel) {
		return errHandingOver
	}
	s.background.Go(func() {
		defer cancel(nil)
		limit, end := context.WithTimeout(ctx, h.Timeout)
		defer end()
		if err := s.handOver(limit, m, h.To, false); err != nil {
			s.log.Warn("the hand-over was given up", "error", err)
		}
		s.handing.set("", nil)
	})
	return nil
}

// handOver hands over to a replica, or leaves everything as it was. With leaving the node takes no part any more afterwards.
func (s *Server) handOver(ctx context.Context, m *shard.Member, to *following.Target, leaving bool) error {
	began := time.Now()
	all := s.heirs(m, to)
	if len(all) == 0 {
		return errNoHeir
	}
	target := all[0]
	s.log.Info("handing over", "to", target.pod)
	for near := false; !near; { // what it lacks is sent while writes go on
		since := time.Now()
		if err := s.awaitHeir(ctx, target); err != nil {
			return err
		}
		near = time.Since(since) <= handoverNear
	}
	s.env.Pause.BeginHandover()
	stopped := time.Now()
	if err := s.giveUp(ctx, m, target, leaving); err != nil {
		m.Stay(false)
		s.env.Pause.EndHandover()
		return err
	}
	taken := time.Now()
	timer := time.NewTimer(handoverHold)
	defer timer.Stop()
	<-timer.C
	if !leaving {
		m.Stay(true)
	}
	closed := s.env.Pause.EndHandoverElsewhere()
	s.log.Info("handed over", "to", target.pod, "writers_sent_there", closed, "prepared", stopped.Sub(began), "taken_after", taken.Sub(stopped),
		"writes_stopped_for", time.Since(stopped))
	return nil
}

// giveUp gives the record up for the heir, while writes are stopped, and returns once that one takes them.
func (s *Server) giveUp(ctx context.Context, m *shard.Member, target heir, leaving bool) error {
	epoch := m.Status().Epoch
	quick, cancel := context.WithTimeout(ctx, handoverPause)
	defer cancel()
	if err := s.awaitHeir(quick, target); err != nil {
		return err
	}
	s.gate.Settle(s.env.Replication.Offset())
	if err := m.Yield(quick); err != nil {
		return err
	}
	// What came into the log since is no write. Still the heir must have it, or this node will have more than its primary, and begin anew.
	if err := s.awaitHeir(quick, target); err != nil {
		return err
	}
	s.handing.set("releasing", nil)
	take, end := context.WithTimeout(context.WithoutCancel(ctx), handoverTake)
	defer end()
	if err := m.Release(take, target.pod, leaving); err != nil {
		return err
	}
	return m.Succeeded(take, epoch)
}

// awaitHeir waits until the heir, and all others that a reply waits for, have everything that there was when it was called.
func (s *Server) awaitHeir(ctx context.Context, target heir) error {
	state := s.env.Replication
	state.AskConfirmations()
	end := state.Offset()
	tick := time.NewTicker(handoverLook)
	defer tick.Stop()
	for {
		there, has := false, false
		for _, f := range state.Followers() {
			if f.RunID == target.run && f.Stage == replication.Online {
				there, has = true, has || f.Offset >= end
			}
		}
		switch {
		case !there:
			return errHeirGone
		case has && state.Confirmations().Kept() >= end:
			return nil
		}
		select {
		case <-tick.C:
			state.AskConfirmations()
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", errHeirBehind, context.Cause(ctx))
		}
	}
}

// leaveShard ends this node's part in its shard before it stops: a primary hands over, a replica takes leave, so that nobody waits for
// either. It takes until limit at most.
func (s *Server) leaveShard(limit context.Context) {
	m := s.member.Load()
	if m == nil {
		return
	}
	for !s.handing.begin(nil) { // one that is under way comes first
		s.handing.abort()
		timer := time.NewTimer(10 * handoverLook)
		select {
		case <-timer.C:
		case <-limit.Done():
			timer.Stop()
			return
		}
	}
	defer s.handing.set("", nil)
	switch status := m.Status(); {
	case status.Role == shard.Primary:
		s.abdicate(limit, m)
	case status.Role == shard.Replica: // and in sync, perhaps, by a record that it has not read yet
		quick, cancel := context.WithTimeout(limit, handoverPause)
		defer cancel()
		if err := m.Leave(quick); err != nil {
			s.log.Warn("the primary was not told that this node is about to stop", "error", err)
		}
	}
}

// abdicate hands over to whoever can take over, before the node stops, and else gives the record up.
func (s *Server) abdicate(limit context.Context, m *shard.Member) {
	for _, h := range s.heirs(m, nil) {
		if m.Status().Role != shard.Primary || limit.Err() != nil {
			return
		}
		err := s.handOver(limit, m, &following.Target{Host: h.pod}, true)
		if err == nil {
			return
		}
		s.log.Warn("the hand-over before the stop failed", "to", h.pod, "error", err)
	}
	if m.Status().Role != shard.Primary {
		return
	}
	// Nobody can take over at once. Whoever may at all need not wait until the lease has expired.
	s.env.Pause.BeginHandover()
	defer s.env.Pause.EndHandover()
	quick, cancel := context.WithTimeout(limit, handoverPause)
	defer cancel()
	err := m.Yield(quick)
	if err == nil {
		err = m.Release(quick, "", true)
	}
	if err != nil {
		s.log.Warn("the shard's lease could not be given up: others have to wait until it has expired", "error", err)
	}
}

// stopShard is beginStop for a node of a shard, which leaves that first.
func (s *Server) stopShard(how command.Shutdown) (first bool) {
	if how.Now || !s.inShard() {
		return s.beginStop(how)
	}
	s.leaving.Do(func() {
		first = true
		s.background.Go(func() {
			began := time.Now()
			limit, cancel := context.WithTimeout(context.Background(), s.config.Values().ShutdownTimeout)
			defer cancel()
			s.leaveShard(limit)
			s.leftFor = time.Since(began)
			s.beginStop(how)
		})
	})
	return first
}
