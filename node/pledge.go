package node

import (
	"sync/atomic"

	"zset.dev/operator/node/gate"
	"zset.dev/operator/node/replog"
)

// pledge is the reply of a write that the gate is to judge: where it is among the replies that were not sent, and what
// it acknowledges.
type pledge struct {
	from, to int
	term     int64
	offset   int64 // of the log, up to which it has to be kept
}

// pledges are those of a connection, in order. Its goroutine owns them.
//
// The replies behind one that waits wait with it, and what is pushed to the client, too: a message may be about
// what a reply before it says. Meanwhile the connection reads and executes on, up to pledgeMost of them and flushAt bytes of
// replies; then it lets the client wait, by not reading.
type pledges struct {
	all   []pledge
	wait  replog.Wait
	waits bool        // at the gate; the gate may have ended it, then there is news
	news  atomic.Bool // set by whoever ends the wait
}

const (
	pledgeMost  = 1024
	pledgeBytes = 32

	errDoubt = "INDOUBT the write is applied on this node, but not all that have to keep it confirmed it: it may be lost in a failover or restart. " +
		"Read before you write it again"
)

// acknowledges notes that the reply from that byte on acknowledges a write.
func (c *connection) acknowledges(from int) {
	if to := c.reply.Len(); to > from && c.server.gate.On() {
		c.owed.all = append(c.owed.all, pledge{from, to, c.call.Term, c.call.Logged})
	}
}

// full reports whether as many replies wait as may, so that nothing more is executed.
func (c *connection) full() bool {
	n := len(c.owed.all)
	return n >= pledgeMost || n > 0 && c.reply.Len() >= flushAt
}

// due is how many bytes of the replies may be sent now. Of those that may never be sent it makes errors. If there are
// others, the line is woken when there is news of them.
func (c *connection) due() int {
	o, g := &c.owed, c.server.gate
	for {
		if o.news.Swap(false) {
			o.waits = false
		}
		judged, doubts := 0, false
		for _, p := range o.all {
			verdict := g.Judge(p.term, p.offset)
			if verdict == gate.Wait {
				break
			}
			if verdict == gate.Doubt {
				doubts = true
				o.all[judged].offset = doubtful
			}
			judged++
		}
		if doubts {
			c.doubt(judged)
		}
		o.all = append(o.all[:0], o.all[judged:]...)
		if len(o.all) == 0 {
			c.unwait()
			return c.reply.Len()
		}
		if o.waits {
			return o.all[0].from
		}
		if o.wait.Wake == nil {
			o.wait.Wake = func() {
				o.news.Store(true)
				c.line.Wake()
			}
		}
		last := o.all[len(o.all)-1]
		if o.waits = !g.Await(&o.wait, last.term, last.offset); o.waits {
			c.server.hasten()
			return o.all[0].from
		}
	}
}

// doubtful is the offset of a pledge that cannot be kept.
const doubtful = -1

// doubt makes errors of the replies in doubt among the first n.
func (c *connection) doubt(n int) {
	moved := 0
	for i := range c.owed.all {
		p := &c.owed.all[i]
		p.from, p.to = p.from+moved, p.to+moved
		if i < n && p.offset == doubtful {
			before := c.reply.Len()
			c.reply.ReplaceByError(p.from, p.to, errDoubt)
			p.to += c.reply.Len() - before
			moved += c.reply.Len() - before
			c.server.stats.Error([]byte(errDoubt), false)
		}
	}
}

// sent takes note that n bytes of replies have left.
func (c *connection) sent(n int) {
	for i := range c.owed.all {
		c.owed.all[i].from -= n
		c.owed.all[i].to -= n
	}
}

// unwait ends the wait at the gate.
func (c *connection) unwait() {
	if c.owed.waits {
		c.server.gate.Cancel(&c.owed.wait)
		c.owed.waits = false
		c.owed.news.Store(false)
	}
}

// settle sends what waits at the gate, for a client of which nothing more is read. The gate's bounds are its own.
func (c *connection) settle() {
	for c.flush() && len(c.owed.all) > 0 && c.line.await(c.timeout) {
	}
}
