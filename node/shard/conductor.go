package shard

import (
	"context"
	"sync"
	"time"

	"zset.dev/operator/node/lease"
)

// duty is what a node is to be.
type duty struct {
	lead   bool
	epoch  int64          // of the primary
	holder lease.Identity // whom it follows; zero is nobody
	serves bool           // it may acknowledge: so others are told that it is the primary
	leaves bool           // it follows nobody any more
}

// duty is this node's, by the record as it is known.
func (m *Member) duty() duty {
	r := m.election.Record()
	switch {
	case m.election.Leads() && !m.yields:
		return duty{lead: true, epoch: m.election.Term(), serves: m.now() < m.election.Until()}
	case m.election.Leads():
		return duty{} // its log ends here, and whoever takes over goes on with it
	case m.leaves:
		return duty{leaves: true}
	case r.Holder.Pod == "" || r.Holder.Pod == m.options.Self.Pod:
		return duty{}
	}
	return duty{epoch: r.Epoch, holder: r.Holder}
}

// conductor makes the node what it is to be, one change after the other, and makes it known.
type conductor struct {
	member  *Member
	changed chan struct{}

	mu     sync.Mutex
	wanted duty // guarded by mu
	did    duty // guarded by mu; what it is
	told   duty // guarded by mu; what is made known
}

// assign says what the node is to be from now on.
func (c *conductor) assign(d duty) {
	c.mu.Lock()
	changed := c.wanted != d
	c.wanted = d
	c.mu.Unlock()
	if changed {
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}
}

func (c *conductor) last() duty {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wanted
}

// known reports whether clients are sent to this node as the primary of that epoch.
func (c *conductor) known(epoch int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told.lead && c.told.serves && c.told.epoch == epoch
}

// leading reports whether the node is a primary.
func (c *conductor) leading() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.did.lead
}

// run works until ctx ends.
func (c *conductor) run(ctx context.Context) {
	m := c.member
	var is, told duty
	begun, said := false, ""
	complain := func(what string, err error) {
		if err.Error() != said {
			said = err.Error()
			m.options.Log.Warn(what+", trying again", "error", err)
		}
	}
	for {
		d := c.last()
		again := false
		if !begun || d.lead != is.lead || d.epoch != is.epoch || d.holder != is.holder || d.leaves != is.leaves {
			if err := c.become(d, is); err != nil {
				complain("cannot change the node's role", err)
				again = true
			} else {
				begun, is = true, d
				c.mu.Lock()
				c.did = d
				c.mu.Unlock()
				m.Look()
			}
		}
		if known := (duty{lead: is.lead, epoch: is.epoch, serves: d.serves && d == c.last()}); begun && !again && (known.lead != told.lead || known.lead && known != told) {
			limit, cancel := context.WithTimeout(ctx, m.within())
			if err := c.publish(limit, known); err != nil {
				complain("cannot make known who is primary", err)
				again = true
			} else {
				told = known
				c.mu.Lock()
				c.told = known
				c.mu.Unlock()
				m.Look()
			}
			cancel()
		}
		var later <-chan time.Time
		if again {
			later = time.After(m.options.Timing.Retry / 2)
		}
		select {
		case <-ctx.Done():
			return
		case <-c.changed:
		case <-later:
		}
	}
}

// become makes the node what it is to be.
func (c *conductor) become(d, is duty) error {
	node := c.member.options.Node
	switch {
	case d.lead:
		return node.Lead(d.epoch)
	case d.holder.Pod != "":
		return node.Follow(d.holder, d.epoch)
	case is.lead, d.leaves, is == duty{}:
		return node.Stand()
	}
	return nil // goes on following whom it follows, until there is another
}

// publish makes known what the node is, once that is so.
func (c *conductor) publish(ctx context.Context, d duty) error {
	m := c.member
	if !d.lead {
		return m.options.Publisher.Replica(ctx)
	}
	if !d.serves {
		return nil // as soon as it does
	}
	var others []string
	for _, p := range *m.peers.Load() {
		others = append(others, p.pod)
	}
	return m.options.Publisher.Primary(ctx, d.epoch, others)
}

// became reports whether the node is the primary of that epoch already.
func (c *conductor) became(epoch int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.did.lead && c.did.epoch == epoch
}
