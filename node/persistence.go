package node

import (
	"fmt"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/command"
	"zset.dev/operator/node/persist"
	"zset.dev/operator/node/replication"
)

// openStore makes what keeps the data on disk.
func (s *Server) openStore() {
	disk := s.options.Disk
	if disk == nil {
		disk = persist.System{}
	}
	s.store = persist.New(persist.Options{
		Disk: disk, Keyspace: s.keyspace, Stream: s.env.Replication, Values: s.config.Values, Now: s.now, Log: s.log,
		Version: command.ServerVersion, Functions: s.env.Libraries, Changes: s.env.Changes,
		Took:     s.diskTook,
		Troubled: func(on bool) { s.env.Restrain(command.DiskTrouble, on) },
		Require:  s.gate.RequireDisk, Doubt: s.gate.Interrupt,
	})
	s.env.Persistence = s.store
	s.config.BeforeChange(s.store.Prepare)
	s.config.OnChange(s.store.Changed)
}

// diskTook notes what the disk took long for, as an event of LATENCY.
func (s *Server) diskTook(event string, at time.Time, took time.Duration) {
	if limit := s.config.Values().LatencyMonitorThreshold; limit > 0 && took >= time.Duration(limit)*time.Millisecond {
		s.stats.Latencies.Note(event, at, took)
	}
}

// find looks what there is to load. Until that is done only few commands are served.
func (s *Server) find() (err error) {
	if s.source, err = s.store.Find(); err != nil {
		return fmt.Errorf("cannot load the data: %w", err)
	}
	if s.source != persist.Nothing || s.config.Values().AppendOnly {
		s.env.Restrain(command.WhileLoading, true)
	}
	return nil
}

// load loads what there is, and lets changes be kept from then on.
func (s *Server) load() error {
	if s.source != persist.Nothing {
		applier := command.NewApplier(&s.env, client.New(0, "", "", s.now(), client.Unwired{}))
		applier.SkipOther = s.config.Values().SkipOtherTypes
		found, err := s.store.Load(s.source, applier, s.env.LoadLibrary, s.stopping)
		if err != nil {
			return fmt.Errorf("cannot load the data: %w", err)
		}
		s.adopt(found.Place)
	}
	if err := s.store.Start(s.source != persist.Appended); err != nil {
		return fmt.Errorf("cannot keep changes on disk: %w", err)
	}
	s.env.Restrain(command.WhileLoading, false)
	return nil
}

// adopt lets the log go on where the files end, if they say where that is. A primary's goes on under another name: what it did
// after that, which is lost, others may have under this one.
func (s *Server) adopt(at persist.Place) {
	if at.Offset == 0 || at.History.ID == "" {
		return
	}
	history := at.History
	if s.env.Replication.Role() == replication.Primary {
		history = history.Branch(replication.NewID(), at.Offset)
	}
	s.env.Replication.SawEpoch(at.Epoch)
	s.env.Replication.Adopt(history, at.Offset, at.At)
}

// leave saves, if the node is to do so at its end, and closes what is on disk.
func (s *Server) leave() {
	how := s.how
	if s.loaded.Load() && !how.NoSave && (how.Save || len(s.config.Values().Save) > 0) && s.store.Status().Changes > 0 {
		s.store.SaveNow() // it logs what went wrong, and nobody is left to be told
	}
	s.store.Close()
}
