package following

import (
	"time"

	"zset.dev/operator/node/replica"
)

// Status is what a node says of the primary it follows.
type Status struct {
	Target
	Stage     replica.Stage
	Up        bool      // the link works
	Heard     time.Time // when something last came; zero when never
	DownSince time.Time // while it is not up
	Reason    string    // why it is not, if that is known
	Arrived   int64     // bytes of the file that comes
	Size      int64     // of how many; 0 when that is not known
	Next      int64     // the offset behind what was applied
}

// Status is what there is to say of the primary; false when the node is one.
func (f *Following) Status() (Status, bool) {
	p := f.current.Load()
	if p == nil {
		return Status{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Status{Target: p.target, Up: p.isUp, Heard: p.heard, DownSince: p.down, Reason: p.reason, Next: f.options.State.Offset()}
	if p.link != nil {
		s.Stage = p.link.Stage()
		if heard := p.link.Heard(); heard.UnixMilli() > 0 {
			s.Heard = heard
		}
		s.Arrived, s.Size = p.link.Transferred()
		if s.Up {
			s.Next = p.link.Applied()
		}
	}
	return s, true
}

// Up reports whether the node follows somebody over a link that works. A primary does not.
func (f *Following) Up() bool {
	p := f.current.Load()
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isUp
}

// Incomplete reports whether the data is part of a file only, so that it says nothing.
func (f *Following) Incomplete() bool { return !f.options.State.Whole() }

// Handing is how far a hand-over is.
func (f *Following) Handing() HandoverStage { return f.handover.now() }
