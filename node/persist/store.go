package persist

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/config"
	"zset.dev/operator/node/keyspace"
)

// Options are what a Store is made of. All but Took, Troubled, Require and Doubt must be given.
type Options struct {
	Disk      Disk
	Keyspace  *keyspace.Keyspace
	Stream    Stream
	Values    func() *config.Values
	Now       func() time.Time
	Log       *slog.Logger
	Version   string          // of the servers whose files these are like
	Functions func() [][]byte // the code of the libraries
	Changes   func() int64    // how many there have ever been

	// Took is told how long the disk took.
	Took func(event string, at time.Time, d time.Duration)
	// Troubled is told whether writes may have to be refused (Refusal).
	Troubled func(bool)
	// Require is told whether replies of writes wait for the disk; Doubt that those who wait now wait in vain.
	Require func(bool)
	Doubt   func()
}

// Store keeps the data on disk, as the configuration says. Make it with New; its methods may be called from any goroutine.
type Store struct {
	o     Options
	works sync.WaitGroup // goroutines; Close waits
	again chan string    // why everything on disk is to begin anew
	ends  chan struct{}  // closed by Close

	saving sync.Mutex // held by who saves or rewrites, of whom there is one at a time

	mu       sync.Mutex
	closed   bool      // guarded by mu
	appender *appender // guarded by mu; nil when off
	state    status    // guarded by mu

	failure atomic.Pointer[error] // why the disk keeps nothing now
	slow    atomic.Bool           // the disk is so far behind that writers wait for it
	size    atomic.Int64          // bytes of the append-only files
}

var (
	errStopped = errors.New("persist: nothing is appended any more")
	errCancel  = errors.New("persist: cancelled")
)

// New makes a store that has not touched the disk.
func New(o Options) *Store {
	s := &Store{o: o, again: make(chan string, 1), ends: make(chan struct{})}
	s.state.lastSave, s.state.saveOK, s.state.rewriteOK = o.Now(), true, true
	s.state.saveTook, s.state.rewriteTook = -1, -1
	return s
}

// path is that of a name in the working directory.
func (s *Store) path(name string) string { return filepath.Join(s.o.Values().Dir, name) }

func (s *Store) policy() Policy {
	switch s.o.Values().AppendFsync {
	case "always":
		return Always
	case "no":
		return Never
	}
	return EverySecond
}

// spared reports whether the disk is left to who saves.
func (s *Store) spared() bool {
	v := s.o.Values()
	if !v.NoFsyncOnRewrite || v.AppendFsync == "always" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.state.saveBegan.IsZero() || !s.state.rewriteBegan.IsZero()
}

func (s *Store) took(event string, began time.Time) {
	if s.o.Took != nil {
		s.o.Took(event, began, time.Since(began))
	}
}

func (s *Store) grew(n int64) { s.size.Add(n) }

// Start lets what changes be appended from now on, if the configuration says so: behind what was loaded, or, with anew, from a
// base that is yet to be written.
func (s *Store) Start(anew bool) error {
	s.clean()
	s.works.Go(s.tend)
	s.works.Go(s.mend)
	if !s.o.Values().AppendOnly {
		return nil
	}
	if anew {
		return s.renew()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, err := OpenFolder(s.o.Disk, s.path(s.o.Values().AppendDirname), s.o.Values().AppendFilename)
	if err != nil {
		return err
	}
	file, h, err := folder.last()
	if err != nil {
		return fmt.Errorf("persist: cannot go on with the append-only file: %w", err)
	}
	a, err := newAppender(s, folder, s.o.Stream.Open(), file, h)
	if err != nil {
		s.o.Stream.Close()
		return fmt.Errorf("persist: cannot append: %w", err)
	}
	_, all := folder.Sizes()
	s.size.Store(all)
	s.state.rewrittenSize = all
	a.counts = true
	s.run(a)
	return folder.Clean()
}

// run lets an appender run. s.mu is held.
func (s *Store) run(a *appender) {
	s.appender = a
	if a.counts {
		s.count(a)
	}
	s.works.Go(a.run)
}

// count lets the disk confirm what the appender has on it.
func (s *Store) count(a *appender) {
	a.counted.Store(true)
	s.o.Stream.Confirmations().Disk().Restart(a.from)
	s.require(s.o.Values())
}

// require says whether replies wait for the disk.
func (s *Store) require(v *config.Values) {
	if s.o.Require != nil {
		s.o.Require(v.AppendOnly && v.AppendFsync == "always")
	}
}

// kept notes what is on disk.
func (s *Store) kept(offset int64) { s.o.Stream.Confirmations().Disk().Confirm(offset) }

// Prepare refuses to turn appendonly on where nothing can be appended.
func (s *Store) Prepare(_ []string, next *config.Values) (commit func(), err error) {
	if !next.AppendOnly || s.o.Values().AppendOnly {
		return nil, nil
	}
	folder, err := OpenFolder(s.o.Disk, s.path(next.AppendDirname), next.AppendFilename)
	if err != nil {
		return nil, err
	}
	file, h, err := folder.next()
	if err != nil {
		return nil, err
	}
	return nil, errors.Join(h.Close(), s.o.Disk.Remove(folder.at(file.Name)))
}

// Changed follows a change of the configuration. With appendonly turned on the files are made in the background; until they are
// whole, what there was before counts.
func (s *Store) Changed(old, now *config.Values) {
	switch {
	case now.AppendOnly && !old.AppendOnly:
		s.mu.Lock()
		s.state.rewriteBegan = s.o.Now() // as everybody sees from now on
		s.mu.Unlock()
		s.begin("appendonly was turned on")
	case !now.AppendOnly && old.AppendOnly:
		s.halt()
		s.o.Stream.Confirmations().WakeDisks()
		s.require(now)
		s.wrote()
	case s.appending():
		s.require(now)
	}
	s.look()
}

func (s *Store) appending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.appender != nil && s.appender.counted.Load()
}

// halt ends appending, once everything is on disk or the disk fails. Replies that wait for the disk go on waiting.
func (s *Store) halt() {
	s.mu.Lock()
	a := s.appender
	s.appender = nil
	s.mu.Unlock()
	if a == nil {
		return
	}
	close(a.stopping)
	<-a.done
	s.o.Stream.Confirmations().Disk().Restart(0)
	s.o.Stream.Close()
}

// Close ends the store. What was appended is on disk then, if the disk works.
func (s *Store) Close() {
	s.mu.Lock()
	if !s.closed {
		close(s.ends)
	}
	s.closed = true
	if s.state.cancel != nil {
		s.state.cancel(errStopped)
	}
	s.mu.Unlock()
	s.halt()
	s.works.Wait()
}

// begin lets everything on disk begin anew, in the background.
func (s *Store) begin(why string) {
	select {
	case s.again <- why:
	default:
	}
}

// tend does what comes round, until the store is closed.
func (s *Store) tend() {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.ends:
			return
		case <-ticker.C:
			s.watch()
			s.plan()
		}
	}
}

// mend begins anew what failed, until the store is closed.
func (s *Store) mend() {
	for {
		select {
		case <-s.ends:
			return
		case why := <-s.again:
			s.restart(why)
		}
	}
}

// Flush has everything that was logged in the append-only files, and on disk, if it is to be there. It fails when there are no such
// files.
func (s *Store) Flush() error {
	s.mu.Lock()
	a := s.appender
	s.mu.Unlock()
	if a != nil {
		return a.ask((*appender).catchUp)
	}
	folder, err := OpenFolder(s.o.Disk, s.path(s.o.Values().AppendDirname), s.o.Values().AppendFilename)
	if err == nil && folder.Empty() {
		err = fs.ErrNotExist
	}
	return err
}

func (s *Store) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// restart writes everything anew, as often as it takes.
func (s *Store) restart(why string) {
	s.o.Log.Warn("writing the append-only files anew", "reason", why)
	s.halt()
	for s.o.Values().AppendOnly && !s.isClosed() {
		err := s.renew()
		if err == nil {
			break
		}
		if !errors.Is(err, errStopped) {
			s.failed(err)
		}
		s.rest(retryEvery)
	}
	s.wrote()
}

// rest waits, unless the store is closed.
func (s *Store) rest(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-s.ends:
	case <-t.C:
	}
}
