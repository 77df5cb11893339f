package node

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/command"
	"zset.dev/operator/node/direct"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/resp"
)

const (
	flushAt     = 64 << 10  // reply bytes that are sent without waiting for the end of a pipeline
	replyKept   = 64 << 10  // reply buffer a connection keeps between flushes
	writeChunk  = 256 << 10 // what is handed to the kernel at once, so that progress shows
	lingerTime  = 200 * time.Millisecond
	lingerBytes = 1 << 20
)

// connection is one client's. All its fields belong to the goroutine in serve,
// but for those of client that say otherwise.
type connection struct {
	server *Server
	line   *line
	socket net.Conn
	client *client.Client
	query  query
	reply  resp.Writer
	owed   pledges // among the replies
	call   command.Call

	follower *replication.Follower // who the client has become by PSYNC
	serving  sync.WaitGroup        // the goroutine that writes to it then
	served   atomic.Bool           // it has got all it wanted; set by that goroutine

	accounted int64     // buffer bytes included in the server's sum
	timeout   time.Time // what the read's deadline was last set for
	silent    bool      // nothing came since the node's stop last hurried it
	abrupt    bool      // close at once: sending more is forbidden or useless
	ran       int       // commands of the last execute
	stalled   bool      // execute left commands that have arrived until replies could be sent
}

func newConnection(l *line) *connection {
	s, cl := l.server, l.client
	c := &connection{server: s, line: l, socket: l.socket, client: cl}
	c.call = command.Call{
		Env: &s.env, Client: cl, W: &c.reply,
		Rng: rand.New(rand.NewPCG(rand.Uint64(), cl.ID)),
	}
	return c
}

// serve runs the connection to its end.
func (c *connection) serve() {
	defer c.end()
	if !c.greet() {
		return
	}
	c.call.At = c.server.now()
	if c.turn() {
		direct.Serve(c.socket, (*receiver)(c))
	}
}

// turn executes what has arrived and sends the replies, until there is nothing to do but to read. It reports whether the connection goes on.
func (c *connection) turn() bool {
	for {
		alive := c.execute()
		if c.ran > 1 {
			// Others whose commands have come run them first, then all reply: so clients, too, find more at a time to do.
			runtime.Gosched()
		}
		if c.abrupt || !c.flush() {
			return false
		}
		if !alive {
			c.settle()
			return false
		}
		if !c.stalled {
			break
		}
		if c.full() && !c.line.await(c.timeout) {
			return false
		}
		c.call.At = c.server.now()
	}
	if c.timeout != c.call.Timeout() {
		c.rearm()
	}
	return true
}

// receiver is a connection as its socket sees it.
type receiver connection

// Space implements direct.Reader.
func (r *receiver) Space() []byte { return r.query.space() }

// Received implements direct.Reader.
func (r *receiver) Received(n int, err error) bool {
	c := (*connection)(r)
	c.account()
	c.call.At = c.server.now()
	if c.client.Is(client.Evicted) {
		c.abrupt = true
		return false
	}
	if n > 0 {
		c.query.received(n)
		c.client.BytesIn.Add(int64(n))
		c.server.stats.BytesIn.Add(int64(n))
		c.server.stats.Reads.Add(1)
		c.client.Touch(c.call.At.UnixMilli())
		if c.follower != nil {
			c.follower.Heard()
		}
	}
	switch {
	case n > 0:
		c.silent = false // what came with an error, too, is answered
	case errors.Is(err, os.ErrDeadlineExceeded) && c.rearm():
		c.shrink()
	case c.mayReadOn(err):
	case err != nil:
		if errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded) {
			c.settle() // it may read, though it sends nothing more
		}
		return false
	}
	return c.turn()
}

// rearm sets the read's deadline anew. It reports whether the read ended, or
// would have, because there is something to do: what was pushed, or what the
// client waits for.
func (c *connection) rearm() bool {
	due := !c.timeout.IsZero() && !time.Now().Before(c.timeout)
	c.timeout = c.call.Timeout()
	return c.line.rearm(c.timeout) || due
}

// shrink gives back the buffers of a client that has been silent, which the
// sweep woke for that: thousands of such clients are no reason to hold
// the memory of their busiest moment.
func (c *connection) shrink() {
	if c.query.waiting() > 0 || c.reply.Len() > 0 || !mayShrink(c.client, c.server.now().UnixMilli()) {
		return
	}
	c.query, c.owed.all = query{}, nil
	c.reply.Reset(0)
	c.account()
}

// mayReadOn reports whether a read that failed did so only because the node's
// stop set it a term, and another is due: commands that had arrived before may
// have been overlooked by a goroutine that got no processor, so the connection
// ends only once a whole term brought nothing, or the stop has waited enough.
func (c *connection) mayReadOn(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) || !c.server.isStopping() {
		return false
	}
	if c.silent || time.Since(c.server.stopBegan) > stopPatience {
		return false
	}
	c.silent = true
	c.client.Hurry()
	return true
}

// execute runs every whole command that has arrived, unless the client waits
// for something, and writes what was pushed to it. It reports whether the
// connection goes on.
func (c *connection) execute() bool {
	values := c.server.config.Values()
	c.stalled, c.ran, c.call.Term = false, 0, c.server.gate.Term()
	if c.call.Waiting() {
		from := c.reply.Len()
		c.server.table.Resume(&c.call)
		if c.call.Logged != 0 {
			c.acknowledges(from)
		}
	}
	if limit := values.ClientQueryBufferLimit; int64(c.query.waiting()) > limit && !c.withinQueryLimit(limit) {
		return false // also when the last read made the command whole
	}
	for {
		out := outputLimit(values, c.client.Class())
		if !c.client.Known && c.call.NeedsAuth() && (out.Hard == 0 || out.Hard > unauthReply) {
			out.Hard = unauthReply
		}
		c.call.OutputLimit = out.Hard
		if out.Hard > 0 && int64(c.reply.Len()) > out.Hard {
			c.server.stats.OutputLimitClosed.Add(1)
			c.server.log.Warn("closed a client above its output limit", "client", c.client.Addr, "bytes", c.reply.Len())
			c.abrupt = true
			return false
		}
		if c.client.CloseAfterReply || c.served.Load() {
			return false
		}
		if c.client.HasPushed() {
			c.client.TakePushed(flushAt, c.reply.Raw)
		}
		if c.reply.Len() >= flushAt || len(c.owed.all) >= pledgeMost {
			if !c.flush() {
				return false
			}
			// That may have taken long.
			values = c.server.config.Values()
			c.call.At = c.server.now()
			c.call.Term = c.server.gate.Term()
			if c.full() && !c.call.Waiting() {
				c.stalled = true
				c.client.QueryUsed.Store(int64(c.query.waiting()))
				return true
			}
		}
		if c.call.Waiting() {
			if c.client.HasPushed() {
				continue
			}
			return c.withinQueryLimit(values.ClientQueryBufferLimit)
		}
		limits := frameLimits{
			authenticated: !c.call.NeedsAuth(),
			bulkBytes:     values.ProtoMaxBulkLen,
		}
		if c.query.look(limits) {
			c.server.table.Foresee(&c.call, c.query.ahead[:c.query.cuts])
		}
		args, err := c.query.next(limits)
		if err != nil {
			c.refuse(err)
			return false
		}
		if args == nil {
			if c.client.HasPushed() {
				continue
			}
			return c.withinQueryLimit(values.ClientQueryBufferLimit)
		}
		if len(args) == 0 {
			continue
		}
		if crossProtocol(args[0]) {
			c.server.log.Warn("closed a client that speaks HTTP", "client", c.client.Addr)
			c.abrupt = true
			return false
		}
		c.call.Args, c.call.Nth, c.call.More = args, c.query.taken, c.query.waiting() > 0
		from := c.reply.Len()
		c.ran++
		c.server.table.Execute(&c.call)
		if c.call.Logged != 0 {
			c.acknowledges(from)
		}
		if c.call.Follower() != c.follower && !c.serveFollower() {
			return false
		}
	}
}

// crossProtocol reports whether a word is how an HTTP request starts: someone
// makes a browser or a proxy talk to this port.
func crossProtocol(word []byte) bool {
	return len(word) == 4 && strings.EqualFold(string(word), "post") || len(word) == 5 && strings.EqualFold(string(word), "host:")
}

func (c *connection) refuse(err error) {
	c.server.stats.ProtocolErrors.Add(1)
	c.server.log.Debug("closed a client after a protocol error", "client", c.client.Addr, "error", err)
	text := "ERR " + err.Error()
	c.reply.Error(text)
	c.server.stats.Error([]byte(text), false)
}

// withinQueryLimit closes a client whose queries make the node hold too much:
// what waits to be executed, and what executed ones left behind.
func (c *connection) withinQueryLimit(limit int64) bool {
	note(&c.client.QueryUsed, int64(c.query.waiting()))
	if limit <= 0 || int64(c.query.waiting())+c.client.Kept.Load() <= limit {
		return true
	}
	c.server.stats.QueryLimitClosed.Add(1)
	c.server.log.Warn("closed a client above its query limit", "client", c.client.Addr, "bytes", c.query.waiting())
	c.abrupt = true
	return false
}

// flush sends the replies that are due. It reports whether that worked. While it
// waits for a slow reader the sweep watches over it.
func (c *connection) flush() bool {
	c.call.Report()
	if c.follower != nil { // is not answered
		c.unwait()
		c.owed.all = c.owed.all[:0]
		c.reply.Reset(replyKept)
	}
	due := c.reply.Len()
	if len(c.owed.all) > 0 {
		due = c.due()
	}
	left := c.reply.Bytes()[:due]
	if len(left) == 0 {
		c.client.ReplyUsed.Store(int64(c.reply.Len()))
		return true
	}
	c.account()
	now := c.call.At.UnixMilli()
	if soft := outputLimit(c.server.config.Values(), c.client.Class()).Soft; soft > 0 && int64(len(left)) > soft {
		c.client.OverSoftSince.CompareAndSwap(0, now)
	}
	for len(left) > 0 {
		c.client.ReplyUsed.Store(int64(len(left)))
		c.client.WritingSince.Store(now)
		n, err := c.socket.Write(left[:min(len(left), writeChunk)])
		c.server.stats.Writes.Add(1)
		c.server.stats.BytesOut.Add(int64(n))
		c.client.BytesOut.Add(int64(n))
		if err != nil {
			c.abrupt = true
			return false
		}
		if left = left[n:]; len(left) > 0 {
			now = c.server.now().UnixMilli()
		}
	}
	c.client.WritingSince.Store(0)
	if !c.client.HasPushed() {
		note(&c.client.OverSoftSince, 0)
	}
	if due == c.reply.Len() {
		c.reply.Reset(replyKept)
	} else {
		c.reply.Discard(due)
		c.sent(due)
	}
	c.client.ReplyUsed.Store(int64(c.reply.Len()))
	return true
}

// account brings the server's sum of buffers up to date.
func (c *connection) account() {
	query, kept := int64(len(c.query.buf)), c.client.Kept.Load()
	reply := int64(cap(c.reply.Bytes()) + cap(c.owed.all)*pledgeBytes)
	note(&c.client.QueryCap, query)
	note(&c.client.ReplyCap, reply)
	if now := query + reply + kept; now != c.accounted {
		c.server.buffers.Add(now - c.accounted)
		c.accounted = now
	}
	c.server.boundClients()
}

// note keeps a value for others to read. It is the same as before mostly, and then it
// is left alone: a store that others see at once takes as long as some twenty instructions.
func note(kept *atomic.Int64, value int64) {
	if kept.Load() != value {
		kept.Store(value)
	}
}

// end closes the connection and takes it off all books. A client that is told
// why (a protocol error, the node's stop) must get to read it: closing a socket
// with unread input resets it and throws away what was sent. So the sending
// side is closed first, and what still arrives is discarded for a moment.
func (c *connection) end() {
	c.unwait()
	c.call.End()
	c.client.Discard()
	if c.follower != nil && !c.served.Load() {
		c.abrupt = true
		c.follower.Drop("its connection ended")
	}
	c.serving.Wait()
	if half, ok := c.socket.(interface{ CloseWrite() error }); ok && !c.abrupt && half.CloseWrite() == nil {
		c.socket.SetReadDeadline(time.Now().Add(lingerTime))
		io.Copy(io.Discard, io.LimitReader(c.socket, lingerBytes))
	}
	c.client.Close()
	c.server.clients.Remove(c.client)
	c.server.buffers.Add(-c.accounted)
}
