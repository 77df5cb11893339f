package secure

import (
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/config"
)

// Keeper holds the Material in use and keeps it current. All its methods may
// be called from any goroutine, after Start.
type Keeper struct {
	log   *slog.Logger
	now   func() time.Time
	slots chan struct{} // one for each handshake that computes

	current atomic.Pointer[Material] // stored under mu
	failure atomic.Pointer[string]   // why what the files hold is not in use; "" when it is; stored under mu
	reloads atomic.Int64

	mu       sync.Mutex
	settings config.TLS // guarded by mu
	seen     print      // what the last look found; guarded by mu
}

// NewKeeper makes a keeper that lets so many handshakes compute at once.
func NewKeeper(log *slog.Logger, now func() time.Time, computing int) *Keeper {
	k := &Keeper{log: log, now: now, slots: make(chan struct{}, computing)}
	k.failure.Store(new(string))
	return k
}

// Start loads what the configuration names. A certificate that has expired is
// served, as real servers do, with a warning: whoever renews it need not
// restart anything then.
func (k *Keeper) Start(t config.TLS) error {
	c, err := read(&t)
	if err != nil {
		return err
	}
	m, err := build(&t, c)
	if err != nil {
		return err
	}
	if err := m.usable(t.CertFile, k.now()); err != nil {
		k.log.Warn("clients will refuse to connect", "error", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.use(t, m, printOf(c, nil))
	return nil
}

// use is called with mu held.
func (k *Keeper) use(t config.TLS, m *Material, seen print) {
	k.settings, k.seen = t, seen
	k.current.Store(m)
	k.failure.Store(new(string))
}

// Prepare is for config.Config.BeforeChange: a change of a directive of TLS
// loads everything anew, and is refused when that fails.
func (k *Keeper) Prepare(names []string, next *config.Values) (commit func(), err error) {
	concerned := false
	for _, name := range names {
		concerned = concerned || strings.HasPrefix(name, "tls-")
	}
	if !concerned {
		return nil, nil
	}
	t := next.TLS
	c, err := read(&t)
	if err != nil {
		return nil, unable{err}
	}
	m, err := build(&t, c)
	if err == nil {
		err = m.usable(t.CertFile, k.now())
	}
	if err != nil {
		return nil, unable{err}
	}
	seen := printOf(c, nil)
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.use(t, m, seen)
		k.reloads.Add(1)
		k.log.Info("took new TLS settings", "serial", m.Serial, "expires", m.Expires)
	}, nil
}

// unable words an error as real servers do, with the reason where they refer
// to their log.
type unable struct{ why error }

func (u unable) Error() string { return "Unable to update TLS configuration. " + u.why.Error() }
func (u unable) Unwrap() error { return u.why }

// Reload looks at the files and uses what they hold if that is new. An error
// is logged once for each content.
func (k *Keeper) Reload() {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.settings
	c, err := read(&t)
	seen := printOf(c, err)
	if seen == k.seen {
		return
	}
	k.seen = seen
	var m *Material
	if err == nil {
		m, err = build(&t, c)
	}
	if err == nil {
		err = m.usable(t.CertFile, k.now())
	}
	if err != nil {
		text := err.Error()
		k.log.Error("cannot use the new TLS files; kept what was in use", "error", err, "expires", k.current.Load().Expires)
		k.failure.Store(&text)
		return
	}
	k.use(t, m, seen)
	k.reloads.Add(1)
	k.log.Info("took new TLS files", "serial", m.Serial, "expires", m.Expires)
}

// Watch looks at the files at the configured interval until stop is closed.
func (k *Keeper) Watch(stop <-chan struct{}) {
	// The interval may change, so what ticks is its unit.
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for waited := time.Duration(0); ; {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		waited += time.Second
		if every := k.interval(); every > 0 && waited >= every {
			waited = 0
			k.Reload()
		}
	}
}

func (k *Keeper) interval() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.settings.ReloadInterval
}

// Status is what is in use.
type Status struct {
	*Material
	Reloads int64  // times that something new was taken
	Failure string // why what the files hold now is not in use; "" when it is
}

// Status tells what is in use.
func (k *Keeper) Status() Status {
	return Status{Material: k.current.Load(), Reloads: k.reloads.Load(), Failure: *k.failure.Load()}
}
