package following

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/replica"
)

// The pause between two attempts.
const (
	retryFirst = 100 * time.Millisecond
	retryMost  = 5 * time.Second

	// retryHolder takes the place of retryMost when it is decided who is primary: that one has the others wait until they follow it.
	retryHolder = 500 * time.Millisecond
)

// pause is how long to wait after so many attempts in a row that brought nothing. chance, below 1, keeps many replicas from trying
// all at once.
func pause(failures int, chance float64) time.Duration {
	d := retryMost
	if failures < 6 {
		d = min(retryFirst<<failures, retryMost)
	}
	return d/2 + time.Duration(chance*float64(d/2))
}

// Target is a primary to follow.
type Target struct {
	Host string
	Port int
}

// Address is it as it is dialled.
func (t Target) Address() string { return net.JoinHostPort(t.Host, strconv.Itoa(t.Port)) }

// A Holder is who holds the record of a shard: the process that is primary, or is about to be.
type Holder struct {
	Target
	RunID string // of the process
	Epoch int64  // in which it holds it
}

// pursuit follows one primary until it is ended.
type pursuit struct {
	f       *Following
	target  Target
	forgive bool // its data counts, whatever it is
	log     *slog.Logger

	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended

	// handover is set for the target of a hand-over: what became of the one attempt.
	handover chan error

	holder atomic.Pointer[Holder] // who target has to be; nil for anybody

	mu     sync.Mutex
	link   *replica.Link // guarded by mu; nil between attempts
	isUp   bool          // guarded by mu
	down   time.Time     // since when it is not; guarded by mu
	reason string        // why it was down last; guarded by mu
	heard  time.Time     // of links before; guarded by mu
}

// run follows until ctx ends.
func (p *pursuit) run(ctx context.Context) {
	defer close(p.done)
	for failures := 0; ; failures++ {
		err := p.attempt(ctx)
		if ctx.Err() != nil {
			return
		}
		if wasUp := p.lost(err); wasUp {
			failures = 0
		}
		if p.handover != nil {
			// It refused, or was not there. Whoever began the hand-over decides.
			p.handover <- err
			return
		}
		rest := pause(failures, rand.Float64())
		if p.holder.Load() != nil {
			rest = min(rest, retryHolder)
		}
		timer := time.NewTimer(rest)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// attempt follows over one connection. It always returns an error.
func (p *pursuit) attempt(ctx context.Context) error {
	f := p.f
	known := f.known(p.holder.Load())
	known.forgive = p.forgive
	settings := f.options.Settings()
	state := f.options.State
	link := replica.New(replica.Options{
		Dial: func(ctx context.Context) (net.Conn, error) {
			conn, err := f.options.Dial(ctx, p.target.Address())
			if err == nil {
				f.options.Data.Linked(conn)
			}
			return conn, err
		},
		User: settings.User, Password: settings.Password, Host: settings.Host, Port: settings.Port, Timeout: settings.Timeout,
		NewSet: f.options.NewSet, Failover: p.handover != nil, Synced: f.options.Synced,
		Ask: []string{"zset-epoch", strconv.FormatInt(state.Epoch(), 10), "run-id", state.RunID()},
	}, &sink{p: p, from: known})
	p.mu.Lock()
	p.link = link
	p.mu.Unlock()
	defer f.options.Data.Unlinked()
	return link.Follow(ctx, known.position)
}

// handedOver notes that the target of a hand-over, if that is what it is, has become primary: it answers others with an error. Whatever
// comes now, this node is its replica.
func (p *pursuit) handedOver() {
	if p.handover != nil {
		p.handover <- nil
		p.handover = nil
	}
}

// up notes that the link works, however that came about.
func (p *pursuit) up(how string, more []any) {
	p.mu.Lock()
	p.isUp, p.reason = true, ""
	p.mu.Unlock()
	p.forgive = false
	p.log.Info("following the primary: "+how, more...)
}

// lost notes that an attempt, or a link, is over.
func (p *pursuit) lost(err error) (wasUp bool) {
	f := p.f
	f.options.State.SetLinked(false)
	if f.options.Data.Diverged(err) {
		f.diverged.Store(true)
	}
	p.mu.Lock()
	wasUp, again := p.isUp, p.reason
	if p.isUp || p.down.IsZero() {
		p.down = f.options.Now()
	}
	if heard := p.link.Heard(); heard.UnixMilli() > 0 {
		p.heard = heard
	}
	p.isUp, p.link, p.reason = false, nil, err.Error()
	p.mu.Unlock()
	if again != err.Error() { // else it was said before
		var refused *RefusedError
		level := slog.LevelWarn
		if errors.As(err, &refused) {
			level = slog.LevelError
		}
		p.log.Log(context.Background(), level, "not following the primary, trying again", "error", err)
	}
	return wasUp
}
