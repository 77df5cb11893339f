package shard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zset.dev/operator/node/lease"
)

// handoverLook is how often who hands over looks whether the next step has been done.
const handoverLook = 2 * time.Millisecond

// A hand-over has these steps, by whoever stops writes before and lets them go on afterwards:
//
//	Yield      the node is no primary any more, so its log ends; it holds the record still
//	Release    the record is given up for an heir, who is told and takes it
//	Succeeded  the heir takes writes, and clients are sent to it
//
// Stay ends it at any point: if the node holds the record it is primary again, in the epoch it was in.

// Yield makes the node a standby that holds the record. It returns once nothing more comes into its log.
func (m *Member) Yield(ctx context.Context) error {
	err := errNotPrimary
	m.call(ctx, func() {
		if m.election.Leads() {
			err, m.yields = nil, true
		}
	})
	if err != nil {
		return err
	}
	return m.await(ctx, "the node to be no primary any more", func() bool { return !m.conductor.leading() })
}

// Release gives the record up. Only heir, a pod, may take it for a while; any elector if it is empty. A node that is leaving does not come
// back. It returns once the record is given up.
func (m *Member) Release(ctx context.Context, heir string, leaving bool) error {
	m.call(ctx, func() {
		m.handOver = &lease.HandOver{Heir: heir, Leaving: leaving}
		m.leaves = leaving
	})
	return m.await(ctx, "the record to be given up", func() bool { return m.Status().Role != Primary })
}

// Succeeded returns once another node takes writes in a later epoch than that, and clients are sent to it.
func (m *Member) Succeeded(ctx context.Context, epoch int64) error {
	return m.await(ctx, "another node to take over", func() bool {
		for _, p := range *m.peers.Load() {
			if _, s, ok := p.seen(); ok && s.Known && s.Epoch > epoch {
				return true
			}
			p.nudge()
		}
		return false
	})
}

// Stay ends a hand-over. With over it has been done, and who was held knows where to go.
func (m *Member) Stay(over bool) {
	m.call(context.Background(), func() {
		m.yields, m.handOver, m.leaves = false, nil, false
		m.expelled = m.expelled || over
	})
}

// await waits until something is so.
func (m *Member) await(ctx context.Context, what string, is func() bool) error {
	tick := time.NewTicker(handoverLook)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-m.ended:
			return errEnded
		case <-ctx.Done():
			return fmt.Errorf("shard: waiting for %s: %w", what, context.Cause(ctx))
		}
	}
	return nil
}

// Elector is the process of that run, if it is an elector beside this node.
func (m *Member) Elector(run string) (lease.Identity, bool) {
	s := m.Status()
	for _, id := range s.Record.Electors {
		if id.Run == run && id != s.Identity {
			return id, true
		}
	}
	return lease.Identity{}, false
}

// Leave asks the primary to take this node off the list of electors, and returns once it has: nobody need wait for this node any more,
// which is about to stop.
func (m *Member) Leave(ctx context.Context) error {
	s := m.Status()
	if s.Record.Holder.Pod == "" || s.Record.Holder == s.Identity {
		return errors.New("shard: there is no primary to take leave of")
	}
	conn, err := m.options.Dial(ctx, s.Record.Holder.Pod)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err = Ask(ctx, conn, "SHARD", "LEAVE", s.Identity.Run); err == nil {
		m.call(ctx, func() { m.leaves = true })
	}
	return err
}
