package client

import "sync"

// Wire is a client's connection as others see it. Any goroutine may call it,
// any number of times; it does not block.
type Wire interface {
	Close() // ends it at once; its goroutine notices soon after
	Hurry() // lets it end when it has nothing more to read
	Wake()  // makes its goroutine look at what was pushed, and at what it waits for

	// Pushed accounts for delta more bytes that wait to be written, waiting
	// in all, and reports whether the client may go on. If not, it is about
	// to be closed.
	Pushed(delta, waiting int64) (ok bool)
}

// Unwired is the Wire of a client without a connection, as tests have it.
type Unwired struct{}

func (Unwired) Close()                 {}
func (Unwired) Hurry()                 {}
func (Unwired) Wake()                  {}
func (Unwired) Pushed(_, _ int64) bool { return true }

// outbox is messages from other goroutines that the client's own has not
// written yet: published messages, invalidations, lines of MONITOR.
type outbox struct {
	mu       sync.Mutex
	messages [][]byte // guarded by mu; their bytes are shared and never change
	bytes    int64    // guarded by mu
	closed   bool     // nothing more is taken; guarded by mu
}

// messageBytes is what a message takes beside its bytes.
const messageBytes = 24

// Push has message, an encoded reply, written to the client after what it is
// being answered at present. It never waits: a client that does not keep up
// is closed when more waits for it than its class of clients is allowed.
// message must not be changed afterwards; it may be pushed to many.
func (c *Client) Push(message []byte) {
	size := int64(len(message)) + messageBytes
	c.outbox.mu.Lock()
	if c.outbox.closed {
		c.outbox.mu.Unlock()
		return
	}
	c.outbox.messages = append(c.outbox.messages, message)
	c.outbox.bytes += size
	waiting := c.outbox.bytes
	c.pushed.Store(waiting)
	ok := c.wire.Pushed(size, waiting)
	if !ok {
		c.outbox.empty(c)
		c.outbox.closed = true
	}
	c.outbox.mu.Unlock()
	if !ok {
		c.wire.Close()
		return
	}
	c.wire.Wake()
}

// HasPushed reports whether messages wait.
func (c *Client) HasPushed() bool { return c.pushed.Load() != 0 }

// Ending reports whether nothing is pushed to the client any longer: it is about
// to go, or gone, though its goroutine may not have noticed yet.
func (c *Client) Ending() bool {
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	return c.outbox.closed
}

// Messages is the number of messages that wait, and their bytes.
func (c *Client) Messages() (n int, bytes int64) {
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	return len(c.outbox.messages), c.outbox.bytes
}

// TakePushed hands the oldest messages to write, until they make most bytes.
// Only the client's goroutine calls it; write must not call the client.
func (c *Client) TakePushed(most int, write func([]byte)) {
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	taken, size := 0, int64(0)
	for _, m := range c.outbox.messages {
		write(m)
		taken++
		size += int64(len(m)) + messageBytes
		if size >= int64(most) {
			break
		}
	}
	if taken == len(c.outbox.messages) {
		clear(c.outbox.messages)
		c.outbox.messages = c.outbox.messages[:0]
		if cap(c.outbox.messages) > messagesKept {
			c.outbox.messages = nil
		}
	} else {
		c.outbox.messages = c.outbox.messages[taken:]
	}
	c.outbox.bytes -= size
	c.pushed.Store(c.outbox.bytes)
	c.wire.Pushed(-size, c.outbox.bytes)
}

// messagesKept is how many messages an empty outbox keeps room for.
const messagesKept = 256

// Discard drops what waits, and what will be pushed, because the connection
// has ended.
func (c *Client) Discard() {
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	c.outbox.empty(c)
	c.outbox.closed = true
}

// empty drops all messages; mu is held.
func (o *outbox) empty(c *Client) {
	size := o.bytes
	o.messages, o.bytes = nil, 0
	c.pushed.Store(0)
	c.wire.Pushed(-size, 0)
}
