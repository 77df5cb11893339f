package shard

import (
	"context"
	"slices"
	"time"

	"zset.dev/operator/node/lease"
)

// facts is what is known now.
func (m *Member) facts(now time.Duration) lease.Facts {
	f := lease.Facts{Fates: map[lease.Identity]lease.Fate{}, Pods: map[string]lease.Presence{}, HandOver: m.handOver}
	f.Position, f.Whole = m.options.Node.Position()
	said := map[string]Status{}
	heard := map[string]time.Duration{}
	for _, p := range *m.peers.Load() {
		q, s, ok := p.seen()
		if !ok {
			continue
		}
		m.meetOne(q.ID)
		m.started[q.ID] = s.Started
		m.election.Heard(s.Epoch)
		said[p.pod], heard[p.pod] = s, q.Heard
		f.Peers = append(f.Peers, q)
	}
	for id := range m.met {
		if fate := m.fate(now, id, said[id.Pod].Identity, heard[id.Pod]); fate != lease.MayRun {
			f.Fates[id] = fate
		}
	}
	for _, pod := range m.expected() {
		f.Pods[pod] = m.presence(pod)
	}
	if m.election.Leads() {
		f.InSync = m.inSync
	}
	m.forget(f.Fates)
	return f
}

// fate is what is known of a process. What is said of its pod counts only if it was asked for after the process was heard of first.
func (m *Member) fate(now time.Duration, id, answers lease.Identity, heard time.Duration) lease.Fate {
	if self := m.options.Self; id.Pod == self.Pod {
		switch {
		case id == self:
			return lease.MayRun
		case id.UID != self.UID:
			return lease.Gone
		}
		return lease.Replaced
	}
	met := m.met[id]
	if answers.Pod == id.Pod && answers != id && heard > met {
		if answers.UID != id.UID {
			return lease.Gone
		}
		return lease.Replaced
	}
	if m.sighted <= met {
		return lease.MayRun
	}
	sight := m.sights[id.Pod]
	if sight.UID != id.UID {
		return lease.Gone
	}
	// The machine of the pod says that a process of it has ended, later than this one began: so it was this one. Both times are of
	// that machine's clock, the former in whole seconds. One that answers has not ended, whatever that clock did.
	if began, known := m.started[id]; known && !sight.Ended.IsZero() && sight.Ended.After(began) && now-heard > 2*m.options.Timing.Retry {
		return lease.Replaced
	}
	return lease.MayRun
}

// presence is what is known of a pod, the worst for who would take the record if that is nothing.
func (m *Member) presence(pod string) lease.Presence {
	sight, looked := m.sights[pod]
	switch {
	case looked && sight.UID == "":
		return lease.Missing
	case looked && !sight.Started:
		return lease.Idle
	}
	return lease.Running
}

// metMost is how many processes are remembered.
const metMost = 256

// forget lets go of processes that are no more, when there are many.
func (m *Member) forget(fates map[lease.Identity]lease.Fate) {
	if len(m.met) < metMost {
		return
	}
	r := m.election.Record()
	for id, fate := range fates {
		if fate != lease.MayRun && !r.Lists(id) && r.Holder != id {
			delete(m.met, id)
			delete(m.started, id)
		}
	}
}

// lookAtPods asks the API for the pods, as long as it may matter who is no more: not while somebody else renews the record.
func (m *Member) lookAtPods(now time.Duration) {
	retry := m.options.Timing.Retry
	if m.sighting || m.election.Leads() || now-m.sighted < retry || !m.election.Vacant(now, 3*retry/2) {
		return
	}
	m.sighting = true
	pods := m.expected()
	m.running.Go(func() {
		ctx, cancel := context.WithTimeout(m.ctx, m.within())
		defer cancel()
		sights, err := m.options.Pods.Look(ctx, pods)
		m.call(m.ctx, func() {
			m.sighting = false
			if err != nil {
				m.options.Log.Debug("cannot look at the shard's pods", "error", err)
				return
			}
			m.sights, m.sighted = sights, now
		})
	})
}

// Knows reports whether a process of that run is a node of the shard, which may become an elector.
func (m *Member) Knows(run string) bool {
	_, known := m.identify(run)
	return known
}

func (m *Member) identify(run string) (lease.Identity, bool) {
	for _, p := range *m.peers.Load() {
		if q, _, ok := p.seen(); ok && q.ID.Run == run {
			return q.ID, true
		}
	}
	// It may have stopped answering, and is on the list still.
	if s := m.status.Load(); s != nil {
		if i := slices.IndexFunc(s.Record.Electors, func(id lease.Identity) bool { return id.Run == run }); i >= 0 {
			return s.Record.Electors[i], true
		}
	}
	return lease.Identity{}, false
}
