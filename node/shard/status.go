package shard

import (
	"sync/atomic"
	"time"

	"zset.dev/operator/node/lease"
)

// Roles of a node in its shard.
const (
	Primary = "primary" // it holds the record
	Replica = "replica" // it follows who does
	Standby = "standby" // neither
)

// Status is what a member is.
type Status struct {
	Identity lease.Identity
	Started  time.Time
	Epoch    int64 // the greatest heard of
	Position lease.Position
	Whole    bool
	Role     string
	Serves   bool // it may acknowledge writes now
	Known    bool // and clients are sent to it

	Record  lease.Record // as it was last read or written
	Waits   string       // why this node is not primary, for people; empty for the primary
	Trouble error        // what is in the way of reading or writing the record; nil for nothing
}

// InSync reports whether the node is an elector, as far as it knows.
func (s *Status) InSync() bool { return s.Record.Lists(s.Identity) }

// Counts are of what happened since the start.
type Counts struct {
	Renewals  atomic.Int64 // times the record was written
	Failed    atomic.Int64 // times it could not be read or written
	Elections atomic.Int64 // times this node took it
}

// Status is what the member was after its last step.
func (m *Member) Status() Status { return *m.status.Load() }

// report notes what the member is, and says what changed.
func (m *Member) report(d lease.Decision) {
	r := m.election.Record()
	s := Status{
		Identity: m.options.Self, Started: m.options.Started, Epoch: m.election.Epoch(), Record: r, Waits: d.Waits,
		Role: Standby, Serves: m.now() < m.election.Until() && m.conductor.became(m.election.Term()),
	}
	if s.Trouble = m.unwritten; s.Trouble == nil {
		s.Trouble = m.unread
	}
	s.Known = s.Serves && m.conductor.known(m.election.Term())
	s.Position, s.Whole = m.options.Node.Position()
	switch {
	case m.election.Leads():
		s.Role, s.Waits = Primary, ""
	case r.Holder.Pod != "" && r.Holder.Pod != s.Identity.Pod:
		s.Role = Replica
	}
	m.status.Store(&s)
	log, was := m.options.Log.With("shard", m.options.Name, "epoch", r.Epoch), &m.reported
	switch {
	case s.Role == was.Role && s.Role == Replica && r.Holder != was.Record.Holder, s.Role != was.Role:
		switch s.Role {
		case Primary:
			m.Counts.Elections.Add(1)
			log.Info("this node holds the shard's record", "electors", r.Electors, "position_epoch", s.Position.Epoch, "offset", s.Position.Offset)
		case Replica:
			log.Info("another node is the shard's primary", "primary", r.Holder.Pod)
		case Standby:
			log.Info("the shard has no primary that is known", "waits", s.Waits)
		}
	case s.Serves && !was.Serves:
		log.Info("writes are taken")
	case !s.Serves && was.Serves:
		log.Warn("writes are refused: the lease could not be renewed in time, or is being given up")
	}
	m.reported = s
}
