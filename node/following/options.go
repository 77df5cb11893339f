package following

import (
	"context"
	"log/slog"
	"net"
	"time"

	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/zset"
)

// Options are what a Following is made of. All must be given.
type Options struct {
	State    *replication.State
	Data     Data
	Log      *slog.Logger
	Now      func() time.Time
	Settings func() Settings // asked at each attempt
	Dial     func(ctx context.Context, address string) (net.Conn, error)
	NewSet   func() *zset.Set
	Synced   func() int64 // the offset behind what of the log is on the node's disk; 0 when nothing is to be
	Writes   Writes

	// Changed is called once the node has become a primary, or follows target.
	Changed func(role replication.Role, target Target)
}

// Settings are what may change while the node runs.
type Settings struct {
	User, Password string        // for primaries; none when empty
	Host           string        // under which others reach this node; empty is the address it connects from
	Port           int           // likewise
	Timeout        time.Duration // silence after which a primary is given up
}

// Data is what a primary's log is done to. One goroutine at a time uses it.
type Data interface {
	// Linked is called before anything else comes from a primary, with the connection's addresses and what closes it; Unlinked
	// when no more will come.
	Linked(conn net.Conn)
	Unlinked()

	// Replace puts a file's keys in the place of all keys. began is called before anything is changed; if Replace fails
	// after that, there are no keys.
	Replace(file *rdb.Decoder, began func()) error

	Begin()                    // some commands follow
	Apply(args [][]byte) error // one command
	Report()                   // for now that was all
	Whole() bool               // no transaction is open
	Restart(database bool)     // forget a transaction that is open; and which database was selected
	Diverged(err error) bool   // whether a failure says that the data is not the primary's, so that all of it is needed
}

// Writes stops clients' writes during a hand-over.
type Writes interface {
	Pause() // when it returns no command is under way that may write, and none begins
	Resume()
}
