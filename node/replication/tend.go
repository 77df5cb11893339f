package replication

import (
	"context"
	"time"

	"zset.dev/operator/node/replog"
)

// Tend does what comes round by the clock: it ends the log of a primary that nobody reads, lets followers hear of the primary, and
// closes those who are silent or too far behind. It is to be called every tenth of a second or so, by one goroutine.
func (s *State) Tend() {
	settings, now := s.options.Settings(), s.options.Now()
	online := false
	for _, f := range s.followers.list() {
		online = online || f.Stage() == Online
		s.look(f, settings, now)
	}
	// Who changes the position does not make this wait: it will come again.
	if !s.changing.TryLock() {
		return
	}
	defer s.changing.Unlock()
	p := s.now.Load()
	if p.log == nil || p.role != Primary {
		return
	}
	if online && now.Sub(s.pinged) >= settings.PingEvery {
		s.pinged = now
		p.log.Append(replog.Command("PING", s.Identity().Stamp()))
	}
	if s.readers == 0 && settings.BacklogTTL > 0 && now.Sub(s.unread) >= settings.BacklogTTL {
		s.end(p)
		s.options.Log.Info("ended the replication log, which nobody read", "offset", p.offset()-1, "seconds", settings.BacklogTTL.Seconds())
	}
}

// look closes a follower that is silent or too far behind.
func (s *State) look(f *Follower, settings Settings, now time.Time) {
	reader := f.reader.Load()
	if reader == nil {
		return
	}
	reader.SetLimit(settings.Behind.hard())
	behind, overrun := reader.Behind()
	if overrun {
		s.tooSlow(f)
		return
	}
	if soft := settings.Behind.Soft; soft > 0 && settings.Behind.SoftFor > 0 && behind > soft {
		since := f.softSince.Load()
		if since == 0 {
			f.softSince.Store(now.UnixMilli())
		} else if now.Sub(time.UnixMilli(since)) > settings.Behind.SoftFor {
			s.tooSlow(f)
			return
		}
	} else {
		f.softSince.Store(0)
	}
	if silent := now.Sub(time.UnixMilli(f.heardAt.Load())); silent > settings.Timeout && !f.Old {
		s.options.Log.Warn("closed a replica that was silent for longer than repl-timeout", "replica", f.Addr, "stage", f.Stage(), "seconds", silent.Seconds())
		f.Drop("it was silent")
	}
}

// AskConfirmations lets those who follow say how far they are, unless they were asked since the log last grew.
func (s *State) AskConfirmations() {
	s.changing.Lock()
	defer s.changing.Unlock()
	p := s.now.Load()
	if p.log == nil || p.role != Primary || s.followers.len() == 0 {
		return
	}
	if _, end := p.log.Range(); end != s.asked {
		s.asked = p.log.Append(replog.Command("REPLCONF", "GETACK", "*"))
	}
}

// CatchUp waits until all who get the log of this primary have confirmed everything in it, or ctx ends, and returns how many have not.
// Who came by SYNC need not confirm, and is not waited for.
func (s *State) CatchUp(ctx context.Context) (behind int) {
	if s.Role() != Primary {
		return 0
	}
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		s.AskConfirmations()
		end := s.Offset()
		behind = 0
		for _, f := range s.followers.list() {
			if f.Stage() == Online && !f.Old && f.acked.Load() < end {
				behind++
			}
		}
		if behind == 0 {
			return 0
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return behind
		}
	}
}

// askEvery is how often CatchUp looks.
const askEvery = 5 * time.Millisecond
