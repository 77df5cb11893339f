package replica

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/redcon"

	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/zset"
)

// A Position in a primary's log.
type Position struct {
	ID     string // of the history; empty for none
	Offset int64  // of the next byte
}

// A Sink takes what a primary sends.
type Sink interface {
	// Met is called first, with what the primary answered to Options.Ask; empty when it refused to.
	Met(answer string) error
	// Full is called with a file of all the data, which replaces what there was; the log goes on at that position.
	// It reads until io.EOF.
	Full(at Position, file *rdb.Decoder) error
	// Partial is called when the log goes on where it was left, in a history that may have a new name.
	Partial(id string) error
	// Apply runs a command of the log, whose bytes there are raw. end is the offset behind it. args and raw are valid during
	// the call.
	Apply(args [][]byte, raw []byte, end int64) error
	// Rest is called when all was applied that is there, before more is waited for, and at the end if there was any.
	Rest()
}

// Options of a link. Dial and NewSet must be given.
type Options struct {
	Dial     func(context.Context) (net.Conn, error)
	User     string // empty for the default user
	Password string // empty for none
	Host     string // under which clients reach this replica; empty for the address it connects from
	Port     int
	NewSet   func() *zset.Set
	Timeout  time.Duration // silence after which the primary is given up; 60 s when 0
	AckEvery time.Duration // 1 s when 0

	Ask      []string     // of REPLCONF, what only some primaries know to answer; none when empty
	Failover bool         // tell the other side to become primary; it must go on where this one is
	Synced   func() int64 // the offset behind what is on this replica's disk; nil, or 0, when nothing is to be
}

// Stage is what a link is doing.
type Stage int32

const (
	Connecting Stage = iota
	Handshake
	Transfer // a file arrives
	Streaming
)

func (s Stage) String() string {
	return [...]string{"connecting", "handshake", "transfer", "streaming"}[s]
}

// A Link follows one primary over one connection.
type Link struct {
	options Options
	sink    Sink
	stage   atomic.Int32
	applied atomic.Int64 // offset behind all that was applied
	heard   atomic.Int64 // when something last arrived, in milliseconds since the epoch
	arrived atomic.Int64 // bytes of the file
	size    atomic.Int64 // of the file; 0 while it is not known

	asked time.Time // when the primary last asked for an acknowledgement; owned by Follow

	writing sync.Mutex
	conn    net.Conn
	said    []byte // memory for what is sent; guarded by writing
	in      *input
}

// promptFor is how long after it was asked the replica goes on to acknowledge whatever it has applied, without being asked: somebody
// waits for that, and will for what comes next.
const promptFor = time.Second

// ErrFailover is for who was to become primary and refuses to.
var ErrFailover = errors.New("replica: failover target rejected psync request")

// New makes a link, which Follow uses.
func New(o Options, sink Sink) *Link {
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.AckEvery == 0 {
		o.AckEvery = time.Second
	}
	return &Link{options: o, sink: sink}
}

// Stage is what the link does now. It may be asked from any goroutine, as may Applied and Heard.
func (l *Link) Stage() Stage { return Stage(l.stage.Load()) }

// Applied is the offset behind the last command that was applied.
func (l *Link) Applied() int64 { return l.applied.Load() }

// Heard is when the primary last sent something.
func (l *Link) Heard() time.Time { return time.UnixMilli(l.heard.Load()) }

// Transferred is how many bytes of the file have arrived, and of how many; 0 when that is not known.
func (l *Link) Transferred() (arrived, size int64) { return l.arrived.Load(), l.size.Load() }

// Follow connects and follows until the connection ends, the sink refuses something, or ctx ends; it always returns an error.
// It is called once.
func (l *Link) Follow(ctx context.Context, from Position) error {
	err := l.follow(ctx, from)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("replica: %s: %w", l.Stage(), err)
}

func (l *Link) follow(ctx context.Context, from Position) error {
	dialing, cancel := context.WithTimeout(ctx, l.options.Timeout)
	defer cancel()
	conn, err := l.options.Dial(dialing)
	if err != nil {
		return err
	}
	l.conn = conn
	l.in = &input{link: l, conn: conn}
	l.heard.Store(time.Now().UnixMilli())
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	defer conn.Close()

	l.stage.Store(int32(Handshake))
	answer, err := l.handshake(from)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	var acks sync.WaitGroup
	acks.Go(func() { l.acknowledge(ended) })
	defer acks.Wait()
	defer close(ended)

	at := Position{ID: answer.id, Offset: from.Offset}
	if answer.full {
		at.Offset = answer.offset + 1
		l.stage.Store(int32(Transfer))
		if err := l.transfer(at); err != nil {
			return err
		}
	} else if err := l.sink.Partial(answer.id); err != nil {
		return err
	}
	return l.stream(at.Offset)
}

// stream applies commands.
func (l *Link) stream(offset int64) error {
	l.applied.Store(offset)
	l.stage.Store(int32(Streaming))
	l.ack()
	commands := replog.NewCommands(l.in, offset)
	defer l.sink.Rest()
	for {
		args, err := commands.Next()
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, replog.ErrTorn) {
				return errClosed
			}
			return err
		}
		// What asks for an acknowledgement counts as applied by it.
		asked := len(args) >= 2 && is(args[0], "REPLCONF") && is(args[1], "GETACK")
		if err := l.sink.Apply(args, commands.Raw(), commands.Whole()); err != nil {
			return err
		}
		l.applied.Store(commands.Whole())
		if asked {
			l.asked = time.Now()
		}
		if asked || !commands.More() {
			l.sink.Rest()
			if asked || time.Since(l.asked) < promptFor {
				l.ack()
			}
		}
	}
}

var errClosed = errors.New("the primary closed the connection")

// acknowledge tells the primary how far this replica is, and during a transfer that it is there, until the link ends.
func (l *Link) acknowledge(ended chan struct{}) {
	tick := time.NewTicker(l.options.AckEvery)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		if l.Stage() == Streaming {
			l.ack()
		} else {
			l.write([]byte("\n"))
		}
	}
}

// ack sends the offset of the last byte that was applied, which is how the protocol counts, and of the last on disk.
func (l *Link) ack() {
	synced := int64(0)
	if l.options.Synced != nil {
		synced = l.options.Synced()
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	words := 3
	if synced > 0 {
		words = 5
	}
	b := redcon.AppendArray(l.said[:0], words)
	b = redcon.AppendBulkString(redcon.AppendBulkString(b, "REPLCONF"), "ACK")
	b = redcon.AppendBulkInt(b, l.applied.Load()-1)
	if synced > 0 {
		b = redcon.AppendBulkInt(redcon.AppendBulkString(b, "FACK"), synced-1)
	}
	l.said = b
	l.send(b)
}

// write sends something. A failure shows in what reads.
func (l *Link) write(b []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.send(b)
}

// send is write; writing is held.
func (l *Link) send(b []byte) error {
	l.conn.SetWriteDeadline(time.Now().Add(l.options.Timeout))
	_, err := l.conn.Write(b)
	if err != nil {
		l.conn.Close()
	}
	return err
}

// input is what the primary sends.
type input struct {
	link *Link
	conn net.Conn
	back []byte // was read too far and comes first
}

func (in *input) Read(b []byte) (int, error) {
	if len(in.back) > 0 {
		n := copy(b, in.back)
		in.back = in.back[n:]
		return n, nil
	}
	in.conn.SetReadDeadline(time.Now().Add(in.link.options.Timeout))
	n, err := in.conn.Read(b)
	if n > 0 {
		in.link.heard.Store(time.Now().UnixMilli())
		if in.link.Stage() == Transfer {
			in.link.arrived.Add(int64(n))
		}
	}
	if err, ok := err.(net.Error); ok && err.Timeout() {
		return n, fmt.Errorf("the primary was silent for %v", in.link.options.Timeout)
	}
	return n, err
}
