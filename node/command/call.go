package command

import (
	"math/rand/v2"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

// Call is one command under way. A connection has one and uses it again for
// every command, so handlers must keep nothing of it.
type Call struct {
	Env    *Env
	Client *client.Client
	W      *resp.Writer
	Rng    *rand.Rand

	// OutputLimit is the size of W at which a handler should stop producing,
	// since the connection will be closed; 0 is no limit.
	OutputLimit int64

	// At is the time the command is taken to run at: the last reading of the
	// clock. Execute moves it to the command's end.
	At time.Time

	// More says that other commands have arrived behind this one. Without it
	// each command is timed alone.
	More bool

	// Args is the command's words, valid until Execute returns.
	Args [][]byte

	// Nth is which of the commands that Foresee was told of this one is, from 1
	// on; 0 is none of them.
	Nth int

	// Held has the partitions of the command's keys.
	Held keyspace.Held

	// Wrote is the greatest offset behind what the client's commands appended to
	// the journal; 0 when nothing.
	Wrote int64

	// Logged is the offset behind what the command appended that its reply acknowledges: 0 when nothing, or when nothing hangs on
	// it, as on a message. Term is the gate's before it was executed; the caller sets it.
	Logged int64
	Term   int64

	// Nested says that the command runs inside another, a transaction or a
	// script, which holds the partitions of its keys and releases them: it
	// may not wait, and whoever waits for its keys is served only afterwards.
	Nested bool

	tx      transaction
	watch   keyspace.Watch
	waiting waiting
	replies replies
	caching caching

	introduction replication.Introduction // what REPLCONF said
	follower     *replication.Follower    // after PSYNC or SYNC
	changed      []string                 // keys to invalidate once the command is done
	told         int                      // those of them whose readers know
	flushed      bool                     // all of them
	short        bool                     // there was no memory left when the command, or what it is nested in, began

	ahead  [MostAhead]foreseen
	tally  tally
	spec   *Spec     // what is running
	frozen time.Time // the time within a script, which stands still; zero outside
	now    int64     // At in Unix milliseconds
	scores []float64 // kept between calls for its memory
	undo   []undone  // likewise

	algebra zset.Algebra // combines sets; kept for its memory, up to algebraMemory
}

// is reports whether the argument is the given word, which must be in upper
// case, in any case.
func is(arg []byte, word string) bool {
	if len(arg) != len(word) {
		return false
	}
	for i := range arg {
		b := arg[i]
		if 'a' <= b && b <= 'z' {
			b -= 'a' - 'A'
		}
		if b != word[i] {
			return false
		}
	}
	return true
}

// full reports whether the reply has grown past what the client may be sent.
func (c *Call) full() bool {
	return c.OutputLimit > 0 && int64(c.W.Len()) > c.OutputLimit
}

// find is the entry of the first key, nil when it is missing.
func (c *Call) find() *keyspace.Entry { return c.Held.Find(c.Args[1]) }

// findSet is the set of the first key to read from, nil when it is missing.
func (c *Call) findSet() *zset.Set { return c.setAt(1) }

// setAt is the set to read from of the key in argument i, likewise.
func (c *Call) setAt(i int) *zset.Set {
	if e := c.Held.Find(c.Args[i]); e != nil {
		return e.Set()
	}
	return nil
}

// integer reads argument i; it answers the error itself when it is none.
func (c *Call) integer(i int) (n int64, ok bool) {
	n, ok = resp.ParseInt(c.Args[i])
	if !ok {
		c.W.Error(errNotInteger)
	}
	return n, ok
}

// release lets go of what is held, once all is in the journal.
func (c *Call) release() {
	c.Held.Release()
	c.logged(c.Held.Logged())
}

// propagate logs a command that names no key, but changes what replicas have.
func (c *Call) propagate(args ...[]byte) {
	if c.Nested || c.spec.Whole {
		c.Held.Log(args...)
		return
	}
	end := c.Env.Keyspace.Log(args...)
	if c.spec.Flags&PubSub != 0 {
		c.Wrote = max(c.Wrote, end)
	} else {
		c.logged(end)
	}
}

// logged notes that the command appended something, up to that offset; 0 for nothing.
func (c *Call) logged(end int64) {
	c.Wrote, c.Logged = max(c.Wrote, end), max(c.Logged, end)
}

func (c *Call) ok() { c.W.Simple("OK") }

// The texts clients know.
const (
	errSyntax      = "ERR syntax error"
	errNotInteger  = "ERR value is not an integer or out of range"
	errNoAuth      = "NOAUTH Authentication required."
	errOOM         = "OOM command not allowed when used memory > 'maxmemory'."
	errNoMemory    = "OOM command not allowed: the system has no memory left for it."
	errNaN         = "ERR resulting score is not a number (NaN)"
	errNotPositive = "ERR value is out of range, must be positive"
)
