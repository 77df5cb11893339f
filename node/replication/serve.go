package replication

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"zset.dev/operator/node/replog"
)

// Serve writes to the follower's connection what it is to get, until one of both ends. It is called once. It reports
// whether the follower has got all that it wanted: then the connection is to be closed so that it can still read that.
// Otherwise it is closed already.
func (f *Follower) Serve(conn net.Conn) (done bool) {
	s := f.state
	out := &output{conn: conn, follower: f}
	err := f.serve(out)
	if cause := context.Cause(f.ctx); cause != nil {
		err = cause // what the write met is what came of it
	}
	s.followers.remove(f)
	if c := f.confirmed.Load(); c != nil {
		c.Leave()
	}
	s.options.Log.Info("a replica is not served any longer", "replica", f.Addr, "stage", f.Stage(), "reason", err)
	if errors.Is(err, errServed) {
		return true
	}
	f.Close()
	return false
}

// errServed is for a follower that has got all it wanted.
var errServed = errors.New("it has got what it asked for")

func (f *Follower) serve(out *output) error {
	s := f.state
	s.Open()
	defer s.Close()
	// It is listed already. So whoever replaces the position after this look finds it there, and drops it.
	p := s.now.Load()
	reader := f.resume(p)
	if reader == nil {
		var err error
		if reader, err = f.full(out); err != nil {
			return err
		}
	} else if _, err := out.Write(f.continuing(p)); err != nil {
		reader.Close()
		return err
	}
	defer reader.Close()
	if f.RDBOnly {
		return errServed
	}
	f.online()
	for {
		b, err := reader.Next(f.ctx)
		if errors.Is(err, replog.ErrOverrun) {
			s.tooSlow(f)
		}
		if err != nil {
			return err
		}
		f.sent.Store(reader.Offset())
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
}

// resume is a reader of the log from where the follower is, if it can go on there; else nil.
func (f *Follower) resume(p *position) *replog.Reader {
	s := f.state
	if f.Old || f.ID == "?" || f.ID == "" {
		return nil
	}
	if p.history.Has(f.ID, f.Offset) {
		reader, err := p.log.Read(f.Offset, s.options.Settings().Behind.hard())
		if err == nil {
			f.goOn(reader, f.Offset)
			f.acked.Store(f.Offset)
			s.options.Stats.PartialSyncs.Add(1)
			s.options.Log.Info("a replica goes on where it was", "replica", f.Addr, "offset", f.Offset-1)
			return reader
		}
	}
	start, end := p.log.Range()
	s.options.Stats.PartialSyncsFailed.Add(1)
	s.options.Log.Info("a replica cannot go on where it was", "replica", f.Addr, "history", f.ID, "offset", f.Offset-1,
		"here", p.history.ID, "before", p.history.Previous, "from", start-1, "to", end-1)
	return nil
}

// goOn notes from where on the follower gets the log.
func (f *Follower) goOn(reader *replog.Reader, offset int64) {
	f.sent.Store(offset)
	f.reader.Store(reader)
}

func (f *Follower) continuing(p *position) []byte {
	if f.Renames {
		return fmt.Appendf(nil, "+CONTINUE %s\r\n", p.history.ID)
	}
	return []byte("+CONTINUE\r\n")
}

// online lets the follower count among those who confirm.
func (f *Follower) online() {
	f.Heard()
	c := f.state.confirmations.JoinAs(f.RunID, f.acked.Load())
	f.confirmed.Store(c)
	c.Confirm(f.acked.Load()) // what came in between
	f.stage.Store(int32(Online))
}

// tooSlow says that a follower is too far behind.
func (s *State) tooSlow(f *Follower) {
	if context.Cause(f.ctx) != nil {
		return
	}
	behind := int64(0)
	if r := f.reader.Load(); r != nil {
		behind, _ = r.Behind()
	}
	limits := s.options.Settings().Behind
	s.options.Stats.ReplicasTooSlow.Add(1)
	s.options.Log.Warn("closed a replica that is too far behind; if it cannot be faster, raise client-output-buffer-limit replica",
		"replica", f.Addr, "stage", f.Stage(), "behind", behind, "hard", limits.Hard, "soft", limits.Soft, "seconds", limits.SoftFor.Seconds())
	f.Drop("it was too far behind")
}

// output is the follower's connection. A write that makes no end within repl-timeout fails.
type output struct {
	conn     net.Conn
	follower *Follower
}

func (o *output) Write(b []byte) (int, error) {
	f := o.follower
	if cause := context.Cause(f.ctx); cause != nil {
		return 0, cause
	}
	total := 0
	for len(b) > 0 {
		// In parts, so that the time is for so much at most.
		part := b[:min(len(b), outputBytes)]
		o.conn.SetWriteDeadline(time.Now().Add(f.state.options.Settings().Timeout))
		n, err := o.conn.Write(part)
		total += n
		f.state.options.Stats.ReplicaBytesOut.Add(int64(n))
		if f.Stage() == Sending {
			f.bytes.Add(int64(n))
			f.Heard()
		}
		if err != nil {
			return total, err
		}
		b = b[n:]
	}
	return total, nil
}

// outputBytes is what is handed to the socket at once.
const outputBytes = 256 << 10
