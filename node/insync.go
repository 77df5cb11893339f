package node

import (
	"time"

	"zset.dev/operator/node/insync"
	"zset.dev/operator/node/replication"
)

// watchSync is who keeps the list of replicas in sync.
func (s *Server) watchSync(keeper insync.Keeper) *insync.Watch {
	var eligible func(string) bool
	switch {
	case s.inShard():
		keeper = shardKeeper{s}
		eligible = func(run string) bool { m := s.member.Load(); return m != nil && m.Knows(run) }
	case keeper == nil:
		keeper = insync.Memory{}
	}
	state := s.env.Replication
	return insync.NewWatch(insync.Options{
		Gate: s.gate, Confirmations: state.Confirmations(), Keeper: keeper, Log: s.log,
		Rule: func() insync.Rule {
			r := s.config.Values().Replication
			return insync.Rule{Least: r.MinSyncReplicas, Timeout: r.SyncTimeout}
		},
		Primary: func() bool { return state.Role() == replication.Primary },
		End:     state.Offset, Ask: s.ask, Eligible: eligible,
	})
}

// askEvery is how often replicas are asked to confirm, while somebody waits for that. In between a node as this one confirms
// by itself whatever it has applied: replica.Link does, for twice the time.
const askEvery = 500 * time.Millisecond

// ask lets replicas confirm at once.
func (s *Server) ask() {
	s.asked.Store(s.now().UnixMilli())
	s.env.Replication.AskConfirmations()
}

// hasten is for who waits for replicas in sync: it asks them unless that was done a moment ago.
func (s *Server) hasten() {
	if s.config.Values().Replication.MinSyncReplicas == 0 {
		return
	}
	now, last := s.now().UnixMilli(), s.asked.Load()
	if now-last >= askEvery.Milliseconds() && s.asked.CompareAndSwap(last, now) {
		s.env.Replication.AskConfirmations()
	}
}

// require lets the gate ask for as many replicas as the directives say.
func (s *Server) require() {
	r, state := s.config.Values().Replication, s.env.Replication
	on := r.MinReplicas > 0 && r.MaxLag > 0 && state.Role() == replication.Primary
	refusal := ""
	if on && goodReplicas(state.Followers(), r.MaxLag) < r.MinReplicas {
		refusal = "NOREPLICAS Not enough good replicas to write."
	}
	s.gate.RequireReplicas(on, refusal)
}

// goodReplicas is how many get the log and were heard of within that time.
func goodReplicas(all []replication.FollowerInfo, maxLag time.Duration) (n int) {
	for _, f := range all {
		if f.Stage == replication.Online && f.Lag <= maxLag {
			n++
		}
	}
	return n
}
