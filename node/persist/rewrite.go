package persist

import (
	"context"
	"errors"
	"io"
	"time"

	"zset.dev/operator/node/replog"
)

// renew makes new append-only files, from a base on, and lets the appender write to them. What is there counts until they are whole.
func (s *Store) renew() error {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	over := s.appender != nil || s.closed || !s.o.Values().AppendOnly
	if over {
		s.state.rewriteBegan = time.Time{}
	}
	s.mu.Unlock()
	if over {
		return nil
	}
	folder, err := OpenFolder(s.o.Disk, s.path(s.o.Values().AppendDirname), s.o.Values().AppendFilename)
	if err != nil {
		return err
	}
	return s.rewriting(func(ctx context.Context) error {
		a, err := s.fresh(ctx, folder, func(a *appender) {
			s.mu.Lock()
			s.run(a)
			s.mu.Unlock()
		})
		if err != nil && a != nil {
			s.halt()
		}
		return err
	})
}

// fresh writes a base and a file with what is appended meanwhile, to which the appender that it returns goes on to write. run is
// called while nothing changes.
func (s *Store) fresh(ctx context.Context, folder *Folder, run func(*appender)) (a *appender, err error) {
	log := s.o.Stream.Open()
	file, h, err := folder.next()
	if err != nil {
		s.o.Stream.Close()
		return nil, err
	}
	err = s.rebase(ctx, folder, log, func(int64) (failure error) {
		if a, failure = newAppender(s, folder, log, file, h); failure == nil {
			run(a)
		}
		return failure
	}, func() (*appender, error) { return a, nil })
	if a == nil {
		h.Close()
		s.o.Stream.Close()
	}
	return a, err
}

// Rewrite replaces the append-only files by shorter ones, in the background. When something is under way already, or it is to wait
// for a moment, it is done afterwards, and later is true.
func (s *Store) Rewrite(wait bool) (later bool, err error) {
	if wait || !s.saving.TryLock() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.state.rewriteBegan.IsZero() {
			return false, errRewriting
		}
		s.state.rewriteWanted = true
		return true, nil
	}
	return false, s.behind(&s.state.rewriteBegan, func() {
		if err := s.rewrite(); err != nil {
			s.o.Log.Warn("rewriting the append-only files failed", "error", err)
		}
	})
}

// rewrite is Rewrite, done. s.saving is held.
func (s *Store) rewrite() error {
	return s.rewriting(func(ctx context.Context) error {
		s.mu.Lock()
		a := s.appender
		s.mu.Unlock()
		if a == nil {
			return s.once(ctx)
		}
		return s.shorten(ctx, a)
	})
}

// shorten writes a new base, with what the appender writes to another file from there on.
func (s *Store) shorten(ctx context.Context, a *appender) error {
	waits, at, done := make(chan struct{}), make(chan int64, 1), make(chan error, 1)
	s.works.Go(func() { done <- a.ask(func(a *appender) error { return a.cut(waits, at) }) })
	select {
	case <-waits:
	case err := <-done:
		return err
	}
	cut := false
	err := s.rebase(ctx, a.folder, a.log, func(offset int64) error {
		at <- offset
		cut = true
		return nil
	}, func() (*appender, error) { return a, <-done })
	if !cut {
		close(at)
		<-done
	}
	return err
}

// rewriting notes that do is under way, and how it went.
func (s *Store) rewriting(do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	began := s.o.Now()
	s.mu.Lock()
	s.state.rewriteBegan, s.state.cancel = began, cancel
	s.state.rewriteTry, s.state.rewriteWanted = began, false
	s.mu.Unlock()
	s.o.Log.Info("rewriting the append-only files")
	err := do(ctx)
	s.mu.Lock()
	s.state.rewriteBegan, s.state.cancel = time.Time{}, nil
	s.state.rewriteTook, s.state.rewriteOK = s.o.Now().Sub(began), err == nil
	if err == nil {
		s.state.rewrites++
		s.state.rewrittenSize = s.size.Load()
	}
	s.mu.Unlock()
	return err
}

// errMoved is for a log that is not the node's any more.
var errMoved = errors.New("persist: the node has another log now")

// rebase writes a new base, of all keys as they are at a moment or later, and lets it count together with what is appended from
// that moment on. At the moment itself, while nothing changes, begin is called with the log's end; since is who appends, once that
// began.
func (s *Store) rebase(ctx context.Context, folder *Folder, log *replog.Log, begin func(offset int64) error, since func() (*appender, error)) error {
	return s.frozen(func() error { return s.rebaseFrozen(ctx, folder, log, begin, since) })
}

func (s *Store) rebaseFrozen(ctx context.Context, folder *Folder, log *replog.Log, begin func(int64) error, since func() (*appender, error)) error {
	base, temp, h, err := folder.base()
	if err != nil {
		return err
	}
	var failure error
	begun := false
	err = s.write(ctx, h, func(at Place, now *replog.Log) {
		begun = true
		if failure = errMoved; now == log {
			failure = begin(at.Offset)
		}
	}, [][2]string{{"aof-base", "1"}}, nil)
	err = errors.Join(failure, err)
	var a *appender
	if begun && failure == nil {
		var cut error
		a, cut = since()
		err = errors.Join(err, cut)
	}
	var first File
	if err == nil {
		// The base may have of each key what became of it while it was written, so it is good together with all of that only.
		err = a.ask(func(a *appender) error { first = a.file; return a.catchUp() })
	}
	if err := settle(s.o.Disk, h, err, temp, folder.at(base.Name)); err != nil {
		return err
	}
	return a.ask(func(a *appender) error {
		if err := folder.rebase(base, first); err != nil {
			return err
		}
		if !a.counts {
			a.counts = true
			if s.appends(a) {
				s.count(a)
			}
		}
		if err := folder.Clean(); err != nil {
			s.o.Log.Warn("cannot remove old append-only files", "error", err)
		}
		_, all := folder.Sizes()
		s.size.Store(all)
		return nil
	})
}

// appends reports whether a is the store's appender.
func (s *Store) appends(a *appender) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.appender == a
}

// once writes append-only files of the data while nothing is appended.
func (s *Store) once(ctx context.Context) error {
	folder, err := OpenFolder(s.o.Disk, s.path(s.o.Values().AppendDirname), s.o.Values().AppendFilename)
	if err != nil {
		return err
	}
	a, err := s.fresh(ctx, folder, func(a *appender) { s.works.Go(a.run) })
	if a != nil {
		close(a.stopping)
		<-a.done
		s.o.Stream.Close()
	}
	return err
}

// write writes a file of all keys. begun is called while nothing changes: the file with what is logged from there on is what there
// is in the end.
func (s *Store) write(ctx context.Context, to Handle, begun func(Place, *replog.Log), more [][2]string, saved func(keys int64)) error {
	now := s.o.Now()
	saver := Saver{Keyspace: s.o.Keyspace, Now: func() int64 { return s.o.Now().UnixMilli() }, Saved: saved, Functions: s.o.Functions}
	saver.Begun = func() {
		history, log := s.o.Stream.Named()
		_, end := log.Range()
		at := Place{History: history, Offset: end, Epoch: s.o.Stream.LogEpoch(), At: s.o.Stream.EpochAt(end)}
		begun(at, log)
		saver.Aux = append(append(saver.Origin(s.o.Version, now), at.aux()...), more...)
	}
	_, err := saver.Save(&progressive{to: to, ctx: ctx})
	return err
}

// syncBytes is how much of a file is handed to the disk at once, so that the last fsync is not for all of it.
const syncBytes = 32 << 20

// progressive hands a file to the disk while it is written, and ends when ctx does.
type progressive struct {
	to       Handle
	ctx      context.Context
	unsynced int
}

var _ io.Writer = (*progressive)(nil)

// Write implements io.Writer.
func (p *progressive) Write(b []byte) (int, error) {
	if p.ctx.Err() != nil {
		return 0, context.Cause(p.ctx)
	}
	n, err := p.to.Write(b)
	if p.unsynced += n; err == nil && p.unsynced >= syncBytes {
		p.unsynced = 0
		err = p.to.Sync()
	}
	return n, err
}
