package following

import (
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/replica"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/replog"
)

// pendingMost is how many bytes wait to be appended to the node's log before its readers get to see them.
const pendingMost = 64 << 10

// sink takes what comes over one link. Its fields belong to the link's goroutine.
type sink struct {
	p    *pursuit
	from known
	met  replication.Identity
	ours bool

	active  bool        // within a batch
	frozen  bool        // nobody saves until the batch ends
	pending []byte      // was applied, or waits for the end of its transaction, and is not in the log
	whole   int         // how much of that is whole transactions
	written int64       // the epoch of what was applied last
	marked  mark        // of another epoch in what is pending
	log     *replog.Log // the node's
}

// Met implements replica.Sink.
func (s *sink) Met(answer string) error {
	s.met, s.ours = replication.ParseIdentity(answer)
	return s.from.judge(s.met, s.ours)
}

// accept notes whose log the node has from now on.
func (s *sink) accept() {
	f := s.p.f
	if !s.ours {
		s.met = replication.Identity{Foreign: true}
	} else {
		f.options.State.SawEpoch(s.met.Epoch)
	}
	met := s.met // which others read from now on
	f.options.State.SetLeader(&met)
	f.accepted(met, s.from.forgive)
}

// exact reports whether what comes must not be done while somebody saves.
func (s *sink) exact() bool { return s.met.Foreign }

// Full implements replica.Sink.
func (s *sink) Full(at replica.Position, file *rdb.Decoder) error {
	f := s.p.f
	state, data := f.options.State, f.options.Data
	s.p.handedOver()
	state.SetLinked(false)
	s.p.log.Info("getting all data of the primary", "history", at.ID, "offset", at.Offset-1)
	began := f.options.Now()
	state.Dismiss("the node gets other data")
	state.Saving().Lock()
	defer state.Saving().Unlock()
	data.Restart(true)
	if err := data.Replace(file, state.Part); err != nil {
		return err
	}
	s.log = state.Adopt(replog.History{ID: at.ID}, at.Offset, s.met.At)
	s.written = s.met.At
	f.diverged.Store(false)
	s.accept()
	s.up("all data is here", "took", f.options.Now().Sub(began))
	return nil
}

// Partial implements replica.Sink.
func (s *sink) Partial(id string) error {
	state := s.p.f.options.State
	s.p.handedOver()
	if !s.ours && !state.Identity().Foreign {
		// From effects to what is none: whoever saves began with the former.
		state.Saving().Lock()
		defer state.Saving().Unlock()
	}
	s.p.f.options.Data.Restart(false)
	state.Continue(id)
	s.log = state.Log()
	s.written = state.EpochAt(state.Offset())
	s.accept()
	s.up("going on where the log was left", "history", id, "offset", state.Offset()-1)
	return nil
}

// up says that the link works.
func (s *sink) up(how string, more ...any) {
	s.p.f.options.State.SetLinked(true)
	s.p.up(how, more)
}

// Apply implements replica.Sink.
func (s *sink) Apply(args [][]byte, raw []byte, end int64) error {
	data := s.p.f.options.Data
	if !s.active {
		s.active = true
		if s.frozen = s.exact(); s.frozen {
			s.p.f.options.State.Saving().Lock()
		}
		s.p.f.options.State.Beginning().Lock() // until what is pending is in the log
		data.Begin()
	}
	if err := s.stamp(args, end); err != nil {
		return err
	}
	if err := data.Apply(args); err != nil {
		return err
	}
	s.pending = append(s.pending, raw...)
	if data.Whole() {
		if s.whole = len(s.pending); s.whole >= pendingMost {
			s.flush()
		}
	}
	return nil
}

// A mark is where an epoch begins: that, and the offset behind the command that says so.
type mark struct{ epoch, end int64 }

// stamp looks whether a command is what a primary of this kind says of itself within the log.
func (s *sink) stamp(args [][]byte, end int64) error {
	id, ok := replication.StampIn(args)
	if !ok || !s.ours || s.met.Foreign {
		return nil
	}
	if err := judgeStamp(s.written, id); err != nil {
		return err
	}
	s.written = id.Epoch
	if id.Epoch > s.met.Epoch || id.Epoch == s.met.Epoch && id.RunID != s.met.RunID {
		met := s.met
		met.Epoch, met.RunID = id.Epoch, id.RunID
		s.met = met
		s.accept()
	}
	if id.Epoch != s.p.f.options.State.EpochAt(end) {
		s.marked = mark{id.Epoch, end}
	}
	return nil
}

// flush appends to the node's log what was applied.
func (s *sink) flush() {
	if s.whole == 0 {
		return
	}
	end := s.log.Append(s.pending[:s.whole])
	if s.marked.end > 0 && s.marked.end <= end {
		s.p.f.options.State.Mark(s.marked.epoch, s.marked.end)
		s.marked = mark{}
	}
	s.pending = append(s.pending[:0], s.pending[s.whole:]...)
	s.whole = 0
	if cap(s.pending) > 4*pendingMost && len(s.pending) < pendingMost {
		s.pending = append([]byte(nil), s.pending...)
	}
}

// Rest implements replica.Sink.
func (s *sink) Rest() {
	if !s.active {
		return
	}
	s.flush()
	s.p.f.options.State.Beginning().Unlock()
	s.p.f.options.Data.Report()
	s.active = false
	if s.frozen {
		s.p.f.options.State.Saving().Unlock()
	}
}
