package client

import (
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/acl"
)

// Client is one connection.
type Client struct {
	// Fixed when the connection is accepted.
	ID      uint64
	Addr    string // the peer's address, host:port
	LAddr   string // the address it connected to
	Created time.Time

	// Owned by the connection's goroutine alone.
	Authenticated   bool
	Known           bool // was authenticated once, or did not have to be
	CloseAfterReply bool // set by QUIT and the like: reply, then close

	mu      sync.Mutex
	names   Names                   // guarded by mu
	unblock func(asError bool) bool // guarded by mu; nil while not blocked

	outbox outbox
	pushed atomic.Int64 // bytes in the outbox

	// Written by the connection's goroutine, read by any.
	proto       atomic.Int32
	account     atomic.Pointer[acl.Account]
	lastCommand atomic.Pointer[string]
	active      atomic.Int64 // when it last sent something, Unix milliseconds
	QueryUsed   atomic.Int64 // bytes received and not yet executed
	QueryCap    atomic.Int64 // bytes of the query buffer
	ReplyUsed   atomic.Int64 // reply bytes not yet taken by the kernel
	ReplyCap    atomic.Int64 // bytes of the reply buffer
	BytesIn     atomic.Int64
	BytesOut    atomic.Int64
	Commands    atomic.Int64
	NoEvict     atomic.Bool
	NoTouch     atomic.Bool
	Kept        atomic.Int64 // bytes its commands make the node keep: a transaction's queue, watched keys, subscriptions
	Queued      atomic.Int64 // commands queued since MULTI, -1 when there was none
	Watching    atomic.Int64 // keys
	state       atomic.Uint32

	// Written by the hub, under its lock, and read by any.
	Channels, Patterns, ShardChannels atomic.Int64

	// Redirect is the client that gets this one's invalidations, 0 for
	// itself, -1 while nothing is tracked. Written by its goroutine.
	Redirect atomic.Int64

	// WritingSince is when the write that is under way last made progress,
	// Unix milliseconds; 0 when there is none. OverSoftSince is when the
	// reply buffer went above its soft limit. The server's sweep reads both.
	WritingSince  atomic.Int64
	OverSoftSince atomic.Int64

	wire Wire
}

// Names is what a client says of itself.
type Names struct {
	Name            string // CLIENT SETNAME
	LibName, LibVer string // CLIENT SETINFO
}

// New describes a connection.
func New(id uint64, addr, laddr string, now time.Time, wire Wire) *Client {
	c := &Client{ID: id, Addr: addr, LAddr: laddr, Created: now, wire: wire}
	c.proto.Store(2)
	c.Queued.Store(-1)
	c.Redirect.Store(-1)
	c.active.Store(now.UnixMilli())
	return c
}

// Close ends the connection; its goroutine notices soon after.
func (c *Client) Close() { c.wire.Close() }

// Hurry lets the connection end when it has nothing more to read.
func (c *Client) Hurry() { c.wire.Hurry() }

// Wake makes the client's goroutine look at what it waits for.
func (c *Client) Wake() { c.wire.Wake() }

// SetBlocked says how to end what the client waits for, nil for nothing. end
// is told whether to answer an error, and reports whether it ended the wait.
func (c *Client) SetBlocked(end func(asError bool) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unblock = end
	if end != nil {
		c.Enter(Blocked)
	} else {
		c.Exit(Blocked)
	}
}

// Unblock ends what the client waits for, and reports whether it did.
func (c *Client) Unblock(asError bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unblock != nil && c.unblock(asError)
}

// Account is who the client is; nil before that was said for the first time.
func (c *Client) Account() *acl.Account { return c.account.Load() }

// SetAccount records who the client is.
func (c *Client) SetAccount(a *acl.Account) { c.account.Store(a) }

// Proto is the protocol version in force, 2 or 3.
func (c *Client) Proto() int { return int(c.proto.Load()) }

// SetProto records the protocol version.
func (c *Client) SetProto(version int) { c.proto.Store(int32(version)) }

// Touch records that the client sent something at now, Unix milliseconds.
func (c *Client) Touch(now int64) { c.active.Store(now) }

// IdleSince is when the client last sent something, Unix milliseconds.
func (c *Client) IdleSince() int64 { return c.active.Load() }

// Ran records which command is about to run; name lives as long as the table.
func (c *Client) Ran(name *string) {
	c.lastCommand.Store(name)
}

// Names is a copy of what the client says of itself.
func (c *Client) Names() Names {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names
}

// SetNames changes what the client says of itself.
func (c *Client) SetNames(change func(*Names)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.names)
}

// Reset puts the client back to what it was when it connected, for RESET.
func (c *Client) Reset(authenticated bool) {
	c.SetNames(func(n *Names) { n.Name = "" })
	c.SetProto(2)
	c.NoEvict.Store(false)
	c.NoTouch.Store(false)
	c.Exit(Redirectable)
	c.Authenticated = authenticated
}

// ValidName reports whether a name has only printable ASCII without spaces,
// which keeps the lines of CLIENT LIST readable by programs.
func ValidName(name []byte) bool {
	for _, b := range name {
		if b < '!' || b > '~' {
			return false
		}
	}
	return true
}
